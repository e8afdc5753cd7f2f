import { vi } from 'vitest';
import { ACTIVITIES } from '../../src/contracts/names.js';
import type { Plan } from '../../src/contracts/plan.js';
import type { StoredResult } from '../../src/contracts/stored-result.js';
import type { Formed, Progress, TaskArguments } from '../../src/contracts/task.js';
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

/** @returns also the calls that were made, in order. */
export async function carryOut(
  task: TaskWorkflow,
  tree: Tree,
  progress?: Progress,
): Promise<{ result: StoredResult; effects: Effect[] }> {
  const { plan, input, script } = structuredCloneTree(tree);
  const world = worldOf(plan, new World(plan, script, (ms) => void vi.setSystemTime(ms)), progress);
  const result = await world.run(() => task(input)).catch(resultOf);
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

/** A world in which this plan passes preflight. */
function worldOf(plan: Plan, world: World, progress?: Progress): World {
  const formed: Formed = { seal: { key_id: 'k', mac: '' }, ...(progress && { progress }), plan };
  world.answers.set(ACTIVITIES.preflight, async () => formed);
  return world;
}

/** Runs a tree as a task that continues in a new run after the given number of calls. */
export async function runTreeInRuns(
  task: TaskWorkflow,
  tree: Tree,
  callsOfRun: number,
): Promise<{ result: StoredResult; runs: number; world: World }> {
  const { plan, input, script } = structuredCloneTree(tree);
  const world = worldOf(plan, new World(plan, script, (ms) => void vi.setSystemTime(ms), callsOfRun));
  let args: TaskArguments = [input];
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
