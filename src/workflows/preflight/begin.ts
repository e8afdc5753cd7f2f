import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  type ActivityOptions,
  ApplicationFailure,
  type LocalActivityOptions,
  proxyActivities,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { StoredResult } from '../../contracts/stored-result.js';
import type {
  Formed,
  PreflightAnswer,
  PreflightRequest,
  Refusal,
  TaskArguments,
  TaskMemo,
  TaskOptions,
  TaskStart,
} from '../../contracts/task.js';
import { parseDuration } from '../../rules/duration.js';
import { whyNotThisBuild } from '../../rules/plans/child-plan.js';
import { continuedStart, readGiven, startOf, userOf } from '../../rules/tasks/task-arguments.js';
import { unattendedOf } from '../../rules/tasks/task-ids.js';
import { defined } from '../../text/defined.js';
import { notifyOfRefusal } from '../approvals/notices.js';
import { localActivity } from '../calls/local-activities.js';
import { type RefusedIn, readActivityFailure } from '../steps/step-failure.js';

/** What a task begins with, and the queue if it goes on elsewhere; or how it ended before it began. */
export type Begun = { start: TaskStart; queue?: string | undefined } | { ended: StoredResult };

/**
 * The first act of a task: its own preflight, or for a later run and a called task what was handed over. Source:
 * docs/start-from-temporal.md.
 * @throws ApplicationFailure with the code of the refusal; cancellation; {@link NotThisBuild}.
 */
export async function beginTask(args: TaskArguments): Promise<Begun> {
  let options: TaskOptions = {};
  try {
    refuseForeignRuns();
    if (args[2] !== undefined && args[2] !== null) return { start: handedOver(args) };
    const given = readGiven(args);
    options = given.options;
    if (isLate(options)) return { ended: await expiredBefore(options) };
    const answer = await runPreflight(requestOf(given));
    if ('ended' in answer) return answer;
    const start = startOf(given, answer, workflowInfo().workflowId);
    const { ability, project, environment } = start.plan;
    const [module] = ability.modules;
    const status = start.run ? 'running' : 'created';
    show({ status, project, environment: environment.name, module, version: ability.version }, start.options);
    return { start, queue: answer.queue };
  } catch (error) {
    const refusal = await refusalIn(error);
    if (!refusal) throw error;
    showUnformed('unavailable', options, refusal.at);
    await notifyOfRefusal(refusal.problem, refusal.at, options);
    throw unavailable(refusal.problem);
  }
}

const PROJECT = defineSearchAttributeKey('AbilityProject', SearchAttributeType.KEYWORD);
const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);
const ENVIRONMENT = defineSearchAttributeKey('AbilityEnvironment', SearchAttributeType.KEYWORD);
const MODULE = defineSearchAttributeKey('AbilityModule', SearchAttributeType.KEYWORD);
const SESSION = defineSearchAttributeKey('AbilitySession', SearchAttributeType.KEYWORD);

function requestOf(given: Pick<PreflightRequest, 'input' | 'options'>): PreflightRequest {
  const { firstExecutionRunId, startTime, typedSearchAttributes } = workflowInfo();
  const project = typedSearchAttributes.get(PROJECT);
  return {
    ...given,
    first: firstExecutionRunId,
    created_at: startTime.toISOString(),
    moment: Date.now(),
    ...(project !== undefined && { project }),
    ...(isFromOutside() && { outside: true as const }),
    ...(workflowInfo().memo?.again === true && { again: true as const }),
  };
}

/** Whether no client of ours started it, which would have set the memo. */
function isFromOutside(): boolean {
  return workflowInfo().memo?.ability === undefined;
}

/**
 * While a release replaces another, workers of both poll a queue. Fails the workflow task, not the task: one of the release that
 * planned it takes it up. Callers get the code.
 */
export class NotThisBuild extends Error {
  constructor(message: string) {
    // Of an error that fails a workflow task, Temporal keeps the message only.
    super(`engine.unsupported: ${message}`);
  }
}

