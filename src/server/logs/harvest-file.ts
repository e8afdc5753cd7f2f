import { join } from 'node:path';
import { writeWhole } from '../../disk/write-files.js';
import { readLines } from './line-log.js';

/** Facts about a script or a flow: its purpose, and its implementation. Source: R-000-92. */
export interface HarvestEntry {
  kind: 'script' | 'flow';
  /** The path of a script, or the calls of a flow with ` > ` between them. */
  location: string;
  /** The problem it solves, in words; null: not stated. */
  problem: string | null;
  /** Where it is described, as `file:line`; null: unknown. */
  documented: string | null;
  /** Number of runs; null: unknown, since manual calls are not counted here. */
  runs: HarvestRuns | null;
  /** Abilities that this work used; null: not known. */
  abilities_used: string[] | null;
  /** `new_code`: a script that calls no known ability; `both`: one that does; `abilities`: a flow. */
  done_by: 'new_code' | 'abilities' | 'both';
  /** Abilities that may do the same. */
  near: string[];
  /** Abilities that do it now. */
  became: string[];
  /** ISO 8601. */
  first_seen: string;
  /** ISO 8601; older than the other entries' if it no longer exists. */
  last_seen: string;
}

export interface HarvestRuns {
  times: number;
  /** Whether there may have been more runs. */
  at_least: boolean;
  /** ISO 8601; null: not known. */
  last: string | null;
  /** Source of the count: task records here, or the hook `usage`, which counts every implementation. */
  from: 'records' | 'usage';
}

export type SeenEntry = Omit<HarvestEntry, 'first_seen' | 'last_seen'>;

/** `.system/harvest.jsonl`, a line for each script and flow that was ever seen. */
export class HarvestFile {
  private readonly file: string;

  /** @param system folder of the runtime's data; it is created with the first line. */
  constructor(system: string) {
    this.file = join(system, 'harvest.jsonl');
  }

  /** Records the current entries; removed ones keep their line. @throws the error of the file system. */
  keep(seen: readonly SeenEntry[], now = new Date()): HarvestEntry[] {
    const entries = new Map(this.read().map((entry) => [keyOf(entry), entry]));
    const at = now.toISOString();
    for (const one of seen) {
      const first_seen = entries.get(keyOf(one))?.first_seen ?? at;
      entries.set(keyOf(one), { ...one, first_seen, last_seen: at });
    }
    const all = [...entries.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    if (all.length > 0) writeWhole(this.file, all.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    return all;
  }

  /** Skips unreadable lines. @throws the error of the file system. */
  read(): HarvestEntry[] {
    return readLines(this.file, isEntry);
  }
}

function keyOf({ kind, location }: Pick<HarvestEntry, 'kind' | 'location'>): string {
  return `${kind} ${location}`;
}

function isEntry(value: unknown): value is HarvestEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, location, first_seen } = value as Partial<Record<keyof HarvestEntry, unknown>>;
  return (kind === 'script' || kind === 'flow') && typeof location === 'string' && typeof first_seen === 'string';
}
