import { AbilityError } from '../../contracts/problem.js';
import type { ScheduleSpec } from '../../contracts/schedules.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { digestOf } from '../../rules/canonical.js';
import { parseDuration } from '../../rules/duration.js';

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

export interface StatedSchedule {
  spec: ScheduleSpec;
  /** Path of the file that states it, relative to the project root. */
  file: string;
}

export interface KnownSchedule {
  spec: ScheduleSpec;
  /** The file that stated it; null if it was created by hand. */
  stated_in: string | null;
}

/** `missing`: not in Temporal; `left`: no longer stated; `taken`: created by hand under a stated name. */
export type Drift = 'missing' | 'differs' | 'left' | 'taken';

export type ScheduleDrift = { id: string } & (
  | { drift: 'missing' | 'differs' | 'taken'; stated: StatedSchedule }
  | { drift: 'left'; known: KnownSchedule }
);

/** Sorted by id. A schedule created by hand is no difference unless a definition states the same id. */
export function compareSchedules(stated: readonly StatedSchedule[], known: readonly KnownSchedule[]): ScheduleDrift[] {
  const there = new Map(known.map((schedule) => [schedule.spec.id, schedule]));
  const names = new Set(stated.map(({ spec }) => spec.id));
  const drifts = [
    ...stated.flatMap((one) => driftOf(one, there.get(one.spec.id))),
    ...known
      .filter(({ spec, stated_in }) => stated_in !== null && !names.has(spec.id))
      .map((one): ScheduleDrift => ({ id: one.spec.id, drift: 'left', known: one })),
  ];
  return drifts.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function driftOf(stated: StatedSchedule, known: KnownSchedule | undefined): ScheduleDrift[] {
  const { id } = stated.spec;
  if (!known) return [{ id, drift: 'missing', stated }];
  if (known.stated_in === null) return [{ id, drift: 'taken', stated }];
  const isSame = known.stated_in === stated.file && digestOf(known.spec) === digestOf(stated.spec);
  return isSame ? [] : [{ id, drift: 'differs', stated }];
}
