import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Connection,
  type CreatedTask,
  createTask,
  type NewTask,
  noteInSession,
  promptSession,
  readThread,
  readWayToRetry,
  retryTask,
  signalTask,
  startSession,
  stopSession,
} from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Pending } from '../../contracts/routing.js';
import type { TurnContext } from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { wantedPlan } from '../../rules/plans/plan-digest.js';
import { RUN_FILES } from '../../server/logs/run-log.js';
import { pathsOf } from '../../server/project-paths.js';
import { defined } from '../../text/defined.js';
import { noteGap } from '../gaps.js';
import type { AskAnswer, Considered, WantedSignal } from './ask-shapes.js';
import { endWords, optionsOf, pendingOf } from './ask-words.js';
import { answerOf, type BegunAsk, hasEnded, keptOf } from './begin-ask.js';
import { consider, type RequestThread } from './consider.js';
import { pendingIn, signalsPending } from './waiting-signals.js';

/** Settings of a new task that do not come from the request, and the session of {@link AskPlace}. */
export type AskOptions = Pick<NewTask, 'onStall' | 'registry' | 'review' | 'signal'> & {
  trace: string | null;
  session: string | undefined;
};

/** A request that was acted on; {@link endAsk} completes its answer. */
export interface ActedAsk {
  answer: AskAnswer;
  session: string;
  ownsSession: boolean;
  pending: Pending | null;
  /** The task that was created or found; undefined if nothing runs. */
  created: CreatedTask | undefined;
}

/**
 * Sends a request to a session, whose hooks give hints, decides, and runs the chosen ability. Logs each step in
 * the run before the next one begins. Source: C-23, C-47. @throws AbilityError refusals of sessions and tasks.
 */
export async function actOnRequest(connection: Connection, begun: BegunAsk, options: AskOptions): Promise<ActedAsk> {
  const { id, request, log, recruited, recorded, isNew } = begun;
  const { registry, environment, scope, user, text, env } = request;
  const given = options.session;
  // What a request opened, and not a person, ends with the last answer. A repeated run finds its own session again.
  const ownsSession = given === undefined || existsSync(join(pathsOf(registry.root).runs, given, RUN_FILES.log));
  const session = given ?? (await startSession(connection, { id, environment, scope, user })).session_id;
  const { turn, ...said } = await say(connection, session, begun);
  const thread = ownsSession ? said : { ...said, pending: await pendingIn(connection, text, said) };
  const inTime = { ...request, ...defined({ signal: options.signal }) };
  const resolved = withinGuards(await consider(inTime, thread, recruited, recorded), turn);
  const { decision, plan, outcome, pending, signals, abstained } = resolved;
  const [call] = plan;
  if (!recorded) log.append('decision', null, begun.mask(decision));
  for (const { ability_id, effects, reference, approvals } of plan)
    log.append('plan', null, { ability_id, effects, reference, approvals });
  const { continuation } = decision;
  if (outcome === 'runs' && continuation?.value === true && continuation.pending.plan !== undefined)
    log.append('approval', null, { by: user.name, agreed: true, plan: call?.reference ?? null });
  const created = outcome === 'runs' ? await runPlanned(connection, begun, resolved, session, options) : undefined;
  const sent = signals && { answer: await sendChosen(connection, begun, signals) };
  if (abstained && isNew) {
    const near = resolved.nearest.length > 0 ? resolved.nearest : resolved.suggestions.map((one) => one.id);
    const kind = resolved.problem ? 'not_here' : 'nothing_fits';
    noteGap(registry, env, { request: text, kind, door: 'ask', environment, scope, nearest: near });
  }
  const ability_id = call?.ability_id ?? Object.values(decision.target ?? {}).join('.');
  if (created) log.append('task', null, { task_key: created.id, ability_id });
  const tasks = created ? [{ task_key: created.id, ability_id, status: 'created' }] : [];
  const shown = answerOf(request, recruited, resolved, ability_id === '' ? [] : [ability_id]);
  const answer = { run: id, session_id: session, turn_context: turn, tasks, ...shown, ...sent };
  return { answer, session, ownsSession, pending, created };
}

/** Sends the message once: a repeated run, whose first answer was lost, does not send it again. */
async function say(
  connection: Connection,
  key: string,
  { request: { text, user }, isNew }: BegunAsk,
): Promise<RequestThread & { turn: TurnContext | null }> {
  const before = isNew ? undefined : await readThread(connection, key);
  const last = before?.messages.at(-1);
  if (before && last?.role === 'user' && last.text === text) return { ...before, key, turn: null };
  const turn = await promptSession(connection, key, text, user);
  return { ...(await readThread(connection, key)), key, turn };
}

