import { sleep } from '@temporalio/workflow';
import type {
  AgentLeft,
  AgentLimit,
  AgentProgress,
  ModelAnswer,
  ModelRequest,
  ToolResult,
} from '../../contracts/agent.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanAgent, PlanOperation, RepeatStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { StepProgress } from '../../contracts/task.js';
import { addUsage, leftOf, limitsWithin, TURNS, UNUSED } from '../../rules/agents.js';
import { RETRY, waitAskedFor } from '../../rules/calls/call-defaults.js';
import { isRetryableCode } from '../../rules/calls/error-families.js';
import { stepsOfTurn } from '../../rules/steps/step-tree.js';
import { executeCall } from '../calls/call-operation.js';
import { foldTurn } from '../loops/turn-counts.js';
import type { Frame } from '../steps/frame.js';
import { isStepFailure, locate, StepFailure, stepStatusOf } from '../steps/step-failure.js';
import { beforeStep, refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';
import { atLimit, exhaustedOf } from './agent-limits.js';
import { makeCalls } from './make-calls.js';

const ONCE = { ...RETRY, attempts: 1 };

/**
 * Queries the model, makes the requested calls, and sends the results with the next query, until the model
 * answers. Its position is kept in the entry of its turns, so that a new run of the task continues there: messages
 * are in the transcript, and calls are not repeated. Source: docs/agent-abilities.md. @returns the answer. @throws
 * StepFailure `limit.*`, `model.*`, `agent.*`; cancellation; BranchStopped.
 */
export async function runAgent(frame: Frame): Promise<Json> {
  const { run } = frame;
  const agent = run.task.plan.agent as PlanAgent;
  const loop = run.task.plan.steps[0] as RepeatStep;
  const path = TURNS.turns;
  run.steps.note(path, loop.id, { status: 'running' });
  entryOf(run).agent ??= { ...UNUSED, head: null };
  try {
    for (;;) {
      const answer = await takeTurn(agent, loop, frame);
      if (answer === undefined) continue;
      run.steps.note(path, loop.id, { status: 'succeeded', output: null });
      return answer.value;
    }
  } catch (error) {
    if (isStepFailure(error)) {
      const { problem } = locate(error, path, path);
      run.steps.note(path, loop.id, { status: stepStatusOf(problem.code), output: null, error: problem });
    }
    throw error;
  }
}

function entryOf(run: TaskRun): StepProgress {
  return run.steps.entry(TURNS.turns);
}

/** @returns the agent's answer if the model gave one in this turn. */
async function takeTurn(agent: PlanAgent, loop: RepeatStep, frame: Frame): Promise<{ value: Json } | undefined> {
  const { run } = frame;
  // A limit that people raise makes a new entry.
  const state = (): AgentProgress => entryOf(run).agent as AgentProgress;
  const turn = state().turns - (state().asked ? 1 : 0);
  if (!state().asked) {
    refuseCancelled();
    const resumed = beforeStep(run.life, frame.branchStop);
    if (resumed) await resumed;
    const answer = await askModel(agent, frame, turn);
    const { told: _, repair, ...rest } = state();
    const now: AgentProgress = { ...addUsage(rest, answer.usage), turns: turn + 1, head: answer.head };
    entryOf(run).agent = now;
    if (!answer.calls) {
      endTurn(run, loop, turn);
      if (answer.unusable === undefined) return { value: answer.answer ?? null };
      // An unusable answer may be repaired once.
      if (repair !== undefined) throw unusable(answer.unusable, run.task.plan.ability.output_schema !== null);
      now.repair = answer.unusable;
      return undefined;
    }
    now.asked = answer.calls;
  }
  if (agent.limits.on_limit === 'ask') await withinCalls(agent, frame);
  const results = await makeCalls(run, agent, frame, turn, state());
  const { asked: __, results: ___, ...rest } = state();
  entryOf(run).agent = { ...rest, told: results };
  endTurn(run, loop, turn);
  return undefined;
}

function leftNow(run: TaskRun, agent: PlanAgent, used: AgentProgress): AgentLeft {
  const limits = limitsWithin(agent.limits, run.task.start.child?.agent, used);
  return leftOf(limits, used, Math.floor(run.budget.left() / 1000));
}

function requestOf(
  run: TaskRun,
  agent: PlanAgent,
  { head, told, repair }: AgentProgress,
  left: AgentLeft,
): ModelRequest {
  const granted = run.task.start.child?.agent?.operations;
  const tools = granted && agent.tools.filter(({ ability }) => granted.includes(ability));
  return {
    head,
    ...(head === null && { input: run.input.value }),
    ...(told && told.length > 0 && { results: told satisfies ToolResult[] }),
    ...(repair !== undefined && { repair }),
    // Without a next turn it is offered no tools; people may still allow one.
    left: agent.limits.on_limit === 'ask' ? { ...left, turns: Math.max(2, left.turns) } : left,
    ...(tools && tools.length < agent.tools.length && { tools: tools.map(({ name }) => name) }),
  };
}

/**
 * Requests an answer, again after failures that may pass: three times, or, if the endpoint says when, while the agent has
 * time. Each attempt is an activity of its own, which gets what is left of the limits, and no call for limits or sessions.
 */
async function askModel(agent: PlanAgent, frame: Frame, turn: number): Promise<ModelAnswer> {
  const { run, branchStop, budget, groups } = frame;
  const path = `${TURNS.turns}/${turn}/${TURNS.model}`;
  const operation = run.task.plan.operations[agent.model] as PlanOperation;
  for (let attempts = 1; ; attempts += 1) {
    await withinLimits(agent, frame);
    const entry = entryOf(run);
    const used = entry.agent as AgentProgress;
    const left = leftNow(run, agent, used);
    const input = requestOf(run, agent, used, left) as unknown as JsonObject;
    const made = run.calls.begin(path, operation.key, input);
    try {
      const call = { path, id: TURNS.model, operation, input, retry: ONCE, timeoutMs: undefined, mayBeCut: true };
      const output = await executeCall(run, { ...call, groups, branchStop, budget });
      made.gave(output);
      run.steps.note(path, TURNS.model, { status: 'succeeded', output: null, attempts });
      return output as unknown as ModelAnswer;
    } catch (error) {
      if (!isStepFailure(error)) throw error;
      made.failed(error.problem);
      const { problem } = locate(error, TURNS.model, path);
      run.steps.note(path, TURNS.model, { status: stepStatusOf(problem.code), output: null, error: problem, attempts });
      const { usage } = problem.details as { usage?: ModelAnswer['usage'] };
      const now = usage ? addUsage(used, usage) : used;
      entry.agent = now;
      const limit = LIMIT_OF[problem.code];
      if (limit !== undefined) {
        await atLimit(limit, agent, frame);
        attempts -= 1;
        continue;
      }
      const wait = waitBefore(attempts + 1, problem, budget.left(0));
      if (wait === undefined) throw error;
      run.steps.backingOff.set(TURNS.turns, { attempt: attempts + 1, at: Date.now() + wait, why: problem.code });
      budget.spend(wait);
      await branchStop.wait(() => sleep(wait, { summary: `${path}: attempt ${attempts + 1}` }));
      run.steps.backingOff.delete(TURNS.turns);
    }
  }
}

/** A request that would need more than is left. */
const LIMIT_OF: Record<string, AgentLimit> = { 'limit.max_tokens': 'max_tokens', 'limit.max_cost': 'max_cost' };

/** @throws StepFailure `limit.*` if the limits allow no further turn, and people do not raise them. */
async function withinLimits(agent: PlanAgent, frame: Frame): Promise<void> {
  for (;;) {
    const limit = exhaustedOf(leftNow(frame.run, agent, entryOf(frame.run).agent as AgentProgress));
    if (limit === undefined) return;
    await atLimit(limit, agent, frame);
  }
}

/** As {@link withinLimits}, for the calls that the model has requested. */
async function withinCalls(agent: PlanAgent, frame: Frame): Promise<void> {
  for (;;) {
    const used = entryOf(frame.run).agent as AgentProgress;
    const open = (used.asked?.length ?? 0) - Object.keys(used.results ?? {}).length;
    if (open <= leftNow(frame.run, agent, used).calls) return;
    await atLimit('max_calls', agent, frame);
  }
}

/** Milliseconds before an attempt; undefined: it is not made. An answer that cannot be read is not paid twice. */
function waitBefore(attempt: number, problem: Problem, leftMs: number): number | undefined {
  const asked = waitAskedFor(problem, Date.now());
  const isLast = !isRetryableCode(problem.code) || ['model.answer_broken', 'worker.unavailable'].includes(problem.code);
  const wait = asked === undefined ? RETRY.firstMs * RETRY.factor ** (attempt - 2) : Math.max(asked, RETRY.firstMs);
  return isLast || (asked === undefined && attempt > RETRY.attempts) || wait >= leftMs ? undefined : wait;
}

function endTurn(run: TaskRun, loop: RepeatStep, turn: number): void {
  const nameOf = () => ({ item: turn });
  const calls = loop.steps.find(({ id }) => id === TURNS.calls);
  const at = `${TURNS.turns}/${turn}`;
  if (calls && run.steps.progress[`${at}/${TURNS.calls}`])
    run.steps.note(`${at}/${TURNS.calls}`, TURNS.calls, { status: 'succeeded' });
  foldTurn(run.steps.progress, entryOf(run), { path: at, inner: stepsOfTurn(loop), nameOf });
  entryOf(run).turn = turn + 1;
}

function unusable(reason: string, hasSchema: boolean): StepFailure {
  const fitting = hasSchema ? ' that fits its `output_schema`' : '';
  return new StepFailure({
    code: 'agent.answer_invalid',
    message: `The agent has given no answer${fitting}, also after it was asked again: ${reason}`,
    suggestion: 'Describe in `instructions` what the answer has to be, or use another model.',
  });
}
