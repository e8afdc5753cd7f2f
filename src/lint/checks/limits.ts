import type { Finding } from '../../contracts/findings.js';
import { loadedComposites } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { allDefinedSteps, type DefinedStep, walkSteps } from '../../planning/steps/called-abilities.js';
import { formatDuration, isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';
import { USUAL_MS, writtenLimits } from './cut-calls.js';

/** Finds limits no task can keep, and idle time-outs. Source: docs/workflow-language.md#the-last-turn. */
export function* checkLimits({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* tooFewCalls(workflow, registry);
    yield* timeOuts(workflow, registry);
  }
  for (const agent of registry.agents.values()) yield* zero(agent.value.timeout, { from: agent, path: ['timeout'] });
}

function* tooFewCalls(workflow: Loaded<HighLevel>, registry: Registry): Generator<Finding> {
  const { id, limits, steps } = workflow.value;
  if (limits?.max_calls === undefined) return;
  const least = certainCalls(steps, registry);
  if (least <= limits.max_calls) return;
  const message = `${id} makes at least ${least} calls, and may make ${limits.max_calls}`;
  yield findingOf('lint.limit_too_small', message, workflow.locate(['limits', 'max_calls']));
}

/** The minimum number of operation calls of a successful task: conditional steps count as none. */
function certainCalls(steps: readonly StepDefinition[], registry: Registry): number {
  let calls = 0;
  for (const step of steps) {
    if (step.if !== undefined) continue;
    if (step.verb === 'fail' || step.verb === 'end') break;
    calls += certainCallsOf(step, registry);
  }
  return calls;
}

function certainCallsOf(step: StepDefinition, registry: Registry): number {
  switch (step.verb) {
    case 'call':
      return registry.operations.has(step.call) ? 1 : 0;
    case 'parallel':
      return certainCalls(Object.values(step.parallel), registry);
    case 'foreach':
      return Array.isArray(step.foreach) ? step.foreach.length * certainCalls(step.steps, registry) : 0;
    case 'steps':
    case 'repeat':
      return certainCalls(step.steps, registry);
    // Only the run decides which branch wins or which case is taken.
    case 'race':
    case 'switch':
    case 'approval':
    case 'wait':
    case 'template':
    case 'let':
    case 'fail':
    case 'end':
      return 0;
  }
}

interface Outer {
  ms: number;
  text: string;
  of: string;
}

function* timeOuts(workflow: Loaded<HighLevel>, registry: Registry): Generator<Finding> {
  yield* zero(workflow.value.timeout, { from: workflow, path: ['timeout'] });
  const cleanup = cleanUpOf(workflow.value);
  for (const { step, path, around: outer } of walkSteps(workflow.value)) {
    const spot = { from: workflow, path };
    const around = outer.flatMap((one) => limitOf(one, path));
    const approvalTimeout = step.verb === 'approval' ? step.approval.timeout : undefined;
    const own = step.timeout;
    if (cleanup) yield* tooLongForCleanUp(step, cleanup, spot, writtenLimits(registry));
    if (own !== undefined && isDuration(own)) {
      const task = timeOutOfTask(workflow.value, step, path, registry);
      yield* tooLong(own, shortest([...around, ...(task ? [task] : [])]), within(spot, 'timeout'));
      yield* zero(own, within(spot, 'timeout'));
    }
    if (approvalTimeout === undefined || !isDuration(approvalTimeout)) continue;
    yield* zero(approvalTimeout, within(spot, 'approval', 'timeout'));
    // The author did not write the default time-out.
    if (isWritten(workflow, [...path, 'approval']))
      yield* tooLong(approvalTimeout, shortest(around), within(spot, 'approval', 'timeout'));
  }
}

/** The task's time-out, for calls of operations: it does not count approvals, waits and called workflows. */
function timeOutOfTask(
  { timeout }: HighLevel,
  step: StepDefinition,
  path: PropertyKey[],
  registry: Registry,
): Outer | undefined {
  if (timeout === undefined || path[0] !== 'steps') return undefined;
  if (step.verb !== 'call' || !registry.operations.has(step.call)) return undefined;
  return { ms: parseDuration(timeout), text: timeout, of: 'whole task' };
}

function cleanUpOf({ limits }: HighLevel): Outer | undefined {
  const text = limits?.cleanup;
  return text === undefined ? undefined : { ms: parseDuration(text), text, of: '`undo` and `finally`' };
}

/** Calls that state more time than `limits.cleanup` gives. */
function* tooLongForCleanUp(
  step: StepDefinition,
  cleanup: Outer,
  spot: Spot,
  written: ReadonlyMap<string, number>,
): Generator<Finding> {
  if (step.verb !== 'call') return;
  const secondsOf = (call: string): string => `${(written.get(call) ?? 0) / 1000}s`;
  if (step.undo) yield* tooLong(secondsOf(step.undo.call), cleanup, within(spot, 'undo', 'call'));
  if (!spot.path.includes('finally')) return;
  const own = step.timeout === undefined ? secondsOf(step.call) : step.timeout;
  if (isDuration(own)) yield* tooLong(own, cleanup, within(spot, step.timeout === undefined ? 'call' : 'timeout'));
}

/** The time-out of a step around the one at `path`; empty if it has none, or does not limit that one. */
function limitOf({ id, step: { timeout: text }, path: outer }: DefinedStep, path: PropertyKey[]): Outer[] {
  if (text === undefined || !isDuration(text)) return [];
  // Handlers and clean-ups run outside the step's time limit.
  if (['on_error', 'finally'].includes(String(path[outer.length]))) return [];
  return [{ ms: parseDuration(text), text, of: `step \`${id}\`` }];
}

function isWritten(workflow: Loaded<HighLevel>, path: PropertyKey[]): boolean {
  const [own, around] = [workflow.locate([...path, 'timeout']), workflow.locate(path)];
  return own.line !== around.line || own.column !== around.column;
}

function shortest(outer: readonly Outer[]): Outer | undefined {
  return outer.reduce<Outer | undefined>((least, one) => (least && least.ms <= one.ms ? least : one), undefined);
}

function* tooLong(text: string, outer: Outer | undefined, spot: Spot): Generator<Finding> {
  if (!outer || parseDuration(text) <= outer.ms) return;
  const message = `The time-out ${text} is longer than that of the ${outer.of}, ${outer.text}`;
  yield findingOf('lint.timeout_over_outer', message, locationOf(spot));
}

function* zero(text: string | undefined, spot: Spot): Generator<Finding> {
  if (text === undefined || !isDuration(text) || parseDuration(text) > 0) return;
  yield findingOf('lint.timeout_zero', `The time-out is ${text}`, locationOf(spot));
}

interface Written extends Spot {
  text: string;
  ms: number;
}

/** Finds time-outs that the project's policy cuts. Source: R-000-89; docs/operations.md#limits. */
export function* checkTimeOuts(project: LintedProject): Generator<Finding> {
  const { max_timeout: max } = project.registry.project.policy;
  if (max === undefined) return;
  for (const { text, ms, from, path } of writtenIn(project)) {
    if (ms <= parseDuration(max)) continue;
    const message = `The time-out ${text} is longer than the policy's ${max}, which it is cut to`;
    yield findingOf('lint.timeout_over_policy', message, from.locate(path));
  }
}

function* writtenIn({ registry }: LintedProject): Generator<Written> {
  for (const { body, from, path } of implementationBodies(registry)) {
    const seconds = writtenKindOf(body).timeoutSec(body);
    if (seconds === undefined) continue;
    yield { text: `${seconds}s`, ms: seconds * 1000, from, path: [...path, body.kind, 'timeout_sec'] };
  }
  for (const [, from] of loadedComposites(registry)) {
    const { timeout } = from.value;
    if (timeout !== undefined) yield { text: timeout, ms: parseDuration(timeout), from, path: ['timeout'] };
  }
  for (const { step, path, workflow } of allDefinedSteps(registry)) {
    const own = step.timeout;
    if (own === undefined || !isDuration(own)) continue;
    yield { text: own, ms: parseDuration(own), from: workflow, path: [...path, 'timeout'] };
  }
}

/** Finds retries whose first wait uses up the time of all attempts, so that there is only one attempt. */
export function* checkLateRetries({ registry }: LintedProject): Generator<Finding> {
  for (const { id, step, path, workflow } of allDefinedSteps(registry)) {
    const retry = 'retry' in step ? step.retry : undefined;
    if (!retry || retry.attempts < 2 || !isDuration(retry.first)) continue;
    const limit = allAttempts(step, registry);
    // Milliseconds; jitter may halve the wait.
    if (!limit || parseDuration(retry.first) * (retry.jitter ? 0.5 : 1) < limit.ms) continue;
    const message = `\`${id}\` waits \`retry.first: ${retry.first}\` before its second attempt, and all its attempts together have ${formatDuration(limit.ms)} (${limit.from}), so there is no second attempt`;
    yield findingOf('lint.retry_too_late', message, workflow.locate([...path, 'retry'], 'key'));
  }
}

/** Maximum time of all attempts, and its source; undefined if only the run or the task's limit decides. */
function allAttempts(step: StepDefinition, registry: Registry): { ms: number; from: string } | undefined {
  const { timeout } = step;
  if (timeout !== undefined) {
    return isDuration(timeout) ? { ms: parseDuration(timeout), from: `\`timeout: ${timeout}\`` } : undefined;
  }
  if (step.verb !== 'call' || !registry.operations.has(step.call)) return undefined;
  const writtenMs = writtenLimits(registry).get(step.call) ?? 0;
  const ms = Math.max(USUAL_MS, writtenMs);
  const { max_timeout: max } = registry.project.policy;
  const maxMs = max === undefined ? ms : parseDuration(max);
  if (maxMs < ms) return { ms: maxMs, from: '`policy.max_timeout`' };
  const own = 'the step has no `timeout` of its own';
  return { ms, from: writtenMs > USUAL_MS ? `\`timeout_sec\` of its implementation; ${own}` : own };
}
