import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Connection, runSession, viewTask } from '../../../client/index.js';
import type {
  CallReport,
  ConsentQuestion,
  PlannedEntry,
  SessionEndStatus,
  SessionOutcome,
} from '../../../contracts/agent-runtime.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { END_STATES, EXIT, EXIT_OF_STATE, type ExitCode } from '../../../contracts/states.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { AgentRequest } from '../../../definitions/formats/agent-request.js';
import { type BegunAgent, beginAgent, readAgentRequest } from '../../../operations/begin-agent.js';
import { currentUser, refuseAgents } from '../../../operations/read-caller.js';
import { oneLine } from '../../../rules/shown-text.js';
import { startTimer } from '../../../server/start-timer.js';
import { asTyped, commandOf } from '../../../shown/typed-command.js';
import { agreeAtTerminal, Cancelled } from '../input/ask.js';
import { noteWarnings } from '../output/describe-problem.js';
import { Announcer, decisionLines, pageLine } from '../output/live/announcer.js';
import { plainText } from '../output/plain-text.js';
import { exitOf } from '../output/report.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, environmentOf, openRegistry } from '../program/context.js';
import { type Deadline, projectInTime } from './following/deadline.js';
import { readPatience } from './following/follow-task.js';
import { withInterruption } from './following/interruption.js';
import { notingStalls } from './run.js';
import { strictly } from './task/review-definitions.js';

type Flags = ChoosingFlags['agent'];

/**
 * `ability agent --request FILE`: an AI plans calls, each of which is created, guarded and run as any other task.
 * Source: R-002-50 to R-002-55, R-002-68; docs/agent-abilities.md.
 */
export async function run(context: Context, _: [], flags: Flags): Promise<ExitCode> {
  const patience = readPatience(context.terminal.isLive, flags);
  const maxTurns = readTurns(flags.maxTurns);
  // Agents decide nothing, so they cannot agree beforehand.
  if (flags.agree !== undefined) refuseAgents(context);
  const request = readRequest(context, flags.request);
  const registry = await openRegistry(context);
  const { env, cwd } = context;
  const named = environmentNamed(context, request);
  const begun = await beginAgent({
    request,
    registry,
    environment: await environmentOf(named, registry),
    scope: findScope(registry.root, cwd, request.scope, env),
    user: request.user_id === undefined ? currentUser(env) : { name: request.user_id, source: 'claimed' },
    env,
    note: (text) => context.terminal.note(text),
    run: flags.key,
    session: env.ABILITY_SESSION || undefined,
  });
  const options = { ...begun.options, ...(maxTurns !== undefined && { maxTurns }), approvalMs: patience.approvalMs };
  const strict = strictly(named, registry);
  return projectInTime(named, patience, 'Nothing was run', (project, deadline) =>
    project.here((connection) =>
      withInterruption(named, (interrupted) =>
        follow(named, connection, { ...begun, options: { ...options, strict } }, flags, deadline, interrupted),
      ),
    ),
  );
}

async function follow(
  context: Context,
  connection: Connection,
  { options, ...begun }: BegunAgent,
  flags: Flags,
  deadline: Deadline,
  interrupted: AbortSignal,
): Promise<ExitCode> {
  const { terminal } = context;
  const stop = new AbortController();
  const rest = deadline.stopAndReadRest();
  const cutOff = (): void => stop.abort(waitError('wait.timeout', `It has not ended within ${flags.timeout ?? '15m'}`));
  const leave = (): void => stop.abort(waitError('wait.interrupted', 'Interrupted'));
  const stopTimer = startTimer(rest ?? Number.POSITIVE_INFINITY, cutOff);
  interrupted.addEventListener('abort', leave);
  const project = { isOwnRuntime: () => connection.isOwnRuntime };
  const announcers = new Map<string, Announcer>();
  let left = false;
  try {
    const outcome = await runSession(connection, {
      ...options,
      signal: stop.signal,
      onStall: notingStalls(context, deadline),
      onPlan: (turn, plan) => context.flags.json || terminal.note(planLine(turn, plan)),
      onProgress(_, result) {
        const key = result.task_key;
        if (key === null || result.status === 'created') return;
        const announcer = announcers.get(key) ?? new Announcer(context, key, project);
        announcers.set(key, announcer);
        announcer.announce(result);
      },
      agree: (question) =>
        agree(context, flags, question).catch((error: unknown) => {
          if (!(error instanceof Cancelled)) throw error;
          left = true;
          return undefined;
        }),
    });
    report(context, outcome, begun);
    await noteWayOn(context, connection, outcome, flags.request);
    return left ? EXIT.interrupted : exitOfOutcome(outcome);
  } finally {
    stopTimer();
  }
}

/** `--yes` does not count here: it answers questions of the command, while this one comes from hooks. */
async function agree(
  context: Context,
  { agree: given }: Flags,
  question: ConsentQuestion,
): Promise<boolean | undefined> {
  if (given === question.reference) return true;
  if (given !== undefined)
    context.terminal.note('The plan that --agree names is not what would run now, so --agree is ignored.');
  return agreeAtTerminal(context, question);
}

const NOT_RUN: ReadonlySet<string> = new Set(['created', 'unavailable', 'refused', 'skipped']);

function report({ flags, terminal }: Context, outcome: SessionOutcome, { metaOf }: Omit<BegunAgent, 'options'>): void {
  if (!flags.json) {
    terminal.print(renderOutcome(outcome));
    return;
  }
  const { session_id, turn_context, plan, tasks, hook_results, answer, ...rest } = outcome;
  const first = { session_id, turn_context, plan, tasks, hook_results, answer };
  const ran = tasks.filter(({ status }) => !NOT_RUN.has(status)).flatMap(({ ability_id }) => ability_id ?? []);
  terminal.printJson({ ...first, ...rest, _meta: metaOf(ran) });
}

