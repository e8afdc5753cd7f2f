import {
  type Connection,
  changeSchedule,
  createSchedule,
  deleteSchedule,
  findSchedules,
} from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { checkStated } from '../../../../planning/schedules/check-stated.js';
import {
  compareSchedules,
  type ScheduleDrift,
  statedSchedules,
} from '../../../../planning/schedules/stated-schedules.js';
import { DRIFT_WORDS } from '../../output/render-schedule.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { ScheduleFlags } from '../../program/tasks.js';
import { ONLY_WHILE_UP } from './schedules.js';

const DONE = { missing: 'created', differs: 'changed', left: 'deleted' } as const;

/** `ability schedule sync`: makes schedules match the definitions; keeps those created by hand. */
export async function run(context: Context, _: [], { check = false }: ScheduleFlags['sync']): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const stated = statedSchedules(registry);
  // Checks all before changing the first.
  for (const found of stated) checkStated(registry, found);
  const names = stated.map(({ spec }) => spec.id);
  return withSession(context, registry, async (connection) => {
    const drifts = compareSchedules(stated, await findSchedules(connection, names));
    refuseBroken(registry, drifts);
    const { terminal, flags } = context;
    if (!check) refuseTaken(drifts);
    for (const found of drifts) {
      const { id, drift } = found;
      if (!check) await apply(connection, found);
      if (!flags.json) terminal.print(`${id}: ${check || drift === 'taken' ? DRIFT_WORDS[drift] : DONE[drift]}`);
    }
    if (flags.json) terminal.printJson({ changed: !check, schedules: drifts.map(({ id, drift }) => ({ id, drift })) });
    else if (drifts.length === 0) terminal.note(`Nothing differs; ${stated.length} schedules are stated.`);
    if (!check && stated.length > 0 && connection.isOwnRuntime) terminal.note(ONLY_WHILE_UP);
    return check && drifts.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

async function apply(connection: Connection, drift: ScheduleDrift): Promise<void> {
  if (drift.drift === 'left') await deleteSchedule(connection, drift.id);
  else if (drift.drift === 'missing') await createSchedule(connection, drift.stated.spec, drift.stated.file);
  else if (drift.drift === 'differs') await changeSchedule(connection, drift.stated.spec, drift.stated.file);
}

/** Schedules of a broken file are unknown, so none of them is deleted. @throws AbilityError. */
function refuseBroken({ problems }: Registry, drifts: readonly ScheduleDrift[]): void {
  for (const found of drifts) {
    if (found.drift !== 'left') continue;
    const broken = problems.find(({ location }) => location?.file === found.known.stated_in);
    if (broken) throw new AbilityError(broken);
  }
}

function refuseTaken(drifts: readonly ScheduleDrift[]): void {
  const taken = drifts.find(({ drift }) => drift === 'taken');
  if (!taken) return;
  throw new AbilityError({
    code: 'schedule.exists',
    message: `The schedule ${taken.id} was created by hand, and a definition states one of that name; nothing was changed`,
    suggestion: `Delete it with \`ability schedule delete ${taken.id}\`, or rename the one in the definition.`,
  });
}
