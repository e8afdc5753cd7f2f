import type { CallReport, SessionOutcome } from '../../contracts/agent-runtime.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import { noteInSession, showSession, stopSession } from '../sessions/sessions.js';
import { reportOf } from './call-report.js';
import { dropUnnamed } from './create-calls.js';
import { contextNow } from './enter-session.js';
import { type KeptEnd, keepEnd, readEnded } from './run-journal.js';
import { masked, type RunEnd, type RunState } from './run-state.js';

/** Cancels created tasks that never ran, and stops the session if the run owns it. Source: R-002-48. */
export async function endRun(state: RunState, end: RunEnd): Promise<SessionOutcome> {
  state.reports.push(...(await dropUnnamed(state, [])));
  const { connection, session, ownsSession, answer } = state;
  if (!ownsSession && answer !== null) {
    const text = masked(state, answer);
    await noteInSession(connection, session, { messages: [{ role: 'assistant', text }], pending: null });
  }
  const outcome = await outcomeOf(state, end);
  keepEnd(state, outcome);
  const hooks = ownsSession ? (await stopSession(connection, session)).stop_hooks : [];
  return { ...outcome, hook_results: [...outcome.hook_results, ...hooks] };
}

/** The result of a run that an earlier process ended; stops the session if that process did not. */
export async function endedRun(state: RunState, { owns_session, ...kept }: KeptEnd): Promise<SessionOutcome> {
  const { connection } = state;
  const known = { ...state, session: kept.session_id, reports: [...state.reported.values()].flat() };
  await readEnded(known);
  const { status } = await showSession(connection, kept.session_id);
  if (owns_session && status === 'open') await stopSession(connection, kept.session_id);
  const reports = known.reports.map((report) => withOutput(known, report));
  return { ...(await outcomeOf({ ...known, reports }, { status: kept.status })), ...kept };
}

/** The present outcome of a run. Source: R-002-68. */
export async function outcomeOf(state: RunState, { status, problem, consent }: RunEnd): Promise<SessionOutcome> {
  const { connection, run, session, plan, answer, turns, reports } = state;
  const seen = await showSession(connection, session);
  const calls = new Map<string, CallReport>();
  for (const one of reports) if (one.id !== null) calls.set(one.id, one);
  const called: HookAnswer[] = [...state.made.values()].flatMap(({ result }) => result?.hooks ?? []);
  return {
    status,
    run,
    session_id: session,
    turn_context: await contextNow(state),
    plan: masked(state, plan),
    tasks: [...calls.values()],
    hook_results: [...seen.hooks, ...called, ...seen.stop_hooks],
    answer: answer === null ? null : masked(state, answer),
    turns,
    problem: problem ?? null,
    consent: consent ?? null,
  };
}

/** A report from the log, with the output from its task. */
export function withOutput(state: RunState, kept: CallReport): CallReport {
  const result = kept.id === null ? undefined : state.made.get(kept.id)?.result;
  const isItsEnd = result !== undefined && result.task_key === kept.task_key && result.status === kept.status;
  return isItsEnd ? reportOf(kept, result, (value) => masked(state, value)) : { ...kept, output: null };
}
