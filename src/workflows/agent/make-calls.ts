import type { AgentGrant, AgentProgress, ToolCall, ToolResult } from '../../contracts/agent.js';
import { type Effect, isReading } from '../../contracts/effects.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { ForeachStep, PlanAgent, PlanTool, RepeatStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { addUsage, callsAgent, leftOf, limitsWithin, TURNS, textOfResult } from '../../rules/agents.js';
import { digestOf } from '../../rules/canonical.js';
import { startOf } from '../../rules/shown-text.js';
import { stepsOfTurn } from '../../rules/steps/step-tree.js';
import { describeChanges, shownEdits } from '../../rules/tasks/shown-approvals.js';
import { defined } from '../../text/defined.js';
import { callOperation } from '../calls/call-operation.js';
import { callWorkflow } from '../calls/call-workflow.js';
import { openAccount } from '../loops/loop-account.js';
import { endItem, failTurn, type Turn } from '../loops/loop-turn.js';
import type { Frame } from '../steps/frame.js';
import { isStepFailure, locate, StepFailure, stepStatusOf } from '../steps/step-failure.js';
import { beforeStep, refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';
import { limitReached } from './agent-limits.js';

/** Limits the progress of an agent that keeps trying refused calls. */
const MAX_DENIED = 200;

interface CallsOfTurn {
  run: TaskRun;
  agent: PlanAgent;
  frame: Frame;
  state: AgentProgress;
  path: string;
  step: ForeachStep;
}

/**
 * Makes the calls of one model turn, each through the whole pipeline. A failed or denied call is a result with its
 * reason; failures that always end a task end this one too. @returns results for the model, in the order of its
 * calls. @throws StepFailure `outcome.unknown`, `limit.*`, `timeout.task`.
 */
export async function makeCalls(
  run: TaskRun,
  agent: PlanAgent,
  frame: Frame,
  turn: number,
  state: AgentProgress,
): Promise<ToolResult[]> {
  const requestedCalls = state.asked ?? [];
  state.results ??= {};
  const loop = run.task.plan.steps[0] as RepeatStep;
  const step = loop.steps.find(({ id }) => id === TURNS.calls) as ForeachStep | undefined;
  if (step) {
    const path = `${TURNS.turns}/${turn}/${TURNS.calls}`;
    run.steps.note(path, TURNS.calls, { status: 'running' });
    openAccount(run.steps.entry(path), requestedCalls.length);
    await callAll({ run, agent, frame, state, path, step }, requestedCalls);
  } else {
    for (const [index, call] of requestedCalls.entries()) {
      if (state.results[index] === undefined) count({ run, agent, state });
      state.results[index] ??= refused(noTool(call));
    }
  }
  const results = state.results;
  return requestedCalls.map(({ id }, index) => ({ id, content: results[index] ?? '' }));
}

async function callAll(calls: CallsOfTurn, requestedCalls: readonly ToolCall[]): Promise<void> {
  const { state, agent } = calls;
  const open = requestedCalls
    .map((call, index) => ({ call, index }))
    .filter(({ index }) => state.results?.[index] === undefined);
  const effectsOf = ({ call }: { call: ToolCall }): Effect | undefined =>
    agent.tools.find(({ name }) => name === call.tool)?.effects;
  // Reads run in parallel, except those that `mustQueue` names; others run in the model's order.
  const areReads = open.every((one) => isReading(effectsOf(one) ?? 'read'));
  if (areReads && !mustQueue(calls, open)) {
    const ends = await Promise.allSettled(open.map(({ call, index }) => callOne(calls, call, index)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } else for (const { call, index } of open) await callOne(calls, call, index);
}

/** True with an agent, which gets all remaining limits, or with equal calls, which guards check only once. */
function mustQueue({ run, agent }: CallsOfTurn, open: readonly { call: ToolCall }[]): boolean {
  if (open.length < 2) return false;
  const abilityOf = ({ tool: name }: ToolCall): string | undefined =>
    agent.tools.find((tool) => tool.name === name)?.ability;
  const digests = open.map(({ call }) => digestOf({ ability: abilityOf(call) ?? null, input: call.input }));
  if (new Set(digests).size < digests.length) return true;
  return open.some(({ call }) => callsAgent(run.task.plan, abilityOf(call)));
}

/** Also a call of a tool that does not exist, or with an invalid input. @throws StepFailure `limit.*`. */
function count({ run, agent, state }: Pick<CallsOfTurn, 'run' | 'agent' | 'state'>): void {
  const limits = limitsWithin(agent.limits, run.task.start.child?.agent, state);
  if (state.calls >= limits.max_calls) throw limitReached('max_calls', state);
  state.calls += 1;
}

async function callOne(calls: CallsOfTurn, call: ToolCall, index: number): Promise<void> {
  const { run, frame, state, path, step } = calls;
  count(calls);
  const tool = toolOf(calls, call);
  const results = state.results as Record<string, string>;
  const around = { verb: 'foreach' as const, item: index, labelOf: () => call.tool, loop: path, id: TURNS.calls };
  const problem = call.problem ?? (tool ? undefined : noTool(call));
  if (problem || !tool) {
    const why = problem ?? noTool(call);
    failTurn(run, { ...around, inner: [] }, new StepFailure(why));
    results[index] = refused(why);
    return;
  }
  const key = digestOf({ ability: tool.ability, input: call.input });
  const before = state.denied?.[key];
  if (before !== undefined) {
    const why = deniedBefore(before);
    failTurn(run, { ...around, inner: [] }, new StepFailure(why));
    results[index] = refused(why);
    return;
  }
  refuseCancelled();
  const resumed = beforeStep(run.life, frame.branchStop);
  if (resumed) await resumed;
  const inner = stepsOfTurn(step).filter(({ path: name }) => name === tool.name);
  const turn: Turn = { ...around, inner };
  const at = `${path}/${index}/${tool.name}`;
  try {
    const output = await callTool(calls, call, tool, at);
    run.steps.note(at, tool.name, { status: 'succeeded', output: null });
    results[index] = textOfResult({ status: 'succeeded', output, ...changesBy(run, at) });
    endItem(
      run.steps,
      turn,
      inner.map((one) => one.step),
    );
  } catch (error) {
    if (isStepFailure(error)) {
      const { problem: found } = locate(error, tool.name, at);
      run.steps.note(at, tool.name, { status: stepStatusOf(found.code), output: null, error: found });
    }
    failTurn(run, turn, error);
    if (!isStepFailure(error) || !isResult(error.problem.code)) throw error;
    results[index] = refused(error.problem);
    if (stepStatusOf(error.problem.code) === 'denied') remember(state, key, error.problem);
  }
}

/** What people changed in the input of a call before they approved it: the model must not take it for its own. */
function changesBy({ approvals }: TaskRun, path: string): { changed?: string } {
  const approval = approvals.list.findLast((one) => one.path === path && one.edited);
  if (!approval) return {};
  const changes = shownEdits(approval).map(describeChanges).join(', ');
  return { changed: startOf(`Before it was approved, a person changed its input: ${changes}`, 2_000) };
}

function callTool({ run, frame }: CallsOfTurn, call: ToolCall, tool: PlanTool, path: string): Promise<Json> {
  const { branchStop, budget, groups } = frame;
  const operation = run.task.plan.operations[tool.ability];
  run.steps.note(path, tool.name, { status: 'running', call: tool.ability });
  if (!operation) return callTask(run, frame, call, tool, path);
  const { input } = call;
  const rest = { retry: undefined, timeoutMs: undefined, mayBeCut: false, groups, branchStop, budget };
  return callOperation(run, { path, id: tool.name, operation, input, ...rest });
}

/** A called workflow or agent gets the remaining limits; usage of agents there counts here. */
async function callTask(
  run: TaskRun,
  { budget, groups }: Frame,
  { input: given }: ToolCall,
  { ability, name }: PlanTool,
  path: string,
): Promise<Json> {
  const agent = run.task.plan.agent as PlanAgent;
  const entry = run.steps.entry(TURNS.turns);
  const state = (): AgentProgress => entry.agent as AgentProgress;
  const { input, grant } = grantFor(run, ability, given);
  const left = leftOf(limitsWithin(agent.limits, run.task.start.child?.agent, state()), state(), 0);
  const { calls, tokens, cost } = left;
  const whole: AgentGrant = {
    ...grant,
    calls,
    ...defined({ tokens, cost }),
  };
  const used = (usage: Parameters<typeof addUsage>[1]): void => {
    Object.assign(state(), addUsage(state(), usage));
  };
  return callWorkflow(run, { path, id: name, ability, input, budget, groups, grant: whole, used });
}

/** What both agents may call, or the named ones. Source: R-003-17. @throws StepFailure `agent.wider_grant`. */
function grantFor(
  run: TaskRun,
  ability: string,
  input: JsonObject,
): { input: JsonObject; grant: Pick<AgentGrant, 'operations' | 'digest'> } {
  const called = run.task.plan.workflows?.[ability];
  const agent = run.task.plan.agent as PlanAgent;
  if (!called?.agent) return { input, grant: {} };
  const granted = run.task.start.child?.agent?.operations;
  const own = agent.tools.map((tool) => tool.ability).filter((id) => !granted || granted.includes(id));
  const both = called.agent.tools.map((tool) => tool.ability).filter((id) => own.includes(id));
  const { delegate_operations: named, ...rest } = input;
  if (named === undefined) return { input, grant: grantOf(both) };
  const list = Array.isArray(named) && named.every((id) => typeof id === 'string') ? (named as string[]) : undefined;
  const wider = list?.filter((id) => !both.includes(id));
  if (!list || !wider || wider.length > 0) {
    throw new StepFailure({
      code: 'agent.wider_grant',
      message: `${ability} cannot be granted ${wider?.join(', ') || 'what is no list of abilities'}: only abilities that both you and it may call`,
      suggestion: `Name some of: ${both.join(', ') || 'none'}; or leave \`delegate_operations\` out.`,
    });
  }
  return { input: rest, grant: grantOf(list) };
}

function grantOf(operations: readonly string[]): Pick<AgentGrant, 'operations' | 'digest'> {
  const sorted = [...new Set(operations)].sort();
  return { operations: sorted, digest: digestOf(sorted) };
}

function toolOf({ run, agent }: CallsOfTurn, { tool: name }: ToolCall): PlanTool | undefined {
  const granted = run.task.start.child?.agent?.operations;
  const tool = agent.tools.find((one) => one.name === name);
  return tool && (!granted || granted.includes(tool.ability)) ? tool : undefined;
}

/** False for failures that always end a task; the model handles the called ability's refusals and limits. */
function isResult(code: string): boolean {
  return !['outcome.unknown', 'timeout.task', 'internal.error'].includes(code);
}

function remember(state: AgentProgress, key: string, { message }: Problem): void {
  const denied = { ...state.denied, [key]: message.slice(0, 300) };
  state.denied = Object.fromEntries(Object.entries(denied).slice(-MAX_DENIED));
}

function refused({ code, message, suggestion }: Problem): string {
  const status = stepStatusOf(code);
  return textOfResult({ status, error: { code, message, ...(suggestion !== undefined && { suggestion }) } });
}

function noTool({ tool }: ToolCall): Problem {
  return {
    code: 'agent.not_a_tool',
    message: `There is no tool ${tool.slice(0, 100)}`,
    suggestion: 'Use one of the tools that you are given, or say that it cannot be done.',
  };
}

function deniedBefore(reason: string): Problem {
  return {
    code: 'guard.denied',
    message: `This same call was denied before, and is not requested again: ${reason}`,
    suggestion: 'Do what the refusal suggests, or say in your answer what could not be done and why.',
  };
}
