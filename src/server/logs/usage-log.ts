import { LineLog } from './line-log.js';

export interface AbilityUsage {
  ability_id: string;
  calls: number;
  failures: number;
  /** ISO 8601. */
  last_used: string;
}

/** Written by the built-in hook `usage`. Source: R-002-63. */
export class UsageLog {
  private readonly log: LineLog;

  /** @param system folder of the runtime's data. */
  constructor(system: string, maxBytes?: number) {
    this.log = new LineLog(system, 'usage', maxBytes);
  }

  /** @throws if the disk is full; the hook then fails, but the call does not. */
  append(line: Record<string, unknown>): void {
    this.log.append(line);
  }

  /** Time of the first known call, seconds since 1970; undefined if there is none. */
  since(): number | undefined {
    return this.log.read(isLine)[0]?.ts;
  }

  read(): AbilityUsage[] {
    const usage = new Map<string, AbilityUsage>();
    for (const { ability_id, status, ts } of this.log.read(isLine)) {
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

function isLine(value: unknown): value is { ability_id: string; status: unknown; ts: number } {
  if (typeof value !== 'object' || value === null || !('ability_id' in value) || !('ts' in value)) return false;
  return typeof value.ability_id === 'string' && typeof value.ts === 'number' && Number.isFinite(value.ts);
}
