import type { Gap, NewGap } from '../../contracts/gaps.js';
import { attempt } from '../../text/attempt.js';
import { LineLog } from './line-log.js';

/** Longer requests are cut. Characters. */
const LONGEST_REQUEST = 300;
const MAX_NEAREST = 3;
/** Requests are short: enough for about twenty thousand. Bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** `.system/gaps.jsonl`: requests that no ability serves, for `ability harvest`. */
export class GapLog {
  private readonly log: LineLog;

  /** @param system folder of the runtime's data. */
  constructor(system: string, maxBytes = MAX_BYTES) {
    this.log = new LineLog(system, 'gaps', maxBytes);
  }

  /** Ignores failed writes: they must not make a request fail. */
  note(gap: NewGap): void {
    const request = gap.request.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REQUEST);
    if (request === '') return;
    // Writes that matter report a full disk.
    attempt(() =>
      this.log.append({ ...gap, request, nearest: gap.nearest.slice(0, MAX_NEAREST), ts: Date.now() / 1000 }),
    );
  }

  /** The gaps, oldest first. @throws the error of the file system where they cannot be read. */
  read(): Gap[] {
    return this.log.read(isGap);
  }
}

function isGap(value: unknown): value is Gap {
  if (typeof value !== 'object' || value === null) return false;
  const { ts, request, kind, environment, nearest } = value as Partial<Record<keyof Gap, unknown>>;
  const isKind = kind === 'nothing_fits' || kind === 'not_here';
  const hasTime = typeof ts === 'number' && Number.isFinite(ts);
  return isKind && hasTime && typeof request === 'string' && typeof environment === 'string' && Array.isArray(nearest);
}
