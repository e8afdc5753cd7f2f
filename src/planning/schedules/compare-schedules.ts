import type { ScheduleSpec } from '../../contracts/schedules.js';
import { digestOf } from '../../rules/canonical.js';

/** A schedule that a definition states. */
export interface StatedSchedule {
  spec: ScheduleSpec;
  /** The file that states it, as a path in the project. */
  file: string;
}

/** A schedule that Temporal has. */
export interface KnownSchedule {
  spec: ScheduleSpec;
  /** The file that stated it; null: it was created by hand. */
  stated_in: string | null;
}

/**
 * How a schedule differs between the definitions and Temporal.
 *
 * `missing`: stated, and not in Temporal; `differs`: in both, not the same; `left`: no longer stated; `taken`: stated, and one of that name
 * was created by hand.
 */
export type Drift = 'missing' | 'differs' | 'left' | 'taken';

/** One difference. */
export type ScheduleDrift = { id: string } & (
  | { drift: 'missing' | 'differs' | 'taken'; stated: StatedSchedule }
  | { drift: 'left'; known: KnownSchedule }
);

/** All differences, by name; none if Temporal has exactly the stated schedules. A schedule created by hand is no difference. */
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
