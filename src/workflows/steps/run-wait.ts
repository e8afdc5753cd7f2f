import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { WaitStep } from '../../contracts/plan.js';
import { formatDuration } from '../../rules/duration.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateCondition, evaluateDuration, evaluateExpression } from './evaluate.js';
import type { Frame } from './frame.js';
import { StepFailure } from './step-failure.js';

/** @returns the signal's payload, else null. Source: docs/workflow-language.md#calls. */
export async function runWait(step: WaitStep, path: string, frame: Frame): Promise<Json> {
  const { wait } = step;
  if ('for' in wait) return waitUntil(step, path, evaluateDuration(wait.for, frame), frame);
  if ('until' in wait) return waitForCondition(step, path, wait.until, frame);
  return waitForSignal(step, path, wait, frame);
}

async function waitUntil(step: WaitStep, path: string, ms: number, frame: Frame): Promise<null> {
  const deadline = frame.run.steps.deadlineOf(path, step.id, frame.budget.capWait(ms));
  const left = deadline - Date.now();
  if (left > 0) await frame.branchStop.wait(() => sleep(left, { summary: path }));
  return null;
}

/** A timestamp is a deadline; a boolean is evaluated at changes. Source: docs/workflow-language.md#waits. */
async function waitForCondition(step: WaitStep, path: string, source: string, frame: Frame): Promise<null> {
  const { run } = frame;
  run.steps.note(path, step.id, { status: 'waiting' });
  for (;;) {
    const seen = run.life.changes;
    const value = evaluateExpression(source, frame);
    if (value === true) return null;
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) {
      return waitUntil(step, path, Math.max(0, Date.parse(value) - run.task.now()), frame);
    }
    if (value !== false) {
      throw new StepFailure({
        code: 'expression.not_boolean',
        message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false nor a timestamp`,
        suggestion: 'Write a comparison, or timestamp("2026-01-31T12:00:00Z").',
      });
    }
    await frame.branchStop.wait(() => condition(() => run.life.changes !== seen));
  }
}

/** Also takes signals that came earlier, each once. Source: docs/workflow-language.md#waits. */
async function waitForSignal(
  step: WaitStep,
  path: string,
  wait: { signal: string; if?: string; timeout?: string },
  frame: Frame,
): Promise<Json> {
  const { run } = frame;
  run.steps.note(path, step.id, { status: 'waiting' });
  const take = (): { payload: Json } | undefined => takeSignal(wait, frame);
  const found = take();
  if (found) return found.payload;
  const limit = wait.timeout === undefined ? Number.POSITIVE_INFINITY : evaluateDuration(wait.timeout, frame);
  const max = frame.budget.capWait(limit);
  if (max === Number.POSITIVE_INFINITY) return frame.branchStop.wait(() => untilTaken(run, take, () => false));
  const deadline = run.steps.deadlineOf(path, step.id, max);
  return frame.branchStop.wait(async () => {
    let isLate = false;
    const timer = new CancellationScope();
    timer
      .run(() => sleep(Math.max(1, deadline - Date.now()), { summary: `${path}: ${wait.signal}` }))
      .then(
        () => (isLate = true),
        () => {},
      );
    try {
      return await untilTaken(run, take, () => isLate);
    } catch (error) {
      if (error !== LATE) throw error;
      const message = `The signal ${wait.signal} did not come within ${formatDuration(max)}`;
      const suggestion = `Send it: ability task signal ${run.task.id} ${wait.signal}`;
      throw new StepFailure({ code: 'timeout.signal', message, suggestion });
    } finally {
      timer.cancel();
    }
  });
}

const LATE = new Error('no signal in time');

async function untilTaken(
  run: TaskRun,
  take: () => { payload: Json } | undefined,
  isLate: () => boolean,
): Promise<Json> {
  for (;;) {
    const seen = run.life.changes;
    const found = take();
    if (found) return found.payload;
    if (isLate()) throw LATE;
    await condition(() => run.life.changes !== seen || isLate());
  }
}

/** Takes the first kept signal of this name that the wait wants; others stay for other waits. */
function takeSignal(
  { signal: name, if: source }: { signal: string; if?: string },
  frame: Frame,
): { payload: Json } | undefined {
  const { run } = frame;
  const index = run.steps.signals.findIndex((received) => {
    if (received.name !== name) return false;
    if (source === undefined) return true;
    return evaluateCondition(source, { ...frame, names: { ...frame.names, signal: received.payload } });
  });
  return index < 0 ? undefined : run.steps.signals.splice(index, 1)[0];
}
