import type { JsonObject } from './json.js';

/** The tasks that a firing starts, each an ordinary task. Argument of `ability:firing`. */
export interface FiringRequest {
  format: 1;
  project: string;
  schedule: ScheduleSpec;
  /** Path in the project of the definition with the schedule; absent: the schedule was created by hand. */
  stated_in?: string;
}

/** How a firing ended. A refused one fails with the code of the refusal instead. */
export interface Firing {
  task_key: string;
  /** Final state of the task; null if another firing had started it already. */
  status: string | null;
}

/** How Temporal treats a firing while the task of an earlier one has not ended. */
export const OVERLAPS = ['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow_all'] as const;

/** One of {@link OVERLAPS}. */
export type Overlap = (typeof OVERLAPS)[number];

/** A schedule as its author writes it. Durations in milliseconds. */
export interface ScheduleSpec {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`, so that the keys of its tasks are valid. */
  id: string;
  ability: string;
  environment: string;
  input: JsonObject;
  /** Five fields, or six or seven as Temporal reads them, or `@daily` and the like. */
  cron: string;
  /** IANA name. */
  timezone: string;
  overlap: Overlap;
  /** Maximum random delay of each firing. */
  jitter_ms: number;
  /** How late a missed firing is still made up; after that it is only counted. */
  catch_up_ms: number;
  intent?: string;
}
