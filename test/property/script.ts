/** What happens to a task in a property test: the same for the reference and for the interpreter. */
import type { Json } from '../../src/contracts/json.js';

/** How one attempt of a call ends, after the given milliseconds. */
export type Attempt = { ms: number; output: Json } | { ms: number; code: string };

/** How people answer an approval, after the given milliseconds. */
export interface Verdict {
  ms: number;
  says: 'approve' | 'deny' | 'nothing';
}

/** One attempt of a call. Moments are milliseconds since the task began. */
export interface Effect {
  at: number;
  path: string;
  call: string;
  with: Json;
}

/** The course of a task, in terms that both interpreters share. */
export interface Account {
  status: string;
  output: Json;
  error: { code: string; step: string | null; path: string | null } | null;
  /** Sorted by moment, then by path. */
  effects: Effect[];
  /** By path, with `*` for the turns of a loop; the undo of a call is at `<path>.undo`. */
  steps: Record<string, string>;
}

/** The script of a world. Durations are derived from the path, so that no two things end at one moment. */
export class Script {
  constructor(
    private readonly salt: number,
    /** By step id: the results of its attempts, in order; `ok` or a code. */
    private readonly outcomes: Record<string, readonly string[]>,
    /** By step id. */
    private readonly verdicts: Record<string, Verdict['says']>,
    /** When the task is cancelled, if it is. */
    readonly cancelAt: number | undefined,
  ) {}

  /** @param nth the number of earlier attempts at this path. */
  attempt(path: string, nth: number): Attempt {
    const ms = this.duration(`${path}|${nth}`);
    const outcomes = this.outcomes[lastOf(path)] ?? ['ok'];
    const turns = [...path.matchAll(/\/(\d+)/g)].reduce((sum, [, turn]) => sum + Number(turn), 0);
    const outcome = outcomes[(nth + turns) % outcomes.length] ?? 'ok';
    return outcome === 'ok' ? { ms, output: { v: ms % 4 } } : { ms, code: outcome };
  }

  verdict(path: string): Verdict {
    return { ms: this.duration(`${path}?`), says: this.verdicts[lastOf(path)] ?? 'approve' };
  }

  /** Between two milliseconds and three days; even, so that an odd time is never that of another end. */
  duration(name: string): number {
    return 2 + 2 * (hash(`${this.salt}|${name}`) % 2 ** 27);
  }
}

/** Sorts effects into the one order that both interpreters share. */
export function inOrder(effects: readonly Effect[]): Effect[] {
  return [...effects].sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** FNV-1a with extra mixing: similar short names must not give similar durations. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
