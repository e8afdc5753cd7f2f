import { type Connection, deleteSchedule, pauseSchedule, resumeSchedule } from '../../../../client/index.js';
import { type Context, currentUser, openRegistry, withSession } from '../../program/context.js';
import type { ScheduleFlags } from '../../program/schedules.js';

export const pause = holding('paused', pauseSchedule);

export const resume = holding('resumed', resumeSchedule);

/** `ability schedule delete NAME`; tasks that it started continue. */
export async function remove(context: Context, [name]: [string]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    await deleteSchedule(connection, name);
    if (context.flags.json) context.terminal.printJson({ schedule: name, status: 'deleted' });
    else context.terminal.note(`${name} is deleted; the tasks that it has started go on.`);
  });
}

/** The schedule then shows who paused or resumed it, and why. */
function holding(
  status: 'paused' | 'resumed',
  hold: (connection: Connection, name: string, note: string) => Promise<void>,
) {
  return async (context: Context, [name]: [string], { comment }: ScheduleFlags['pause']): Promise<void> =>
    withSession(context, await openRegistry(context), async (connection) => {
      const by = `${status} by ${currentUser(context.env).name}`;
      await hold(connection, name, comment === undefined ? by : `${by}: ${comment}`);
      if (context.flags.json) context.terminal.printJson({ schedule: name, status });
      else context.terminal.note(`${name} is ${status}.`);
    });
}
