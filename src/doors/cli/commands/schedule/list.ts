import { findSchedules } from '../../../../client/index.js';
import { compareSchedules } from '../../../../planning/schedules/compare-schedules.js';
import { statedSchedules } from '../../../../planning/schedules/stated-schedules.js';
import { DRIFT_WORDS, renderSchedules } from '../../output/render-schedule.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability schedule list`: the schedules of the project, and where they differ from the definitions. */
export async function run(context: Context): Promise<void> {
  const registry = await openRegistry(context);
  const stated = statedSchedules(registry);
  return withSession(context, registry, async (connection) => {
    const schedules = await findSchedules(
      connection,
      stated.map(({ spec }) => spec.id),
    );
    const drifts = new Map(compareSchedules(stated, schedules).map(({ id, drift }) => [id, drift]));
    const { terminal } = context;
    if (context.flags.json) {
      const missing = [...drifts].filter(([, drift]) => drift === 'missing').map(([id]) => id);
      const listed = schedules.map((one) => ({ ...one, drift: drifts.get(one.spec.id) ?? null }));
      terminal.printJson({ schedules: listed, missing });
      return;
    }
    if (schedules.length === 0) terminal.note('There are no schedules.');
    else terminal.print(renderSchedules(schedules, drifts));
    for (const [id, drift] of drifts) if (drift === 'missing') terminal.note(`${id}: ${DRIFT_WORDS[drift]}`);
    if (drifts.size > 0) terminal.note(asTyped('Next: ability schedule sync', context));
  });
}