/**
 * Temporal itself would start the next run of such a workflow, with arguments that look like ours, or end it without
 * its clean-up. @throws AbilityError `usage.invalid`.
 */
function refuseForeignRuns(): void {
  const info = workflowInfo();
  const own = [
    info.cronSchedule ? 'cron schedule (use a schedule)' : undefined,
    info.retryPolicy ? 'retry policy (steps have their own)' : undefined,
    isLimit(info.executionTimeoutMs) ? 'execution timeout (set `timeout` in the definition)' : undefined,
    isLimit(info.runTimeoutMs) ? 'run timeout (set `timeout` in the definition)' : undefined,
  ].filter(Boolean);
  if (own.length === 0) return;
  const message = `A task has no ${own.join(' and no ')} of its own`;
  const suggestion = 'Start it without; see docs/start-from-temporal.md.';
  throw new AbilityError({ code: 'usage.invalid', message, suggestion });
}

/** The time-skipping server gives every workflow ten years. */
const YEAR_MS = 365 * 86_400_000;

function isLimit(timeoutMs: number | undefined): boolean {
  return timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < YEAR_MS;
}

/** Activities check the seal. @throws AbilityError `seal.invalid`. */
function handedOver(args: TaskArguments): TaskStart {
  const { workflowId, continuedFromExecutionRunId: before, parent } = workflowInfo();
  const start = continuedStart(args, workflowId);
  if (!start) throw invalid('The third argument of a task is only what one of its runs hands over');
  const isNext = before !== undefined;
  const claimsRun = Boolean(start.carried ?? start.changed ?? start.created_at);
  if (start.child && (!parent || start.changed))
    throw invalid('The task claims that another task called it, but none did');
  if (!start.child && !isNext) throw invalid('The task claims to continue an earlier run, but there was none');
  // The progress of an earlier run is trusted only if there was one.
  if (claimsRun && !isNext) throw invalid('The task claims to continue an earlier run, but there was none');
  if (start.child && start.progress && !start.carried) {
    throw invalid('A task that another one calls cannot start from earlier progress');
  }
  if (start.child && !Object.hasOwn(start.plan.workflows ?? {}, start.child.ability)) {
    throw invalid('The task claims to be called by one whose plan does not call it');
  }
  const other = whyNotThisBuild(start.plan);
  // It has clean-up to do, so the workflow task fails until a worker of its build takes it up.
  if (other !== undefined) throw new NotThisBuild(other);
  return start;
}

function invalid(message: string): AbilityError {
  return new AbilityError({ code: 'seal.invalid', message, suggestion: 'Start the ability with its input alone.' });
}

/** Whether its caller has learnt meanwhile that no worker takes it up. Both times are the server's. */
function isLate({ start_by }: TaskOptions): boolean {
  if (start_by === undefined) return false;
  const at = Date.parse(start_by);
  const limit = Number.isNaN(at) ? workflowInfo().startTime.getTime() + durationOf(start_by) : at;
  return Date.now() > limit;
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    const message = `The option \`start_by\` is a time or a duration, such as 60s, not ${JSON.stringify(text.slice(0, 50))}`;
    throw new AbilityError({ code: 'usage.invalid', message });
  }
}

async function expiredBefore(options: TaskOptions): Promise<StoredResult> {
  const error = { code: 'task.expired', message: 'No worker took it up within the time that its start named' };
  showUnformed('expired', options, await placeOf(error));
  return { status: 'expired', output: null, error, steps: [] };
}

async function refusalIn(error: unknown): Promise<ReturnType<typeof readRefusal>> {
  const refusal = error instanceof AbilityError ? { problem: error.toProblem(), at: undefined } : readRefusal(error);
  return refusal && { ...refusal, at: refusal.at ?? (await placeOf(refusal.problem)) };
}

/** The project and environment of a start that does not name them, and who is notified: its worker knows. */
async function placeOf(refused: Problem): Promise<RefusedIn | undefined> {
  const { typedSearchAttributes, workflowId } = workflowInfo();
  const isWaitedFor = Object.keys(unattendedOf(workflowId)).length === 0;
  if (isWaitedFor && typedSearchAttributes.get(PROJECT) !== undefined) return undefined;
  try {
    await runPreflight({ ...requestOf({ input: {}, options: {} }), refused });
    return undefined;
  } catch (error) {
    return readRefusal(error)?.at;
  }
}

