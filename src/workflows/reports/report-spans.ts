import { proxySinks } from '@temporalio/workflow';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { SpanSinks } from '../../contracts/run-sinks.js';
import { isStepEnd } from '../../contracts/states.js';
import type { Progress } from '../../contracts/task.js';
import { SANDBOX_FLAG } from '../../contracts/traces.js';
import { TURNS } from '../../rules/agents.js';
import { findStep } from '../../rules/steps/step-tree.js';
import { hookInstanceOf } from '../../rules/traces/trace-ids.js';
import { defined } from '../../text/defined.js';

const { traces } = proxySinks<SpanSinks>();

interface TracedTask {
  plan: Plan;
  context: { seal: string };
}

interface TracedSteps {
  task: TracedTask;
  progress: Progress;
}

/** A step's span, see `stepInstanceOf`, and that of the enclosing step. */
export interface StepInstance {
  instance: string;
  /** Absent: the task itself. */
  within: string | undefined;
}

/** The worker sets a flag in the sandbox if it writes traces. */
function areTraced(): boolean {
  return (globalThis as Record<string, unknown>)[SANDBOX_FLAG] === true;
}

/** Has the worker write an ended step's span, if it writes traces. Adds no event. */
export function reportStep(
  { task, progress }: TracedSteps,
  step: Pick<PlanStep, 'id' | 'verb'>,
  path: string,
  { instance, within }: StepInstance,
): void {
  if (!areTraced()) return;
  const { status, call, attempts, started_at, finished_at, error } = progress[path] ?? {};
  if (!status || !isStepEnd(status) || !started_at || !finished_at) return;
  traces.step({
    seal: task.context.seal,
    instance,
    ...(within !== undefined && { within }),
    id: step.id,
    path,
    verb: step.verb,
    status,
    ...defined({ call, attempts }),
    started_at,
    finished_at,
    ...(error && { error: error.code }),
  });
}

/** Like {@link reportStep}, for an agent's model requests and calls. */
export function reportTurn(steps: TracedSteps, path: string, id: string): void {
  if (!areTraced() || (path !== TURNS.turns && !path.startsWith(`${TURNS.turns}/`))) return;
  let around = path;
  do around = around.slice(0, Math.max(0, around.lastIndexOf('/')));
  while (around !== '' && !steps.progress[around]);
  const verb = findStep(steps.task.plan, path)?.verb ?? 'call';
  reportStep(steps, { id, verb }, path, { instance: path, within: around || undefined });
}

/** Lets the worker write the spans of hooks that were answered here. No event. */
export function reportHooks(task: TracedTask, answers: readonly HookAnswer[]): void {
  if (!areTraced()) return;
  const at = new Date().toISOString();
  for (const { hook_id: id, phase, path, status, decision } of answers) {
    const within = hookInstanceOf(task.plan, path);
    traces.hook({
      seal: task.context.seal,
      ...(within !== undefined && { within }),
      id,
      phase,
      status,
      decision,
      at,
    });
  }
}
