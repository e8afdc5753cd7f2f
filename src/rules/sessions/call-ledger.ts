import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { CallCounts, CallStatus, SessionCall, SessionCarried } from '../../contracts/session.js';

/** Maximum number of listed calls; more are only counted. Source: docs/sessions.md#guards-over-a-session. */
export const MAX_CALLS = 1000;

/** The calls of a session, without denied ones. */
export class CallLedger {
  readonly calls: SessionCall[];
  readonly counts: CallCounts;
  readonly unlisted: Record<string, Effect>;
  leftOut: number;
  /** As `SessionCarried.raised`. */
  readonly raised: Record<string, Record<string, number>>;

  constructor(before?: Pick<SessionCarried, 'calls' | 'counts' | 'unlisted' | 'left_out' | 'raised'>) {
    this.calls = before ? [...before.calls] : [];
    this.counts = before ? { ...before.counts } : noCalls();
    this.unlisted = { ...before?.unlisted };
    this.leftOut = before?.left_out ?? 0;
    this.raised = { ...before?.raised };
  }

  /** Whether all calls are listed, and none is only counted. */
  get isWhole(): boolean {
    return this.leftOut === 0;
  }

  has(id: string): boolean {
    return Object.hasOwn(this.unlisted, id) || this.calls.some((call) => call.id === id);
  }

  /** Adds a call that is about to be made, unless the ledger has it. */
  enter(call: Omit<SessionCall, 'status'>): void {
    if (this.has(call.id)) return;
    if (this.calls.length < MAX_CALLS && this.isWhole) this.calls.push({ ...call, status: 'running' });
    else {
      this.unlisted[call.id] = call.effects;
      this.leftOut += 1;
    }
    this.counts[call.effects] += 1;
    this.counts.total += 1;
  }

  /** By how much people have raised the limit of a hook. */
  raisedOf(hook: string): number {
    return Object.values(Object.hasOwn(this.raised, hook) ? (this.raised[hook] ?? {}) : {}).reduce(
      (sum, by) => sum + by,
      0,
    );
  }

  /** An approval counts once, and never lowers a limit. */
  raise(hook: string, id: string, by: number): void {
    if (!(by > 0) || !Number.isFinite(by)) return;
    const known = Object.hasOwn(this.raised, hook) ? this.raised[hook] : undefined;
    this.raised[hook] = { ...known, [id]: by };
  }

  /** Records how a call ended, once. A `denied` call was never made, and is removed. */
  end(id: string, status: CallStatus | 'denied'): void {
    const index = this.calls.findIndex((call) => call.id === id);
    const call = this.calls[index];
    const effects = call?.effects ?? (Object.hasOwn(this.unlisted, id) ? this.unlisted[id] : undefined);
    if (effects === undefined || (call && call.status !== 'running')) return;
    delete this.unlisted[id];
    if (status === 'denied') {
      if (call) this.calls.splice(index, 1);
      else this.leftOut -= 1;
      this.counts[effects] -= 1;
      this.counts.total -= 1;
    } else if (call) this.calls[index] = { ...call, status };
  }
}

export function noCalls(): CallCounts {
  return { ...(Object.fromEntries(EFFECTS.map((effect) => [effect, 0])) as Record<Effect, number>), total: 0 };
}
