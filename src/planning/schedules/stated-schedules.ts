import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { ScheduleSpec } from '../../contracts/schedules.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Registry } from '../../definitions/registry.js';
import type { StatedSchedule } from '../../rules/compare-schedules.js';
import { parseDuration } from '../../rules/duration.js';

type Stated = NonNullable<HighLevel['schedules']>[number];

/**
 * The schedules that the definitions of a project state, by name.
 *
 * @throws AbilityError `definition.duplicate` for a name that two files, or two entries, have.
 */
export function statedSchedules(registry: Registry): StatedSchedule[] {
  const found = new Map<string, StatedSchedule>();
  for (const { value, file, locate } of registry.workflows.values()) {
    for (const [index, stated] of (value.schedules ?? []).entries()) {
      const first = found.get(stated.id);
      if (first) throw statedTwice(stated.id, first.file, locate(['schedules', index, 'id']));
      found.set(stated.id, { spec: specOf(value.id, stated), file });
    }
  }
  return [...found.values()].sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
}

function specOf(ability: string, { jitter, catch_up, intent, ...stated }: Stated): ScheduleSpec {
  return {
    ...stated,
    ability,
    jitter_ms: parseDuration(jitter),
    catch_up_ms: parseDuration(catch_up),
    ...(intent !== undefined && { intent }),
  };
}

function statedTwice(id: string, first: string, location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'definition.duplicate',
    message: `The schedule ${id} is in ${first} as well`,
    suggestion: 'Give each schedule of the project a name of its own.',
    location,
  });
}
