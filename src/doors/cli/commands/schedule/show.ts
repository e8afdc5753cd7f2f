import { showSchedule } from '../../../../client/index.js';
import { renderSchedule } from '../../output/render-schedule.js';
import { type Context, openRegistry, printAnswer, withSession } from '../../program/context.js';

export async function run(context: Context, [name]: [string]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const shown = await showSchedule(connection, name);
    printAnswer(context, shown, () => renderSchedule(shown).join('\n'));
  });
}
