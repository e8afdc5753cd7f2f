import type { AgentGrant } from '../../contracts/agent.js';
import type { Caller } from '../../contracts/callers.js';
import type { ItemFailure } from '../../contracts/loops.js';
import type { Plan, PlanAgent, PlanHooks, PlanOperation } from '../../contracts/plan.js';
import type { TaskRecord } from '../../contracts/record.js';
import { isEndState, isStepEnd } from '../../contracts/states.js';
import type {
  FailureStory,
  StepStory,
  StoryAgent,
  StoryOperation,
  StoryResolution,
  TaskStory,
} from '../../contracts/story.js';
import type { StepSummary, TaskResult, TaskStart } from '../../contracts/task.js';
import { kindOf } from '../../kinds/kinds.js';
import { limitsWithin } from '../../rules/agents.js';
import { hooksOf } from '../../rules/hooks/handlers.js';
import { findStep } from '../../rules/steps/step-tree.js';
import { callerOf } from '../../rules/tasks/persons.js';
import { wayToRetry } from '../../rules/tasks/ways-to-retry.js';
import { clockWords } from '../../server/temporal/clock-ahead.js';
import { defined } from '../../text/defined.js';
import type { SeenTask } from '../view/view-task.js';
import { buildAttempts } from './build-attempts.js';
import type { SeenCall } from './read-calls.js';
import type { TaskHistory } from './read-history.js';
import { stepsOfCalls } from './steps-of-calls.js';

export interface StorySources {
  seen: SeenTask;
  /** Undefined if Temporal no longer has the task. */
  history: TaskHistory | undefined;
  /** Undefined if this machine has no record of it. */
  record: TaskRecord | undefined;
  /** Attempt number to its last log line, for the call at a step path. */
  lastOutput: (path: string) => ReadonlyMap<number, string>;
  /** Step path to the version of the MCP protocol. */
  protocols: (isWanted: (path: string) => boolean) => ReadonlyMap<string, string>;
}

type Origin = Pick<TaskStart, 'plan' | 'input' | 'session'> & {
  digest: string;
  caller?: Caller | undefined;
  grant?: AgentGrant;
};

export function buildStory(sources: StorySources): TaskStory {
  const { seen, history, record } = sources;
  const { result, view } = seen;
  const origin = originOf(sources);
  const ability = origin?.plan.ability;
  return {
    task_key: result.task_key,
    ...(result.project !== undefined && { project: result.project }),
    status: result.status,
    source: seen.source,
    gaps: gapsOf(sources, origin),
    definition: {
      id: result.ability_id,
      version: result.version,
      summary: ability?.summary ?? view?.summary ?? null,
      kind: ability?.kind ?? null,
    },
    resolution: origin ? resolutionOf(origin) : null,
    environment: result.environment,
    requested_by: result.requested_by,
    session: origin?.session ?? null,
    caller: result.caller ?? origin?.caller ?? null,
    intent: result.intent ?? record?.intent ?? null,
    input: origin?.input ?? view?.input ?? history?.given?.input ?? null,
    ...changesOf(result.changes ? result : record),
    created_at: view?.created_at ?? record?.created_at ?? history?.created_at ?? null,
    started_at: result.started_at,
    finished_at: result.finished_at,
    hooks: result.hooks,
    approvals: result.approvals,
    ...defined({ concurrency: result.concurrency, files: result.files, agent: result.agent }),
    steps: withProtocols(
      stepsOf(sources).map((step) => stepStory(step, sources, origin?.plan)),
      sources,
      origin?.plan,
    ),
    warnings: [...result.warnings, ...clockWarnings(history)],
    output: result.output,
    error: result.error,
    cleanup_ran: result.cleanup_ran,
    ...defined({ rolled_back: result.rolled_back, not_undone: result.not_undone }),
    retry: retryOf(sources, origin?.plan),
    links: result.links,
  };
}

function clockWarnings(history: TaskHistory | undefined): string[] {
  const words = clockWords('The clock of its worker', history?.clock_ahead);
  return words === undefined ? [] : [`${words.replace(' is ', ' was ')}. \`ability doctor\` compares the clocks.`];
}

/** Null if Temporal no longer has the task, or it belongs to another project: a retry needs both. */
function retryOf({ seen: { result, source } }: StorySources, plan: Plan | undefined): TaskStory['retry'] {
  const { task_key: task, status, error, project } = result;
  if (task === null || source === 'record' || project !== undefined) return null;
  return wayToRetry({ task, status, plan, error }) ?? null;
}

function changesOf(
  source: Pick<TaskResult, 'changes' | 'changes_left'> = {},
): Pick<TaskStory, 'changes' | 'changes_left'> {
  const { changes = [], changes_left } = source;
  return { changes, ...(changes_left !== undefined && { changes_left }) };
}

function originOf({ history, record }: StorySources): Origin | undefined {
  const start = history?.start;
  if (start)
    return {
      plan: start.plan,
      input: start.input,
      session: start.session,
      caller: callerOf(start),
      digest: start.seal.plan,
      ...(start.child?.agent && { grant: start.child.agent }),
    };
  return record && { ...record, digest: record.plan_digest };
}

