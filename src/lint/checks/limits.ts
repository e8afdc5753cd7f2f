import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';
import { writtenLimits } from './cut-calls.js';

/** Finds limits no task can keep, and idle time-outs. Source: docs/workflow-language.md#the-last-turn. */
export function* checkLimits({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* tooFewCalls(workflow, registry);
    yield* timeOuts(workflow, registry);
  }
  for (const agent of registry.agents.values()) yield* zero(agent.value.timeout, agent, ['timeout']);
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
  path: PropertyKey[];
  ms: number;
  text: string;
  of: string;
}

function* timeOuts(workflow: Loaded<HighLevel>, registry: Registry): Generator<Finding> {
  yield* zero(workflow.value.timeout, workflow, ['timeout']);
  const around: Outer[] = [];
  const cleanup = cleanUpOf(workflow.value);
  for (const { id, step, path } of walkSteps(workflow.value)) {
    while (around.length > 0 && !isWithin(path, around.at(-1)?.path ?? [])) around.pop();
    const approvalTimeout = step.verb === 'approval' ? step.approval.timeout : undefined;
    const own = step.timeout;
    if (cleanup) yield* tooLongForCleanUp(step, cleanup, workflow, path, writtenLimits(registry));
    if (own !== undefined && isDuration(own)) {
      const task = timeOutOfTask(workflow.value, step, path, registry);
      yield* tooLong(own, shortest([...around, ...(task ? [task] : [])]), workflow, [...path, 'timeout']);
      yield* zero(own, workflow, [...path, 'timeout']);
      around.push({ path, ms: parseDuration(own), text: own, of: `step \`${id}\`` });
    }
    if (approvalTimeout === undefined || !isDuration(approvalTimeout)) continue;
    yield* zero(approvalTimeout, workflow, [...path, 'approval', 'timeout']);
    // The author did not write the default time-out.
    if (isWritten(workflow, [...path, 'approval']))
      yield* tooLong(approvalTimeout, shortest(around), workflow, [...path, 'approval', 'timeout']);
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
  return { path: [], ms: parseDuration(timeout), text: timeout, of: 'whole task' };
}

function cleanUpOf({ limits }: HighLevel): Outer | undefined {
  const text = limits?.cleanup;
  return text === undefined ? undefined : { path: [], ms: parseDuration(text), text, of: 'clean-up' };
}

/** Calls that state more time than `limits.cleanup` gives. */
function* tooLongForCleanUp(
  step: StepDefinition,
  cleanup: Outer,
  workflow: Loaded<HighLevel>,
  path: PropertyKey[],
  written: ReadonlyMap<string, number>,
): Generator<Finding> {
  if (step.verb !== 'call') return;
  const secondsOf = (call: string): string => `${(written.get(call) ?? 0) / 1000}s`;
  if (step.undo) yield* tooLong(secondsOf(step.undo.call), cleanup, workflow, [...path, 'undo', 'call']);
  if (!path.includes('finally')) return;
  const own = step.timeout === undefined ? secondsOf(step.call) : step.timeout;
  if (isDuration(own))
    yield* tooLong(own, cleanup, workflow, [...path, step.timeout === undefined ? 'call' : 'timeout']);
}

function isWithin(path: PropertyKey[], outer: PropertyKey[]): boolean {
  if (path.length <= outer.length || !outer.every((part, index) => path[index] === part)) return false;
  // Handlers and clean-ups run outside the step's time limit.
  return !['on_error', 'finally'].includes(String(path[outer.length]));
}

function isWritten(workflow: Loaded<HighLevel>, path: PropertyKey[]): boolean {
  const [own, around] = [workflow.locate([...path, 'timeout']), workflow.locate(path)];
  return own.line !== around.line || own.column !== around.column;
}

function shortest(outer: readonly Outer[]): Outer | undefined {
  return outer.reduce<Outer | undefined>((least, one) => (least && least.ms <= one.ms ? least : one), undefined);
}

function* tooLong(
  text: string,
  outer: Outer | undefined,
  from: Loaded<unknown>,
  path: PropertyKey[],
): Generator<Finding> {
  if (!outer || parseDuration(text) <= outer.ms) return;
  const message = `The time-out ${text} is longer than that of the ${outer.of}, ${outer.text}`;
  yield findingOf('lint.timeout_over_outer', message, from.locate(path));
}

function* zero(text: string | undefined, from: Loaded<unknown>, path: PropertyKey[]): Generator<Finding> {
  if (text === undefined || !isDuration(text) || parseDuration(text) > 0) return;
  yield findingOf('lint.timeout_zero', `The time-out is ${text}`, from.locate(path));
}
