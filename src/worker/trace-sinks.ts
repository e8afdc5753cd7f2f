import type { InjectedSinks } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { PlanSource } from '../activities/plan-source.js';
import type { EndedTask, SpanSinks } from '../contracts/run-sinks.js';
import type { TaskResult } from '../contracts/task.js';
import { readTraceparent } from '../rules/trace-context.js';
import { type TracedTask, writeHook, writeStep, writeTask } from '../tracing/task-spans.js';
import type { Tracer } from '../tracing/tracer.js';
import { log } from './logger.js';

/** What writes the spans that workflows report. A workflow that is replayed has reported them before. */
export function spanSinks(tracer: Tracer): InjectedSinks<SpanSinks> {
  return {
    traces: {
      step: { callDuringReplay: false, fn: (info, step) => writeStep(tracer, tracedTask(info, step.seal), step) },
      hook: { callDuringReplay: false, fn: (info, hook) => writeHook(tracer, tracedTask(info, hook.seal), hook) },
    },
  };
}

/** Writes the span of a task that closes beside its history; never throws. Others are written by their `finish`. */
export async function traceEnd(tracer: Tracer, plans: PlanSource, info: WorkflowInfo, ended: EndedTask): Promise<void> {
  const { workflowId, runId, taskQueue } = info;
  try {
    const asked = { workflowExecution: { workflowId, runId }, taskQueue };
    const { plan, session } = await plans.admit(ended.seal, asked);
    const facts = { plan, session, isCalled: false, createdAt: ended.created_at };
    writeTask(tracer, tracedTask(info, ended.seal), JSON.parse(ended.result) as TaskResult, facts);
  } catch (error) {
    log.warn({ task: workflowId, reason: String(error) }, 'the span of a task was not written');
  }
}

function tracedTask({ workflowId: task, memo }: WorkflowInfo, mark: string): TracedTask {
  return { task, mark, trace: readTraceparent(memo?.trace) };
}