/** Drops a call that a hook of this prompt denies; earlier denials do not count. Source: R-002-38; C-11. */
function withinGuards(resolved: Considered, turn: TurnContext | null): Considered {
  const [call] = resolved.plan;
  const guards = turn?.hook_signals.ability_guards ?? [];
  const denied = guards.find(({ ability_id, decision, source }) => {
    const isAbout = ability_id === '*' || ability_id === call?.ability_id;
    return decision === 'deny' && source.startsWith('PromptSubmit.') && isAbout;
  });
  if (!call || !denied) return resolved;
  const { reason: answer, suggestion, source } = denied;
  const problem = { code: 'guard.denied', message: `${answer} (${source})`, ...defined({ suggestion }) };
  return { ...resolved, question: null, options: [], pending: null, outcome: 'unavailable', answer, problem };
}

async function runPlanned(
  connection: Connection,
  { id, request }: BegunAsk,
  { plan: [call], retries }: Considered,
  session: string,
  { trace, session: _, ...options }: AskOptions,
): Promise<CreatedTask> {
  const { environment, scope, user, caller = null, text } = request;
  const common = { ...options, run: true };
  const who = { person: user, kind: caller, session, scope, trace };
  if (retries !== null) return retryTask(connection, retries, { ...common, ...who });
  if (!call) throw new AbilityError({ code: 'internal.error', message: 'There is no call to run' });
  return createTask(connection, {
    ...common,
    ability: call.ability_id,
    environment,
    input: call.input,
    plan: wantedPlan(call.reference),
    inRun: id,
    // A repeated run finds its task by it.
    key: id.length <= 60 ? `${id}.t1` : `${id.slice(0, 40)}-${digestOf(id).slice(0, 16)}.t1`,
    caller: { ...who, intent: text.trim().replaceAll(/\s+/g, ' ').slice(0, 1000) },
  });
}

/** Sends a signal at most once: an interrupted run may have sent it already. @returns the answer. */
async function sendChosen(
  connection: Connection,
  { log }: BegunAsk,
  { task_key, signal }: WantedSignal,
): Promise<string> {
  const isBegun = log.read().some(({ kind, payload }) => kind === 'task' && payload.signal === signal);
  if (isBegun) {
    return `${signal} was sent to ${task_key} before, unless the command was cut off: \`ability task show ${task_key}\` shows whether it still waits.`;
  }
  log.append('task', null, { task_key, signal });
  await signalTask(connection, task_key, signal, null);
  return `${task_key} was sent ${signal}.`;
}

/**
 * Records the outcome in session and log, may offer to retry a failed task, and ends a session of its own if
 * nothing waits. @param result of the task, as far as it was waited for.
 */
export async function endAsk(
  connection: Connection,
  begun: BegunAsk,
  acted: ActedAsk,
  result?: TaskResult,
): Promise<AskAnswer> {
  const { session, ownsSession } = acted;
  const offered = result && (await offerRetry(connection, acted, result));
  const open = result && isEndState(result.status) ? undefined : acted.created;
  // They may not be readable now.
  const waits = open ? await signalsPending(connection, session, open.id).catch(() => null) : null;
  const pending = offered ?? waits ?? acted.pending;
  const words = result ? endWords(result, offered !== undefined, optionsOf(waits)) : acted.answer.answer;
  const [task] = acted.answer.tasks;
  const tasks = task && result ? [{ ...task, status: result.status }] : acted.answer.tasks;
  const answer = { ...acted.answer, answer: words, tasks };
  const note = { messages: [{ role: 'assistant', text: begun.mask(words) } as const], pending };
  await unlessEnded(noteInSession(connection, session, note));
  begun.log.append('answer', null, begun.mask(keptOf(answer)));
  if (ownsSession && pending === null) await unlessEnded(stopSession(connection, session));
  return answer;
}

/** Ignores that the session has ended. */
async function unlessEnded(act: Promise<unknown>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!hasEnded(error)) throw error;
  });
}

/** Offers to retry a failed call, if that is possible. Source: docs/choosing.md#deciding. */
async function offerRetry(
  connection: Connection,
  { answer, session }: ActedAsk,
  result: TaskResult,
): Promise<Pending | undefined> {
  const { target } = answer.decision;
  if (!isEndState(result.status) || !target || !('extensionId' in target) || result.task_key === null) return undefined;
  if (!(await readWayToRetry(connection, result))) return undefined;
  return pendingOf({ key: session }, { kind: 'tool_retry', expects: target, task_key: result.task_key });
}
