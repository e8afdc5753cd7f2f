import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Connection, runSession } from '../../../client/index.js';
import type { ConsentQuestion, SessionOutcome } from '../../../contracts/agent-runtime.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { AgentRequest } from '../../../definitions/formats/agent-request.js';
import { startTimer } from '../../../server/start-timer.js';
import { type BegunAgent, beginAgent, readAgentRequest } from '../../answers/begin-agent.js';
import { agreeAtTerminal, Cancelled } from '../input/ask.js';
import { refuseAgents } from '../input/read-caller.js';
import { Announcer } from '../output/live/announcer.js';
import { exitOfOutcome, noteWayOn, planLine, renderOutcome } from '../output/render-agent.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, currentUser, environmentOf, openRegistry } from '../program/context.js';
import { connectedInTime, type Deadline } from './following/deadline.js';
import { readPatience } from './following/follow-task.js';
import { interruption } from './following/interruption.js';
import { notingStalls } from './run.js';
import { type Strict, strictly } from './task/review-definitions.js';

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
    run: flags.key,
    session: env.ABILITY_SESSION || undefined,
  });
  const options = { ...begun.options, ...(maxTurns !== undefined && { maxTurns }), approvalMs: patience.approvalMs };
  const strict = strictly(named, registry);
  return connectedInTime(named, registry, patience, 'Nothing was run', (connection, deadline) =>
    follow({ context: named, connection, flags, deadline }, { ...begun, options }, strict),
  );
}

interface Following {
  context: Context;
  connection: Connection;
  flags: Flags;
  deadline: Deadline;
}

async function follow(
  { context, connection, flags, deadline }: Following,
  { options, ...begun }: BegunAgent,
  strict: Strict,
): Promise<ExitCode> {
  const { terminal } = context;
  const interrupted = interruption(context);
  const stop = new AbortController();
  const rest = deadline.stopAndReadRest();
  const cutOff = (): void => stop.abort(waitError('wait.timeout', `It has not ended within ${flags.timeout ?? '15m'}`));
  const leave = (): void => stop.abort(waitError('wait.interrupted', 'Interrupted'));
  const stopTimer = startTimer(rest ?? Number.POSITIVE_INFINITY, cutOff);
  interrupted.signal.addEventListener('abort', leave);
  const announcers = new Map<string, Announcer>();
  let left = false;
  try {
    const outcome = await runSession(connection, {
      ...options,
      signal: stop.signal,
      onStall: notingStalls(context, deadline),
      strict,
      onPlan: (turn, plan) => context.flags.json || terminal.note(planLine(turn, plan)),
      onProgress(_, result) {
        const key = result.task_key;
        if (key === null || result.status === 'created') return;
        const announcer = announcers.get(key) ?? new Announcer(context, key);
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
    interrupted.done();
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
    throw new AbilityError({ code: 'usage.invalid', message, suggestion }, { cause: error });
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
