import type { Info } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import type { CallAnswer, CallRequest } from '../../contracts/activities.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { ATTRIBUTES as A, OPERATIONS } from '../../contracts/traces.js';
import { kindOf } from '../../kinds/kinds.js';
import { attemptSpanId, hookInstanceOf, stepInstanceOf, stepSpanId, taskSpanId } from '../../rules/traces/trace-ids.js';
import { addToSpan, currentSpan, inSpan, type NewSpan, runWithin } from '../../tracing/current-span.js';
import type { Tracer } from '../../tracing/open-tracer.js';
import { contextOf, spanAround, type TracedTask } from '../../tracing/task-spans.js';
import { modelAttributes } from '../../tracing/trace-model-call.js';
import type { Admitted } from '../admission.js';
import type { CallLog } from './call-log.js';

export interface TracedCall {
  task: string;
  admitted: Admitted;
  operation: PlanOperation;
  request: CallRequest;
  info: Pick<Info, 'attempt' | 'activityId' | 'workflowExecution'>;
  codeOf: (error: unknown) => string | undefined;
}

/** Contents in spans are cut after this many characters. */
const MAX_OF_CONTENT = 8 * 1024;

/** Runs an attempt of a call in its own span, within its step's; without a tracer, just runs it. */
export function traceAttempt(
  tracer: Tracer | undefined,
  { task, admitted, operation, request, info, codeOf }: TracedCall,
  work: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  if (!tracer) return work();
  const { plan, trace, session } = admitted;
  const { path, groups = [], seal: mark } = request;
  const of: TracedTask = { task, mark, trace };
  const instance = stepInstanceOf(path, groups);
  const run = info.workflowExecution?.runId ?? '';
  const id = attemptSpanId(mark, task, [instance, run, info.activityId, info.attempt].join(' '));
  const isAlone = plan.ability.kind === 'operation' && path === 'run';
  const span = {
    ...spanOf(operation, `${task}/${path}`),
    codeOf: (error: unknown) => codeOf(error) ?? codeOfFailure(error),
  };
  Object.assign(span.attributes, {
    [A.conversation]: session ?? undefined,
    [A.taskId]: task,
    [A.stepPath]: path,
    [A.attempt]: info.attempt,
  });
  const parent = isAlone ? taskSpanId(mark, task) : stepSpanId(mark, task, instance);
  return inSpan({ tracer, context: contextOf(tracer, of, id) }, parent, span, work);
}

/** Runs a task's hooks inside the span of the call they guard; without a tracer, just runs them. */
export function traceHooks<T>(
  tracer: Tracer | undefined,
  { task, admitted, mark, path }: { task: string; admitted: Admitted; mark: string; path: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  const { plan, trace } = admitted;
  const of: TracedTask = { task, mark, trace };
  const around = spanAround(of, hookInstanceOf(plan, path));
  return runWithin({ tracer, context: contextOf(tracer, of, around) }, work);
}

/** Adds a call's input or output to its span, if the operator of the worker enabled it; known secrets are masked. */
export function recordContent(log: CallLog, key: 'toolArguments' | 'toolResult', value: Json | JsonObject): void {
  if (!currentSpan()?.tracer.recordsContents) return;
  const text = JSON.stringify(log.maskDeep(value)) ?? 'null';
  addToSpan({ [A[key]]: text.length > MAX_OF_CONTENT ? `${text.slice(0, MAX_OF_CONTENT)}…` : text });
}

function spanOf({ implementation, key, effects }: PlanOperation, id: string): NewSpan {
  if (implementation.kind === 'model') {
    const { name, script } = implementation.model;
    const attributes = modelAttributes({
      operation: 'chat',
      model: name,
      ...(script ? { provider: 'script' } : { stream: true }),
    });
    return { name: `${OPERATIONS.chat} ${name}`, isRequest: !script, attributes };
  }
  const own = kindOf(implementation);
  const attributes = {
    [A.operation]: OPERATIONS.tool,
    [A.tool]: key,
    [A.toolCall]: id,
    [A.effects]: effects,
    [A.implementation]: implementation.id,
    [A.kind]: implementation.kind,
    ...own.attributes(implementation),
  };
  return { name: `${OPERATIONS.tool} ${key}`, isRequest: own.isRequest(implementation), attributes };
}

function codeOfFailure(error: unknown): string {
  if (error instanceof AbilityError) return error.code;
  return error instanceof TemporalFailure ? 'cancelled' : 'internal.error';
}
