import type { HookAnswer } from '../contracts/hooks.js';
import type { Plan } from '../contracts/plan.js';
import type { TaskResult } from '../contracts/task.js';
import { ATTRIBUTES as A, type HookSpan, OPERATIONS, OWN_SPANS, type StepSpan } from '../contracts/traces.js';
import { parseTraceparent, type TraceContext } from '../rules/traces/trace-context.js';
import { callingSpanId, stepSpanId, taskSpanId, traceIdOf } from '../rules/traces/trace-ids.js';
import { newSpanId } from './current-span.js';
import type { Tracer } from './open-tracer.js';

export interface TracedTask {
  task: string;
  /** Mark of its seal. */
  mark: string;
  /** `traceparent` of the original request; absent: none was sent. */
  trace?: string | undefined;
}

export interface TaskFacts {
  plan: Plan;
  session: string | null;
  isCalled: boolean;
  /** ISO 8601. */
  createdAt: string | undefined;
}

/** In the trace of the task's request, else in its own. @param span id of the new span. */
export function contextOf(tracer: Tracer, { mark, trace: came }: TracedTask, span: string): TraceContext {
  if (came !== undefined) return { ...parseTraceparent(came), span };
  const trace = traceIdOf(mark);
  return { trace, span, sampled: tracer.isSampled(trace) };
}

/** Writes an ended task's span: from the start of its work, or from its creation if it did none. */
export function writeTask(tracer: Tracer, of: TracedTask, result: TaskResult, facts: TaskFacts): void {
  const { plan, session, isCalled, createdAt } = facts;
  const { task, mark, trace } = of;
  const context = contextOf(tracer, of, taskSpanId(mark, task));
  const came = trace === undefined ? undefined : parseTraceparent(trace).span;
  const to = Date.parse(result.finished_at ?? '') || Date.now();
  const isAgent = plan.agent !== undefined;
  const operation = isAgent ? OPERATIONS.agent : OPERATIONS.task;
  tracer.write({
    context,
    parent: isCalled ? callingSpanId(mark, task) : came,
    name: `${operation} ${result.ability_id}`,
    from: Date.parse(result.started_at ?? createdAt ?? '') || to,
    to,
    attributes: {
      [A.operation]: operation,
      [isAgent ? A.agent : A.workflow]: result.ability_id,
      [A.conversation]: session ?? undefined,
      [A.project]: plan.project,
      [A.environment]: result.environment,
      [A.taskId]: task,
      [A.taskKey]: result.task_key ?? undefined,
      [A.taskStatus]: result.status,
      [A.taskVersion]: String(result.version),
      [A.plan]: result.digest,
      [A.createdAt]: createdAt,
    },
    error: result.status === 'succeeded' ? undefined : (result.error?.code ?? result.status),
  });
}

/** Writes a step's span as reported by its workflow. Each later attempt of a group has spans of its own. */
export function writeStep(tracer: Tracer, of: TracedTask, step: StepSpan): void {
  const { task, mark } = of;
  const isGood = step.status === 'succeeded' || step.status === 'skipped';
  tracer.write({
    context: contextOf(tracer, of, stepSpanId(mark, task, step.instance)),
    parent: spanAround(of, step.within),
    name: `${OWN_SPANS.step} ${step.id}`,
    from: Date.parse(step.started_at),
    to: Date.parse(step.finished_at),
    attributes: {
      [A.taskId]: task,
      [A.stepPath]: step.path,
      [A.stepVerb]: step.verb,
      [A.stepStatus]: step.status,
      [A.stepCall]: step.call,
      [A.attempts]: step.attempts,
    },
    error: isGood ? undefined : (step.error ?? step.status),
  });
}

/** Writes the span of a hook that a workflow answered itself, by an expression. */
export function writeHook(tracer: Tracer, of: TracedTask, hook: HookSpan): void {
  const at = Date.parse(hook.at);
  tracer.write({
    context: contextOf(tracer, of, newSpanId()),
    parent: spanAround(of, hook.within),
    name: `${OWN_SPANS.hook} ${hook.id}`,
    from: at,
    to: at,
    attributes: {
      [A.taskId]: of.task,
      [A.hook]: hook.id,
      [A.hookPhase]: hook.phase,
      [A.hookDecision]: hook.decision,
      [A.hookHandler]: 'expression',
    },
    error: hookError(hook),
  });
}

/** A failed hook is an error even if it lets the call pass; a denial is a success. */
export function hookError({ status }: Pick<HookAnswer, 'status'> | HookSpan): string | undefined {
  return status === 'error' ? 'hook.failed' : undefined;
}

/** @param instance of the step around it; undefined: the task itself. */
export function spanAround({ mark, task }: TracedTask, instance: string | undefined): string {
  return instance === undefined ? taskSpanId(mark, task) : stepSpanId(mark, task, instance);
}
