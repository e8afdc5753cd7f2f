import type { ScheduleSpec } from '../../contracts/schedules.js';
import { digestOf } from '../../rules/canonical.js';

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
