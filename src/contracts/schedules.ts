import type { JsonObject } from './json.js';

/** How Temporal treats a firing while the task of an earlier one has not ended. */
export const OVERLAPS = ['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow_all'] as const;

export type Overlap = (typeof OVERLAPS)[number];

/** Short enough for the keys of its tasks, and without a colon, which separates the parts of these. */
export const SCHEDULE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** A schedule as its author writes it. Durations in milliseconds. */
export interface ScheduleSpec {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`, so that the keys of its tasks are valid. */
  id: string;
  ability: string;
  environment: string;
  input: JsonObject;
  /** Five fields, or `@daily` and the like, as `rules/schedules/cron.ts` reads them. */
  cron: string;
  /** IANA name. */
  timezone: string;
  overlap: Overlap;
  /** Maximum random delay of each firing. */
  jitter_ms: number;
  /** How late a missed firing is still made up; after that it is only counted. */
  catch_up_ms: number;
  /** How long before each firing its known approvals are asked for; absent: when its task comes to them. */
  approve_before_ms?: number;
  intent?: string;
}

/** What the memo of a firing keeps of its schedule; the rest are its type, its arguments and its environment. */
export type ScheduleMemo = Pick<
  ScheduleSpec,
  'cron' | 'timezone' | 'overlap' | 'jitter_ms' | 'catch_up_ms' | 'approve_before_ms'
> & {
  /** Path in the project of the definition with the schedule; absent: the schedule was created by hand. */
  stated_in?: string;
};