function readRequest({ terminal, cwd }: Context, file: string): AgentRequest {
  if (file === '-') return readAgentRequest('<stdin>', terminal.readInput());
  try {
    return readAgentRequest(file, readFileSync(resolve(cwd, file), 'utf8'));
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const message = `The request ${file} cannot be read: ${reasonOf(error)}`;
    const suggestion = 'Name a file of JSON or YAML, or - for stdin; `ability agent --help` has an example.';
    throw usageError(message, suggestion, error);
  }
}

function environmentNamed(context: Context, { environment }: AgentRequest): Context {
  const { env } = context.flags;
  if (environment === undefined || env === environment) return context;
  if (env === undefined) return { ...context, flags: { ...context.flags, env: environment } };
  throw usageError(`The request is for ${environment}, and --env is ${env}`, 'Leave out one of the two.');
}

function readTurns(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  const message = `--max-turns ${given} is no number from 1 to 999`;
  throw usageError(message, 'Use a whole number, such as 10.');
}

function waitError(code: string, message: string): AbilityError {
  return new AbilityError({
    code,
    message: `${message}; running tasks continue`,
    suggestion: 'Repeat the request with the same --key to continue.',
  });
}

function planLine(turn: number, plan: readonly PlannedEntry[]): string {
  const calls = plan.map(({ id, ability_id, after = [] }) => {
    return `  ${id}  ${oneLine(ability_id)}${after.length > 0 ? `  after ${after.join(', ')}` : ''}`;
  });
  return [`plan ${turn}`, ...calls].join('\n');
}

const WORDS: Record<SessionEndStatus, string> = {
  answered: 'done',
  waiting_approval: 'waiting for approval',
  needs_consent: 'not started: the requester has to agree',
  declined: 'not started: the requester did not agree',
  model_failed: 'ended: no plan from the AI',
  turns_exhausted: 'ended: as many plans as allowed',
  interrupted: 'interrupted',
  timed_out: 'not ended in time',
};

function renderOutcome({ status, tasks, answer, problem }: SessionOutcome): string {
  return [
    WORDS[status],
    ...tasks.flatMap(taskLines),
    ...(problem ? [`${problem.code}: ${plainText(problem.message)}`] : []),
    ...(answer === null ? [] : [plainText(answer)]),
  ].join('\n');
}

function taskLines({ id, ability_id, status, task_key, error }: CallReport): string[] {
  const key = task_key === null ? '' : `  ${task_key}`;
  const why = error ? [`${error.code}: ${error.reason}`, ...(error.suggestion ? [error.suggestion] : [])] : [];
  return [
    `  ${id}  ${status}  ${oneLine(ability_id ?? '')}${key}`,
    ...why.map((line) => `    ${plainText(line, '      ')}`),
  ];
}

/** The command's exit code; if the AI itself ended the run, that of its last plan with calls. */
function exitOfOutcome(outcome: SessionOutcome): ExitCode {
  const { status, problem, plan, tasks } = outcome;
  if (status === 'waiting_approval' || status === 'needs_consent') return EXIT.waiting;
  if (status === 'interrupted') return EXIT.interrupted;
  if (status !== 'answered') return problem ? exitOf(problem) : EXIT.failed;
  const last = plan.map(({ id }) => tasks.find((task) => task.id === id));
  const failed = last.filter((task) => task?.status !== 'succeeded');
  const [decisive] = [...failed.filter((task) => task && !FOLLOWS.has(task.status)), ...failed];
  return failed.length === 0 ? EXIT.ok : exitOfCall(decisive);
}

/** Statuses that follow from other calls that did not succeed. */
const FOLLOWS: ReadonlySet<string> = new Set(['created', 'cancelled', 'skipped']);

function exitOfCall(task: CallReport | undefined): ExitCode {
  const state = END_STATES.find((one) => one === task?.status);
  if (state) return EXIT_OF_STATE[state];
  if (task?.error?.code === 'guard.denied') return EXIT.denied;
  return task?.status === 'unavailable' ? EXIT.unavailable : EXIT.failed;
}

/** How a waiting run continues: what people must decide, and the command that continues it. For stderr. */
async function noteWayOn(
  context: Context,
  connection: Connection,
  { status, run, tasks, consent }: SessionOutcome,
  file: string,
): Promise<void> {
  const { terminal } = context;
  const again = ['ability', 'agent', '--request', file, '--key', run];
  for (const { task_key } of tasks.filter((task) => task.status === 'waiting_approval')) {
    if (task_key === null) continue;
    const { result } = await viewTask(connection, task_key);
    const open = result.approvals.filter((approval) => approval.status === 'open');
    for (const approval of open) for (const line of decisionLines(context, task_key, approval)) terminal.note(line);
    for (const line of pageLine(context, connection.isOwnRuntime, task_key, result.links)) terminal.note(line);
  }
  if (consent) {
    noteWarnings(context, { warnings: consent.risks });
    const agreed = asTyped(commandOf(...again, '--agree', consent.reference), context);
    terminal.note(`To agree, the requester types:  ${agreed}`);
  } else if (['waiting_approval', 'interrupted', 'timed_out'].includes(status)) {
    terminal.note(`Go on:  ${asTyped(commandOf(...again), context)}`);
  }
}
