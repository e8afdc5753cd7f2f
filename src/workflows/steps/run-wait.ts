import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { WaitStep } from '../../contracts/plan.js';
import { formatDuration } from '../../rules/duration.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateCondition, evaluateDuration, evaluateExpression } from './evaluate.js';
import type { Frame } from './frame.js';
import { StepFailure } from './step-failure.js';

/** Waits for time to pass, a condition or a signal. @returns the payload of the signal, else null. Source: docs/workflow-language.md#calls. */
export async function runWait(run: TaskRun, step: WaitStep, path: string, frame: Frame): Promise<Json> {
  const { wait } = step;
  if ('for' in wait) return waitUntil(run, step, path, evaluateDuration(run, wait.for, frame), frame);
  if ('until' in wait) return waitForCondition(run, step, path, wait.until, frame);
  return waitForSignal(run, step, path, wait, frame);
}

async function waitUntil(run: TaskRun, step: WaitStep, path: string, ms: number, frame: Frame): Promise<null> {
  const deadline = run.deadlineOf(path, step.id, frame.budget.capWait(ms));
  const left = deadline - Date.now();
  if (left > 0) await frame.halt.wait(() => sleep(left, { summary: path }));
  return null;
}

/** A timestamp is a moment; a boolean is looked at whenever something happens in the task. Source: docs/workflow-language.md#waits. */
async function waitForCondition(
  run: TaskRun,
  step: WaitStep,
  path: string,
  source: string,
  frame: Frame,
): Promise<null> {
  run.note(path, step.id, { status: 'waiting' });
  for (;;) {
    const seen = run.changes;
    const value = evaluateExpression(run, source, frame);
    if (value === true) return null;
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) {
      return waitUntil(run, step, path, Math.max(0, Date.parse(value) - run.now()), frame);
    }
    if (value !== false) {
      throw new StepFailure({
        code: 'expression.not_boolean',
        message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false nor a timestamp`,
        suggestion: 'Write a comparison, or timestamp("2026-01-31T12:00:00Z").',
      });
    }
    await frame.halt.wait(() => condition(() => run.changes !== seen));
  }
}

/** A signal that came before its wait was kept; each is taken once. Source: docs/workflow-language.md#waits. */
async function waitForSignal(
  run: TaskRun,
  step: WaitStep,
  path: string,
  wait: { signal: string; if?: string; timeout?: string },
  frame: Frame,
): Promise<Json> {
  run.note(path, step.id, { status: 'waiting' });
  const take = (): { payload: Json } | undefined => takeSignal(run, wait, frame);
  const found = take();
  if (found) return found.payload;
  const limit = wait.timeout === undefined ? Number.POSITIVE_INFINITY : evaluateDuration(run, wait.timeout, frame);
  const most = frame.budget.capWait(limit);
  if (most === Number.POSITIVE_INFINITY) return frame.halt.wait(() => untilTaken(run, take, () => false));
  const deadline = run.deadlineOf(path, step.id, most);
  return frame.halt.wait(async () => {
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
      const message = `The signal ${wait.signal} did not come within ${formatDuration(most)}`;
      const suggestion = `Send it: ability task signal ${run.task} ${wait.signal}`;
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
    const seen = run.changes;
    const found = take();
    if (found) return found.payload;
    if (isLate()) throw LATE;
    await condition(() => run.changes !== seen || isLate());
  }
}

/** Takes the first kept signal of this name that the wait wants; others stay for other waits. */
function takeSignal(
  run: TaskRun,
  { signal: name, if: source }: { signal: string; if?: string },
  frame: Frame,
): { payload: Json } | undefined {
  const index = run.signals.findIndex((received) => {
    if (received.name !== name) return false;
    if (source === undefined) return true;
    return evaluateCondition(run, source, { ...frame, names: { ...frame.names, signal: received.payload } });
  });
  return index < 0 ? undefined : run.signals.splice(index, 1)[0];
}
