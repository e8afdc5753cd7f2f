import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** `t` for a task, `s` for a session, `r` for a run, then a lower-case ULID, so that ids sort by time. */
export function generateId(kind: 't' | 's' | 'r'): string {
  return `${kind}-${nextUlid().toLowerCase()}`;
}
