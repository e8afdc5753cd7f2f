/** The tasks of the benchmark, written with the official integration as its README shows. */
import { Agent, type AgentInputItem, defineToolInputGuardrail, RunState, tool } from '@openai/agents-core';
import {
  activityAsTool,
  agentAsTool,
  TemporalOpenAIRunner,
  WorkflowSafeMemorySession,
} from '@temporalio/openai-agents/workflow';
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type * as activities from './activities.js';

const MODEL = { name: 'bench', instructions: 'Do what you are asked.', model: 'scripted' };
const { pay } = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });
export const approve = defineSignal('approve');

function lookupTool() {
  return activityAsTool<typeof activities.lookup>({
    name: 'lookup',
    description: 'Looks a record up.',
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    },
  });
}

function payTool(more: { needsApproval?: boolean; isGuarded?: boolean }) {
  const guard = defineToolInputGuardrail({
    name: 'small_amounts',
    run: async ({ toolCall }) => {
      const { amount } = JSON.parse(toolCall.arguments) as { amount: number };
      if (amount <= 50) return { behavior: { type: 'allow' } };
      return { behavior: { type: 'rejectContent', message: 'Above 50. Pay less.' } };
    },
  });
  return tool({
    name: 'pay',
    description: 'Pays.',
    parameters: {
      type: 'object' as const,
      properties: { amount: { type: 'integer' } },
      required: ['amount'],
      additionalProperties: false as const,
    },
    needsApproval: more.needsApproval ?? false,
    ...(more.isGuarded && { inputGuardrails: [guard] }),
    execute: async (input) => JSON.stringify(await pay(input as { amount: number })),
  });
}

/** One tool call a turn. */
export async function lookups(request: string, maxTurns: number): Promise<string> {
  const agent = new Agent({ ...MODEL, tools: [lookupTool()] });
  const result = await new TemporalOpenAIRunner().run(agent, request, { maxTurns });
  return result.finalOutput ?? '';
}

/** An approval in the agent itself, answered by a signal. */
export async function approval(): Promise<string> {
  let isApproved = false;
  setHandler(approve, () => {
    isApproved = true;
  });
  const agent = new Agent({ ...MODEL, tools: [payTool({ needsApproval: true })] });
  const runner = new TemporalOpenAIRunner();
  const result = await runner.run(agent, 'Pay 9.');
  await condition(() => isApproved);
  for (const one of result.state.getInterruptions()) result.state.approve(one);
  return (await runner.run(agent, result.state)).finalOutput ?? '';
}

/** An approval in an agent that is a tool of another one. */
export async function nestedApproval(): Promise<string> {
  const clerk = new Agent({ ...MODEL, name: 'clerk', tools: [payTool({ needsApproval: true })] });
  const agent = new Agent({ ...MODEL, tools: [agentAsTool(clerk, { toolName: 'clerk', toolDescription: 'Pays.' })] });
  return (await new TemporalOpenAIRunner().run(agent, 'Have the clerk pay.')).finalOutput ?? '';
}

/** A call that a guard of its tool refuses. */
export async function denied(): Promise<string> {
  const agent = new Agent({ ...MODEL, tools: [payTool({ isGuarded: true })] });
  return (await new TemporalOpenAIRunner().run(agent, 'Pay 99, and once more.')).finalOutput ?? '';
}

/** Turns of which `most` are in one run; the author hands the state on to the next one. */
export async function lookupsContinued(request: string, most: number, state?: string): Promise<object> {
  const agent = new Agent({ ...MODEL, tools: [lookupTool()] });
  const runner = new TemporalOpenAIRunner();
  const input = state === undefined ? request : await RunState.fromString(agent, state);
  let next: string;
  try {
    // The count of turns is part of the state.
    const before = state === undefined ? 0 : (JSON.parse(state) as { currentTurn: number }).currentTurn;
    const { finalOutput } = await runner.run(agent, input, { maxTurns: before + most });
    return { output: finalOutput, stateBytes: state?.length ?? 0 };
  } catch (error) {
    const found = (error as { cause?: { state?: { toString(): string } } }).cause?.state;
    if (!found) throw error;
    next = found.toString();
  }
  return continueAsNew<typeof lookupsContinued>(request, most, next);
}

/** A conversation of two requests, continued as new between them. */
export async function remembered(handsOn: boolean, items?: AgentInputItem[]): Promise<string> {
  const agent = new Agent(MODEL);
  const session = new WorkflowSafeMemorySession(items ? { initialItems: items } : {});
  const runner = new TemporalOpenAIRunner();
  if (workflowInfo().continuedFromExecutionRunId !== undefined) {
    return (await runner.run(agent, 'Which colour?', { session })).finalOutput ?? '';
  }
  await runner.run(agent, 'Remember blue.', { session });
  return continueAsNew<typeof remembered>(handsOn, handsOn ? await session.getItems() : undefined);
}