/** Shows the end in lists; the key is free again. */
function showUnformed(status: string, options: TaskOptions, at: RefusedIn | undefined): void {
  show({ status, project: at?.project, environment: at?.environment, module: undefined }, options);
}

interface Shown {
  status: string;
  project: string | undefined;
  environment: string | undefined;
  module: string | undefined;
  version?: number | string;
}

/** Attributes and memo that the client did not set, or set otherwise; each of both is an event. */
function show({ status, project, environment, module, version }: Shown, options: TaskOptions): void {
  const { typedSearchAttributes: attributes, workflowType } = workflowInfo();
  const wanted = [
    [STATUS, status],
    [PROJECT, project],
    [ENVIRONMENT, environment],
    [MODULE, module],
    [SESSION, options.session],
  ] as const;
  const changed = wanted.flatMap(([key, value]) =>
    value === undefined || attributes.get(key) === value ? [] : [{ key, value }],
  );
  if (changed.length > 0) upsertSearchAttributes(changed);
  if (!isFromOutside()) return;
  // As our clients set it at the start.
  const { retry, intent, trace, handle } = options;
  const { name: requested_by, agent } = userOf(options);
  const known = { ability: workflowType, environment: environment ?? '', requested_by };
  const memo: TaskMemo = { ...known, ...defined({ version, agent, retry_of: retry?.task, intent, trace, handle }) };
  upsertMemo({ ...memo });
}

/** Definitions, credentials and MCP servers answer within this, or the request is refused. */
const LIMIT = '55s';

const LOCAL: LocalActivityOptions = { scheduleToCloseTimeout: LIMIT, retry: { maximumAttempts: 2 } };

const DEDICATED: ActivityOptions = {
  scheduleToStartTimeout: ACTIVITY_LIMITS.schedule_to_start,
  scheduleToCloseTimeout: '3m',
  startToCloseTimeout: LIMIT,
  // Detects a killed worker by its missing heartbeats.
  heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
  retry: { initialInterval: '200ms', maximumAttempts: 5 },
  summary: 'hooks before creation',
};

/** One event of the history; with hooks that are scripts or abilities, an activity of their phase besides. */
export async function runPreflight(request: PreflightRequest): Promise<Exclude<PreflightAnswer, { dedicated: true }>> {
  const answer = await localActivity<PreflightRequest, PreflightAnswer>(ACTIVITIES.preflight, LOCAL)(request);
  if (!('dedicated' in answer)) return answer;
  const { PreAbilityCreate: ask } = proxyActivities<{ PreAbilityCreate(): Promise<Formed> }>(DEDICATED);
  return ask();
}

/** Why preflight refused, and where; undefined for a cancellation and for errors that are none of ours. */
export function readRefusal(error: unknown): { problem: Problem; at: RefusedIn | undefined } | undefined {
  const end = readActivityFailure(error);
  if (end.kind === 'other') return undefined;
  if (end.kind === 'timeout') {
    const message = `The preflight did not end in time (${end.type}); nothing was run`;
    const suggestion = 'Start it again; `ability doctor` checks the workers.';
    return { problem: { code: 'worker.unavailable', message, suggestion }, at: undefined };
  }
  return { problem: end.problem, at: end.refusedIn };
}

/** The failure with which a task ends that could not be formed. Source: R-000-71 to R-000-73. */
export function unavailable({ code, message, suggestion, details, location }: Problem): ApplicationFailure {
  const refusal: Refusal = {
    status: 'unavailable',
    code,
    reason: message,
    suggestion: suggestion ?? null,
    ...defined({ details, location }),
  };
  const failure = ApplicationFailure.create({
    type: code,
    message: `${code}: ${message}`.slice(0, 2000),
    nonRetryable: true,
    details: [refusal],
  });
  failure.stack = '';
  return failure;
}
