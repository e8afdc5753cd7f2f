import type { JsonObject } from './json.js';

/** The tasks that a firing starts, each an ordinary task. Argument of `ability:firing`. */
export interface FiringRequest {
  format: 1;
  project: string;
  schedule: ScheduleSpec;
  /** The definition that states the schedule, as a path in the project; absent: it was created by hand. */
  stated_in?: string;
}

/** How a firing ended. A refused one fails with the code of the refusal instead. */
export interface Firing {
  task_key: string;
  /** End state of the task; null where another firing had started it already. */
  status: string | null;
}

/** How Temporal treats a firing while the task of an earlier one has not ended. */
export const OVERLAPS = ['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow_all'] as const;

/** One of {@link OVERLAPS}. */
export type Overlap = (typeof OVERLAPS)[number];

/** A schedule as its author writes it. Durations in milliseconds. */
export interface ScheduleSpec {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`, so that the keys of its tasks are keys. */
  id: string;
  ability: string;
  environment: string;
  input: JsonObject;
  /** Five fields, or six or seven as Temporal reads them, or `@daily` and the like. */
  cron: string;
  /** IANA name. */
  timezone: string;
  overlap: Overlap;
  /** A firing is put off by up to so much, differently each time. */
  jitter_ms: number;
  /** A firing that was missed is made up for within so much; later it is only counted. */
  catch_up_ms: number;
  intent?: string;
}
