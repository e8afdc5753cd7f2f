/** What the world does to a task in a property test: the same for the reference and for the interpreter. */
import type { Json } from '../../src/contracts/json.js';

/** How one attempt of a call ends, after so many milliseconds. */
export type Attempt = { ms: number; output: Json } | { ms: number; code: string };

/** What people say to an approval, after so many milliseconds. */
export interface Verdict {
  ms: number;
  says: 'approve' | 'deny' | 'nothing';
}

/** One attempt of a call as it was made. Moments are milliseconds since the task began. */
export interface Effect {
  at: number;
  path: string;
  call: string;
  with: Json;
}

/** How a task went, in what both interpreters can say. */
export interface Account {
  status: string;
  output: Json;
  error: { code: string; step: string | null; path: string | null } | null;
  /** In the order of their moments; those of one moment by their paths. */
  effects: Effect[];
  /** By path, with `*` for the turns of a loop; what takes a call back at `<path>.undo`. */
  steps: Record<string, string>;
}

/** The script of a world. Durations are made of the path, so that no two things end at one moment. */
export class Script {
  constructor(
    private readonly salt: number,
    /** By step id: how its attempts end, in turn; `ok` or a code. */
    private readonly outcomes: Record<string, readonly string[]>,
    /** By step id. */
    private readonly verdicts: Record<string, Verdict['says']>,
    /** When the task is cancelled, if it is. */
    readonly cancelAt: number | undefined,
  ) {}

  /** @param nth how often this path was attempted before. */
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

  /** Between two milliseconds and three days; even, so that what is odd ends between two things. */
  duration(name: string): number {
    return 2 + 2 * (hash(`${this.salt}|${name}`) % 2 ** 27);
  }
}

/** Puts effects into the one order that both interpreters agree on. */
export function inOrder(effects: readonly Effect[]): Effect[] {
  return [...effects].sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** FNV-1a, stirred once more: short names that differ little must not give durations that differ little. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
