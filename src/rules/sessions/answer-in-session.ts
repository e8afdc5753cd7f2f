import type { HookAnswer } from '../../contracts/hooks.js';
import type { Json } from '../../contracts/json.js';
import type { SessionWord } from '../../contracts/session.js';
import { answerExpression, failedAnswer, type HookFacts } from '../hooks/hook-facts.js';
import { type CallLedger, MAX_CALLS } from './call-ledger.js';
import { readsCalls } from './session-reads.js';

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
