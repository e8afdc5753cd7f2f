import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** A new id of a task (`t`), a session (`s`) or a run (`r`): the letter and a lower-case ULID, so that ids sort by time. */
export function generateId(kind: 't' | 's' | 'r'): string {
  return `${kind}-${nextUlid().toLowerCase()}`;
}
