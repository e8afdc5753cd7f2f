import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Json } from '../../contracts/json.js';
import type { CallCounts, CallStatus, SessionCall, SessionCarried, SessionWord } from '../../contracts/session.js';
import { answerExpression, failedAnswer, type HookFacts } from '../hooks/handlers.js';
import { readsCalls } from './session-reads.js';

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

/**
 * Evaluates a call's guards over its session and enters the call unless denied, atomically: concurrent calls see
 * each other. A call entered before is evaluated as if it were not: its answer was lost. Source:
 * docs/sessions.md#guards-over-a-session.
 */
export function answerInSession(
  session: string,
  ledger: CallLedger,
  { call, guards, facts, path, moment }: Extract<SessionWord, { kind: 'call' }>,
): HookAnswer[] {
  const at = { phase: 'PreAbilityCall', path } as const;
  if (call) ledger.end(call.id, 'denied');
  const { counts } = ledger;
  const calls = ledger.calls.map(({ id: _, ...made }) => made) as unknown as Json;
  const answers: HookAnswer[] = [];
  for (const { id, handler } of guards) {
    const isTooMuch = !ledger.isWhole && readsCalls(handler);
    const raised = ledger.raisedOf(id);
    const seen: HookFacts = { ...facts, session: { id: session, calls, counts: { ...counts }, raised } };
    const answer = isTooMuch ? tooManyCalls(id, at) : answerOne(id, handler, at, seen, moment);
    const isAtLimit = handler.on_limit === 'ask' && answer.decision === 'deny' && answer.status === 'ok';
    answers.push(isAtLimit ? { ...answer, limit: { raised, done: doneBy(ledger) } } : answer);
    if (answer.decision === 'deny') return answers;
  }
  if (call) ledger.enter(call);
  return answers;
}

/** An error counts as a failed guard: thrown, it would block the session. Task hooks must throw it. */
function answerOne(...question: Parameters<typeof answerExpression>): HookAnswer {
  try {
    return answerExpression(...question);
  } catch (error) {
    const [id, , at] = question;
    return failedAnswer(id, at, `it could not be evaluated: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function doneBy({ calls }: CallLedger): Record<string, number> {
  const done = new Map<string, number>();
  for (const { ability } of calls) done.set(ability, (done.get(ability) ?? 0) + 1);
  return Object.fromEntries(done);
}

function tooManyCalls(id: string, at: { phase: 'PreAbilityCall'; path: string }): HookAnswer {
  const reason = `the session has made more than ${MAX_CALLS} calls, and \`session.calls\` lists no more`;
  return failedAnswer(id, at, reason, 'Base the guard on `session.counts.<effects>`, or start another session.');
}

/**
 * Refuses a call outside any task: it is never entered in the session, so that no limit would count it. Source:
 * docs/hooks.md#guarding-the-calls-of-agent-tools; docs/sessions.md#guards-over-a-session.
 */
export function refuseSessionGuard(id: string, ability: string, session: string): HookAnswer {
  const reason = `it looks at what the session ${session} did, and a call that no task makes is not counted there`;
  const suggestion = `Run \`ability run ${ability} --session ${session}\` instead, which the session counts.`;
  return failedAnswer(id, { phase: 'PreAbilityCall', path: '' }, reason, suggestion);
}
