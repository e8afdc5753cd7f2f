import type { CallReport, PlannedEntry, SessionEndStatus, SessionOutcome } from '../../contracts/agent-runtime.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TurnContext } from '../../contracts/session.js';
import { generateId } from '../../server/generate-id.js';
import type { Connection } from '../connection/connect.js';
import { noteInSession, showSession, stopSession } from '../sessions/sessions.js';
import { askProvider } from './ask-provider.js';
import { aboutEntry, reportOf, statusReport } from './call-report.js';
import { createCalls, dropUnnamed } from './create-calls.js';
import { contextNow, enterSession } from './enter-session.js';
import { holdPlan, refusePlan } from './judge-plan.js';
import { runGraph } from './run-graph.js';
import { endedBefore, type KeptEnd, keepEnd, keepReports, keepTurn, readEnded, restore } from './run-journal.js';
import { masked, type RunEnd, type RunState, type SessionRunOptions } from './run-state.js';

const USUAL_TURNS = 10;

/**
 * Sends the prompt to a session; the AI plans calls, which run like any other tasks, and gets their results until
 * it plans no more. It can only plan: guards and approvals belong to the tasks. Source: R-000-79, R-000-80,
 * R-002-50 to R-002-55, R-002-68; C-04, C-45; docs/agents.md.
 * @throws AbilityError refusals of sessions, and errors that stop every task, such as no server or no worker.
 */
export async function runSession(connection: Connection, options: SessionRunOptions): Promise<SessionOutcome> {
  const run = options.run ?? generateId('r');
  const state = beginState(connection, run, options);
  const before = endedBefore(options.journal);
  if (before) return endedRun(state, before);
  try {
    const { session, ownsSession, prompted } = await enterSession(connection, run, options);
    const entered: RunState = { ...state, session, ownsSession, prompted };
    await readEnded(entered);
    const end = await takeTurns(entered);
    return await (STAYS_OPEN.has(end.status) ? outcomeOf(entered, end) : endRun(entered, end));
  } catch (error) {
    // Another process of the same run may have ended the run and its session.
    const ended = error instanceof AbilityError && error.code === 'session.stopped' && endedBefore(options.journal);
    if (!ended) throw error;
    const anew = beginState(connection, run, options);
    restore(anew);
    return endedRun(anew, ended);
  }
}

/** A run with such a status can continue under its id, so its session and tasks stay open. */
const STAYS_OPEN: ReadonlySet<SessionEndStatus> = new Set([
  'waiting_approval',
  'needs_consent',
  'interrupted',
  'timed_out',
]);

function beginState(connection: Connection, run: string, options: SessionRunOptions): RunState {
  const session = options.session ?? run;
  const state: RunState = {
    connection,
    options,
    run,
    session,
    ownsSession: false,
    prompted: { session_id: session, turn_index: 0, hook_signals: NO_SIGNALS },
    asks: 0,
    turns: 0,
    plan: [],
    answer: null,
    reports: [],
    made: new Map(),
    refused: [],
    agreed: new Set(),
    recorded: new Map(),
    reported: new Map(),
  };
  if (options.journal && !options.journal.isNew) restore(state);
  return state;
}

const NO_SIGNALS: TurnContext['hook_signals'] = { routing_hints: [], ability_guards: [], risk_alerts: [] };

/** A cancelled wait is not an error, wherever it happens. */
async function takeTurns(state: RunState): Promise<RunEnd> {
  try {
    return await takeEach(state);
  } catch (error) {
    const { signal } = state.options;
    if (signal?.aborted) return stoppedBy(signal);
    throw error;
  }
}

async function takeEach(state: RunState): Promise<RunEnd> {
  const max = state.options.maxTurns ?? USUAL_TURNS;
  for (;;) {
    if (state.options.signal?.aborted) return stoppedBy(state.options.signal);
    if (state.turns >= max) return exhausted(max);
    state.turns += 1;
    const context = await contextNow(state);
    const planned = await planOf(state, context);
    if ('end' in planned) return planned.end;
    const { plan } = planned;
    if (plan.length === 0) return { status: 'answered' };
    state.plan = plan;
    const known = state.reported.get(state.turns);
    if (known) {
      state.reports.push(...known.map((report) => withOutput(state, report)));
      continue;
    }
    state.options.onPlan?.(state.turns, plan);
    const end = await carryOut(state, plan, context);
    if (end) return end;
  }
}

