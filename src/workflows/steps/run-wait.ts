import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { WaitStep } from '../../contracts/plan.js';
import { formatDuration } from '../../rules/duration.js';
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

type SignalWait = Extract<WaitStep['wait'], { signal: string }>;

/** Also takes signals that came earlier, each once. Source: docs/workflow-language.md#waits. */
async function waitForSignal(step: WaitStep, path: string, wait: SignalWait, frame: Frame): Promise<Json> {
  const { run } = frame;
  run.steps.note(path, step.id, { status: 'waiting' });
  const known = takeSignal(wait, frame);
  if (known) return known.payload;
  const limit = wait.timeout === undefined ? Number.POSITIVE_INFINITY : evaluateDuration(wait.timeout, frame);
  const max = frame.budget.capWait(limit);
  let isLate = false;
  const untilTaken = async (): Promise<Json> => {
    for (;;) {
      const seen = run.life.changes;
      const found = takeSignal(wait, frame);
      if (found) return found.payload;
      if (isLate) {
        const message = `The signal ${wait.signal} did not come within ${formatDuration(max)}`;
        const suggestion = `Send it: ability task signal ${run.task.id} ${wait.signal}`;
        throw new StepFailure({ code: 'timeout.signal', message, suggestion });
      }
      await condition(() => run.life.changes !== seen || isLate);
    }
  };
  if (max === Number.POSITIVE_INFINITY) return frame.branchStop.wait(untilTaken);
  const deadline = run.steps.deadlineOf(path, step.id, max);
  return frame.branchStop.wait(async () => {
    const timer = new CancellationScope();
    timer
      .run(() => sleep(Math.max(1, deadline - Date.now()), { summary: `${path}: ${wait.signal}` }))
      .then(
        () => (isLate = true),
        () => {},
      );
    try {
      return await untilTaken();
    } finally {
      timer.cancel();
    }
  });
}

/** Takes the first kept signal of this name that the wait wants; others stay for other waits. */
function takeSignal({ signal, if: source }: SignalWait, frame: Frame): { payload: Json } | undefined {
  const { signals } = frame.run.steps;
  const isWanted = (payload: Json): boolean =>
    source === undefined || evaluateCondition(source, { ...frame, names: { ...frame.names, signal: payload } });
  const index = signals.findIndex(({ name, payload }) => name === signal && isWanted(payload));
  return index < 0 ? undefined : signals.splice(index, 1)[0];
}
