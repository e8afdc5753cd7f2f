import type { Finding } from '../../contracts/findings.js';
import { loadedComposites } from '../../definitions/find-ability.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { formatDuration, isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';
import { secondsOf, USUAL_MS, writtenLimits } from './cut-calls.js';

interface Written {
  text: string;
  ms: number;
  from: Loaded<unknown>;
  path: PropertyKey[];
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
    const seconds = secondsOf(body);
    if (seconds === undefined) continue;
    yield { text: `${seconds}s`, ms: seconds * 1000, from, path: [...path, body.kind, 'timeout_sec'] };
  }
  for (const [, from] of loadedComposites(registry)) {
    const { timeout } = from.value;
    if (timeout !== undefined) yield { text: timeout, ms: parseDuration(timeout), from, path: ['timeout'] };
  }
  for (const workflow of registry.workflows.values()) {
    for (const { step, path } of walkSteps(workflow.value)) {
      const own = step.timeout;
      if (own === undefined || !isDuration(own)) continue;
      yield { text: own, ms: parseDuration(own), from: workflow, path: [...path, 'timeout'] };
    }
  }
}

/** Finds retries whose first wait uses up the time of all attempts, so that there is only one attempt. */
export function* checkLateRetries({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    for (const { id, step, path } of walkSteps(workflow.value)) {
      const retry = 'retry' in step ? step.retry : undefined;
      if (!retry || retry.attempts < 2 || !isDuration(retry.first)) continue;
      const limit = limitOf(step, registry);
      if (!limit || shortestWait(retry) < limit.ms) continue;
      const message = `\`${id}\` waits \`retry.first: ${retry.first}\` before its second attempt, and all its attempts together have ${formatDuration(limit.ms)} (${limit.from}), so there is no second attempt`;
      yield findingOf('lint.retry_too_late', message, workflow.locate([...path, 'retry'], 'key'));
    }
  }
}

/** Milliseconds; jitter may halve the wait. */
function shortestWait({ first, jitter }: { first: string; jitter?: true }): number {
  return parseDuration(first) * (jitter ? 0.5 : 1);
}

/** Maximum time of all attempts, and its source; undefined if only the run or the task's limit decides. */
function limitOf(step: StepDefinition, registry: Registry): { ms: number; from: string } | undefined {
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
