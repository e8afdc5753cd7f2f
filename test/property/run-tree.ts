import { vi } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import type { Plan } from '../../src/contracts/plan.js';
import type { StoredResult } from '../../src/contracts/stored-result.js';
import type { Progress, TaskStart } from '../../src/contracts/task.js';
import { digestOf } from '../../src/rules/canonical.js';
import { packArguments, type TaskArguments } from '../../src/rules/tasks/task-arguments.js';
import { World } from './fake-workflow.js';
import { type Account, type Effect, inOrder } from './script.js';
import type { Tree } from './trees.js';

/** The workflow of every task. */
export type TaskWorkflow = (...args: TaskArguments) => Promise<StoredResult>;

/** Runs a tree with the interpreter. @param task the workflow, unchanged or with a planted bug. */
export async function runTree(task: TaskWorkflow, tree: Tree): Promise<Account> {
  const { result, effects } = await carryOut(task, tree);
  const { error = null } = result;
  const path = (error?.details as { path?: string } | undefined)?.path ?? null;
  return {
    status: result.status,
    output: result.output,
    error: error && { code: error.code, step: error.step ?? null, path },
    effects: inOrder(effects),
    steps: Object.fromEntries(result.steps.map((step) => [step.path ?? step.id, step.status])),
  };
}

/**
 * Runs a tree with the interpreter.
 *
 * @param progress the progress of an earlier task. @returns the complete result of the task.
 */
export async function resultOfTree(task: TaskWorkflow, tree: Tree, progress?: Progress): Promise<StoredResult> {
  return (await carryOut(task, tree, progress)).result;
}

async function carryOut(
  task: TaskWorkflow,
  tree: Tree,
  progress?: Progress,
): Promise<{ result: StoredResult; effects: Effect[] }> {
  const { plan, input, script } = structuredCloneTree(tree);
  const world = new World(plan, script, (ms) => void vi.setSystemTime(ms));
  const result = await world
    .run(() => task(...packArguments({ ...startOf(plan, input), ...(progress && { progress }) })))
    .catch(resultOf);
  return { result, effects: world.effects };
}

function structuredCloneTree({ plan, input, script }: Tree): Tree {
  return { plan: structuredClone(plan), input: structuredClone(input), script };
}

/** A task that did not succeed fails, with its result as the details of the failure. */
function resultOf(error: unknown): StoredResult {
  const [result] = (error as { details?: [StoredResult?] }).details ?? [];
  if (!result) throw error;
  return result;
}

function startOf(plan: Plan, input: JsonObject): TaskStart {
  const user = { name: 'tester', source: 'claimed' as const };
  const seal = { key_id: 'k', plan: '0', task: 'task', input: digestOf(input), user, confirmations: [], mac: '' };
  return { format: 1, plan, seal, input, user, session: null, run: true, warnings: [] };
}

/** Runs a tree as a task that continues in a new run after the given number of calls. */
export async function runTreeInRuns(
  task: TaskWorkflow,
  tree: Tree,
  callsOfRun: number,
): Promise<{ result: StoredResult; runs: number; world: World }> {
  const { plan, input, script } = structuredCloneTree(tree);
  const world = new World(plan, script, (ms) => void vi.setSystemTime(ms), callsOfRun);
  let args: TaskArguments = packArguments(startOf(plan, input));
  for (;;) {
    try {
      return { result: await world.run(() => task(...structuredClone(args))), runs: world.runs, world };
    } catch (error) {
      const next = (error as { command?: { args: TaskArguments } }).command;
      if (!next) return { result: resultOf(error), runs: world.runs, world };
      args = next.args;
    }
  }
}