/** The AI's plan: from the log, or requested now. */
async function planOf(state: RunState, turn_context: TurnContext): Promise<{ plan: PlannedEntry[] } | { end: RunEnd }> {
  const { options, session, turns } = state;
  const recorded = state.recorded.get(turns);
  if (recorded) {
    state.asks = recorded.asks;
    state.answer = recorded.answer ?? state.answer;
    return recorded;
  }
  const abilities = [...options.abilities];
  const turn = masked(state, { turn_context, prompt: options.prompt, abilities, results: [...state.reports] });
  const signal = options.signal ?? new AbortController().signal;
  try {
    const { provider } = options;
    const { answer, asks } = await askProvider({
      provider,
      turn,
      turnNumber: turns,
      session,
      asks: state.asks,
      signal,
    });
    state.asks = asks;
    const own = { plan: answer.plan, asks, ...(answer.answer !== undefined && { answer: answer.answer }) };
    const earlier = keepTurn(state, own);
    if (earlier) state.recorded.set(turns, earlier);
    state.answer = (earlier ?? own).answer ?? state.answer;
    return { plan: (earlier ?? own).plan };
  } catch (error) {
    if (signal.aborted) return { end: stoppedBy(signal) };
    if (!(error instanceof AbilityError) || !error.code.startsWith('planner.')) throw error;
    return { end: { status: 'model_failed', problem: masked(state, error.toProblem()) } };
  }
}

/** Runs a plan as far as it is allowed, and adds reports. @returns why the run ends, if it does. */
async function carryOut(state: RunState, plan: PlannedEntry[], context: TurnContext): Promise<RunEnd | undefined> {
  const refused = refusePlan(state, plan, context);
  if (refused.length > 0) return report(state, refused);
  const held = await holdPlan(state, plan, context);
  if (held) return held;
  const dropped = await dropUnnamed(state, plan);
  const failed = await createCalls(state, plan);
  if (failed.length > 0) return report(state, [...dropped, ...failed, ...waitingToRun(state, plan)]);
  const { kind, reports } = await runGraph(state, plan);
  if (kind === 'ended') return report(state, [...dropped, ...reports]);
  state.reports.push(...dropped, ...reports);
  if (kind === 'stopped' && state.options.signal?.aborted) return stoppedBy(state.options.signal);
  return { status: 'waiting_approval' };
}

function report(state: RunState, reports: readonly CallReport[]): undefined {
  state.reports.push(...reports);
  keepReports(state, reports);
}

/** Reports on tasks that exist although others of the plan could not be created. */
function waitingToRun({ made, turns }: RunState, plan: readonly PlannedEntry[]): CallReport[] {
  return plan.flatMap((entry) => {
    const known = made.get(entry.id);
    return known && !known.result ? [statusReport(aboutEntry(turns, entry, known.task_key), 'created')] : [];
  });
}

function exhausted(max: number): RunEnd {
  const message = `The AI was asked for a plan ${max} times, and did not end with an answer`;
  const suggestion = 'Read in `tasks` what was done; allow more turns, or ask for less at once.';
  return { status: 'turns_exhausted', problem: { code: 'planner.turns_exhausted', message, suggestion } };
}

function stoppedBy({ reason }: AbortSignal): RunEnd {
  if (reason instanceof AbilityError && reason.code === 'wait.timeout') {
    return { status: 'timed_out', problem: reason.toProblem() };
  }
  const problem = { code: 'wait.interrupted', message: 'Interrupted; running calls continue' };
  return { status: 'interrupted', problem };
}

/** Cancels created tasks that never ran, and stops the session if the run owns it. Source: R-002-48. */
async function endRun(state: RunState, end: RunEnd): Promise<SessionOutcome> {
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
async function endedRun(state: RunState, { owns_session, ...kept }: KeptEnd): Promise<SessionOutcome> {
  const { connection } = state;
  const known = { ...state, session: kept.session_id, reports: [...state.reported.values()].flat() };
  await readEnded(known);
  const { status } = await showSession(connection, kept.session_id);
  if (owns_session && status === 'open') await stopSession(connection, kept.session_id);
  const reports = known.reports.map((report) => withOutput(known, report));
  return { ...(await outcomeOf({ ...known, reports }, { status: kept.status })), ...kept };
}

/** The present outcome of a run. Source: R-002-68. */
async function outcomeOf(state: RunState, { status, problem, consent }: RunEnd): Promise<SessionOutcome> {
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
function withOutput(state: RunState, kept: CallReport): CallReport {
  const result = kept.id === null ? undefined : state.made.get(kept.id)?.result;
  const isItsEnd = result !== undefined && result.task_key === kept.task_key && result.status === kept.status;
  return isItsEnd ? reportOf(kept, result, (value) => masked(state, value)) : { ...kept, output: null };
}
