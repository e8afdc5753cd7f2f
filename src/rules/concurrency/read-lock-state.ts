import { type LockState, ON_BUSY, type SlotEntry, type SlotRequest } from '../../contracts/concurrency.js';

/** Our own tokens are much shorter. */
const LONGEST_TOKEN = 100;

/** A lock started by hand may have any value: drops invalid and duplicate entries, so that tasks go on. */
export function readLockState(value: unknown): LockState {
  const { key, holders, line } = fieldsOf(value);
  const seen = new Set<string>();
  const entriesOf = (list: unknown): SlotEntry[] =>
    (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
      if (!isRequest(item) || seen.has(item.task)) return [];
      seen.add(item.task);
      return [pickEntry(item)];
    });
  return { key: typeof key === 'string' ? key : '', holders: entriesOf(holders), line: entriesOf(line) };
}

/** Undefined if it is invalid. */
export function readSlotRequest(value: unknown): SlotRequest | undefined {
  return isRequest(value) ? pickRequest(value) : undefined;
}

/** Undefined if it is invalid. */
export function readSlotReference(value: unknown): Pick<SlotRequest, 'task' | 'run'> | undefined {
  return isReference(value) ? { task: value.task, run: value.run } : undefined;
}

function pickEntry(entry: SlotRequest): SlotEntry {
  const { settled, told, superseded } = fieldsOf(entry);
  return {
    ...pickRequest(entry),
    ...(typeof settled === 'boolean' && { settled }),
    ...(typeof told === 'boolean' && { told }),
    ...(typeof superseded === 'boolean' && { superseded }),
  };
}

function pickRequest({ task, run, limit, on_busy, again, token }: SlotRequest): SlotRequest {
  return { task, run, limit, on_busy, ...(again === true && { again }), token };
}

function isReference(value: unknown): value is Pick<SlotRequest, 'task' | 'run'> {
  const { task, run } = fieldsOf(value);
  return typeof task === 'string' && task !== '' && typeof run === 'string';
}

function isRequest(value: unknown): value is SlotRequest {
  const { limit, on_busy, token } = fieldsOf(value);
  return (
    isReference(value) &&
    Number.isSafeInteger(limit) &&
    Number(limit) >= 1 &&
    ON_BUSY.some((known) => known === on_busy) &&
    typeof token === 'string' &&
    token !== '' &&
    token.length <= LONGEST_TOKEN
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' ? { ...value } : {};
}
