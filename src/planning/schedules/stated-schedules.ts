import { AbilityError } from '../../contracts/problem.js';
import type { ScheduleSpec } from '../../contracts/schedules.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { parseDuration } from '../../rules/duration.js';
import type { StatedSchedule } from './compare-schedules.js';

type Entry = NonNullable<HighLevel['schedules']>[number];

export interface FoundSchedule extends StatedSchedule {
  workflow: Loaded<HighLevel>;
  /** Index in `schedules`. */
  index: number;
}

export function* findStated({ workflows }: Registry): Generator<FoundSchedule> {
  for (const workflow of workflows.values()) {
    const { value, file } = workflow;
    for (const [index, entry] of (value.schedules ?? []).entries()) {
      yield { spec: specOf(value.id, entry), file, workflow, index };
    }
  }
}

/** Sorted by name. @throws AbilityError `definition.duplicate` for a name that is stated twice. */
export function statedSchedules(registry: Registry): FoundSchedule[] {
  const found = new Map<string, FoundSchedule>();
  for (const stated of findStated(registry)) {
    const first = found.get(stated.spec.id);
    if (first) throw statedTwice(first, stated);
    found.set(stated.spec.id, stated);
  }
  return [...found.values()].sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
}

function specOf(ability: string, { jitter, catch_up, approve_before, intent, ...stated }: Entry): ScheduleSpec {
  return {
    ...stated,
    ability,
    jitter_ms: parseDuration(jitter),
    catch_up_ms: parseDuration(catch_up),
    ...(approve_before !== undefined && { approve_before_ms: parseDuration(approve_before) }),
    ...(intent !== undefined && { intent }),
  };
}

/** @param second the error is located here. */
export function statedTwice(first: FoundSchedule, { spec, workflow, index }: FoundSchedule): AbilityError {
  const { file, line } = first.workflow.locate(['schedules', first.index, 'id']);
  return new AbilityError({
    code: 'definition.duplicate',
    message: `The schedule ${spec.id} is in ${line === undefined ? file : `${file}:${line}`} as well`,
    suggestion: 'Give each schedule of the project a name of its own.',
    location: workflow.locate(['schedules', index, 'id']),
  });
}
