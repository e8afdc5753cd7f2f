import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** A new id of a run: `r-` and a lower-case ULID, so that ids sort by time. */
export function generateRunId(): string {
  return `r-${nextUlid().toLowerCase()}`;
}
