import { proxySinks } from '@temporalio/workflow';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { SpanSinks } from '../../contracts/run-sinks.js';
import { isStepEnd } from '../../contracts/states.js';
import type { Progress } from '../../contracts/task.js';
import { SANDBOX_FLAG } from '../../contracts/traces.js';
import { TURNS } from '../../rules/agent-turns.js';
import { findStep } from '../../rules/find-step.js';
import { spotOfHook } from '../../rules/trace-ids.js';

const { traces } = proxySinks<SpanSinks>();

/** What of a task's run its spans are about. */
interface Traced {
  plan: Plan;
  progress: Progress;
  context: { seal: string };
}

/** Where a step is: its own spot, see `spotOf`, and that of the step around it. */
export interface StepSpot {
  spot: string;
  /** Absent: the task itself. */
  within: string | undefined;
}

/** Whether the worker writes traces; it says so to the sandbox, since what is not written need not be reported. */
export function areTraced(): boolean {
  return (globalThis as Record<string, unknown>)[SANDBOX_FLAG] === true;
}

/** Lets the worker write the span of a step that has ended. No event, and nothing at all where no traces are written. */
export function reportStep(
  run: Traced,
  step: Pick<PlanStep, 'id' | 'verb'>,
  path: string,
  { spot, within }: StepSpot,
): void {
  if (!areTraced()) return;
  const { status, call, attempts, started_at, finished_at, error } = run.progress[path] ?? {};
  if (!status || !isStepEnd(status) || !started_at || !finished_at) return;
  traces.step({
    seal: run.context.seal,
    spot,
    ...(within !== undefined && { within }),
    id: step.id,
    path,
    verb: step.verb,
    status,
    ...(call !== undefined && { call }),
    ...(attempts !== undefined && { attempts }),
    started_at,
    finished_at,
    ...(error && { error: error.code }),
  });
}

/** As {@link reportStep}, of what an agent does in its turns, which is noted and runs no step of an author. */
export function reportTurn(run: Traced, path: string, id: string): void {
  if (!areTraced() || (path !== TURNS.turns && !path.startsWith(`${TURNS.turns}/`))) return;
  let around = path;
  do around = around.slice(0, Math.max(0, around.lastIndexOf('/')));
  while (around !== '' && !run.progress[around]);
  const verb = findStep(run.plan, path)?.verb ?? 'call';
  reportStep(run, { id, verb }, path, { spot: path, within: around || undefined });
}

/** Lets the worker write the spans of hooks that were answered here. No event. */
export function reportHooks(run: Traced, answers: readonly HookAnswer[]): void {
  if (!areTraced()) return;
  const at = new Date().toISOString();
  for (const { hook_id: id, phase, path, status, decision } of answers) {
    const within = spotOfHook(run.plan, path);
    traces.hook({
      seal: run.context.seal,
      ...(within !== undefined && { within }),
      id,
      phase,
      status,
      decision,
      at,
    });
  }
}