/** The plan's abilities for the agent, limited to those that its caller granted. Source: R-003-17. */
function agentStory({ model, limits, tools }: PlanAgent, grant: AgentGrant | undefined): StoryAgent {
  const own = tools.map(({ ability }) => ability);
  const given = grant?.operations;
  return {
    model,
    limits: limitsWithin(limits, grant, {}),
    tools: given ? own.filter((id) => given.includes(id)) : own,
    ...(grant?.digest !== undefined && { grant: grant.digest }),
  };
}

function resolutionOf({ plan, digest, grant }: Origin): StoryResolution {
  return {
    digest,
    placement: plan.placement,
    protected: plan.environment.protected,
    operations: Object.values(plan.operations).map(operationStory),
    hooks: namesOf(plan.ability.hooks),
    ...(plan.concurrency && { concurrency: plan.concurrency }),
    ...(plan.agent && { agent: agentStory(plan.agent, grant) }),
  };
}

function operationStory({ key, version, effects, implementation, hooks, unknown }: PlanOperation): StoryOperation {
  return {
    key,
    version,
    effects,
    implementation: implementation.id,
    kind: implementation.kind,
    runs: kindOf(implementation).describe(implementation),
    tags: implementation.tags,
    hooks: namesOf(hooks),
    ...(unknown && { asks: unknown.call }),
  };
}

function namesOf(hooks: PlanHooks): string[] {
  return [...new Set(hooksOf(hooks).map(({ id }) => id))];
}

/** Reads logs only if there are MCP calls: no other calls have a protocol version. */
function withProtocols(steps: StepStory[], { protocols }: StorySources, plan: Plan | undefined): StepStory[] {
  const isTool = ({ call }: StepStory): boolean => {
    return call !== null && plan?.operations[call]?.implementation.kind === 'mcp';
  };
  const tools = new Set(steps.filter(isTool).map(({ path }) => path));
  if (tools.size === 0) return steps;
  const spoken = protocols((path) => tools.has(path));
  return steps.map((step) => {
    const protocol = spoken.get(step.path);
    return protocol === undefined ? step : { ...step, protocol };
  });
}

/** Steps from the calls in the history, if no other source has any. */
function stepsOf({ seen, history }: StorySources): StepSummary[] {
  const { steps, status } = seen.result;
  if (steps.length > 0 || !history) return steps;
  return stepsOfCalls(history.calls, isEndState(status));
}

function stepStory(step: StepSummary, { seen, history, lastOutput }: StorySources, plan: Plan | undefined): StepStory {
  const { id, path, call, status, attempts, duration_ms, turns, failed_turns, items, failures_left_out } = step;
  const isTurns = turns !== undefined;
  const calls = (!isTurns && history?.calls.filter((one) => one.path === path)) || [];
  const progress = seen.view?.progress[path];
  const tries = isTurns ? [] : buildAttempts(step, calls, lastOutput(path));
  const failures = step.failures?.map((failure) => failureStory(failure, history?.calls ?? [], lastOutput));
  return {
    id,
    path,
    call,
    status,
    condition: (plan && findStep(plan, path)?.if) ?? null,
    attempts: Math.max(attempts, calls.at(-1)?.attempt ?? 0),
    ...defined({ turns, failed_turns, items, failures_left_out }),
    ...(failures && { failures }),
    started_at: progress?.started_at ?? calls[0]?.scheduled_at ?? null,
    finished_at: progress?.finished_at ?? (isStepEnd(status) ? (calls.at(-1)?.ended_at ?? null) : null),
    duration_ms,
    error: step.error ?? null,
    tries,
  };
}

function failureStory(
  failure: ItemFailure,
  calls: readonly SeenCall[],
  lastOutput: StorySources['lastOutput'],
): FailureStory {
  const { path, status, attempts, error } = failure;
  const own = calls.filter((call) => call.path === path);
  if (own.length === 0) return { ...failure, tries: [] };
  const step = { id: path, path, call: path, status, attempts, duration_ms: null, ...(error && { error }) };
  return { ...failure, tries: buildAttempts(step, own, lastOutput(path)) };
}

/** Names the sources that are unavailable, so that missing data is not mistaken for a fact. */
function gapsOf({ seen, history, record }: StorySources, origin: Origin | undefined): string[] {
  const gaps: string[] = [];
  if (seen.source === 'record') {
    gaps.push(
      'Temporal no longer has this task. This is from its record; errors of attempts that were tried again, and times of steps, went with the history.',
    );
    if (record?.result === null)
      gaps.push('The record was made when the task was created; how the task ended is not in it.');
  }
  if (seen.source === 'description') {
    gaps.push(
      'No worker answers, so what hooks and approvers said is not known now; calls are shown from the history.',
    );
  }
  if (seen.result.error?.code === 'task.terminated') {
    gaps.push(
      'A terminated task leaves no result: what hooks and approvers said is not known, calls are shown from the history.',
    );
  }
  if (!origin && seen.result.status !== 'unavailable')
    gaps.push('What it was started with is in a store that is not seen from here, and its record is elsewhere.');
  if (history?.isCut) gaps.push('The history is too long to be read whole; early calls may be missing.');
  return gaps;
}
