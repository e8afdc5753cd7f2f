import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How often an ability was called, of the calls that are in the log. */
export interface AbilityUsage {
  ability_id: string;
  calls: number;
  failures: number;
  /** ISO 8601. */
  last_used: string;
}

/** Two files of this size are kept, so that a log never takes more than twice that. Bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What the built-in hook `usage` writes of each call: JSON lines, the older half in a second file. Source: R-002-63. */
export class UsageLog {
  private readonly file: string;
  private readonly older: string;

  /** @param system folder of what the runtime keeps. */
  constructor(
    system: string,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.file = join(system, 'usage.jsonl');
    this.older = join(system, 'usage.1.jsonl');
  }

  /** @throws where the disk takes nothing; the hook has then failed, and the call has not. */
  append(line: Record<string, unknown>): void {
    mkdirSync(dirname(this.file), { recursive: true });
    if (sizeOf(this.file) >= this.mostBytes) renameSync(this.file, this.older);
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  /** What is known of each ability, sorted by its id. A line that cannot be read is left out, such as a torn one. */
  read(): AbilityUsage[] {
    const usage = new Map<string, AbilityUsage>();
    for (const { ability_id, status, ts } of [this.older, this.file].flatMap(linesOf)) {
      const before = usage.get(ability_id) ?? { ability_id, calls: 0, failures: 0, last_used: '' };
      const at = new Date(ts * 1000).toISOString();
      usage.set(ability_id, {
        ability_id,
        calls: before.calls + 1,
        failures: before.failures + (status === 'failed' ? 1 : 0),
        last_used: at > before.last_used ? at : before.last_used,
      });
    }
    return [...usage.values()].sort((one, other) => (one.ability_id < other.ability_id ? -1 : 1));
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

interface UsageLine {
  ability_id: string;
  status: unknown;
  ts: number;
}

function linesOf(file: string): UsageLine[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isLine(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function isLine(value: unknown): value is UsageLine {
  if (typeof value !== 'object' || value === null || !('ability_id' in value) || !('ts' in value)) return false;
  return typeof value.ability_id === 'string' && typeof value.ts === 'number' && Number.isFinite(value.ts);
}
