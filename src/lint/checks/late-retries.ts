import type { Finding } from '../../contracts/findings.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { formatDuration, isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';
import { secondsOf } from './uncut-calls.js';

/** What all attempts of a call may take together where nobody wrote it. Milliseconds. Source: docs/operations.md#limits. */
const USUAL_MS = 60_000;

/** Finds retries whose first wait is as long as all attempts may take together, so that there is only the first attempt. */
export function* checkLateRetries({ registry }: LintedProject): Generator<Finding> {
  const limits = new StepLimits(registry);
  for (const workflow of registry.workflows.values()) {
    for (const { id, step, path } of walkSteps(workflow.value)) {
      const retry = 'retry' in step ? step.retry : undefined;
      if (!retry || retry.attempts < 2 || !isDuration(retry.first)) continue;
      const limit = limits.of(step);
      if (!limit || shortestWait(retry) < limit.ms) continue;
      const message = `\`${id}\` waits \`retry.first: ${retry.first}\` before its second attempt, and all its attempts together have ${formatDuration(limit.ms)} (${limit.from}), so that there is none`;
      yield findingOf('lint.retry_too_late', message, workflow.locate([...path, 'retry'], 'key'));
    }
  }
}

/** Milliseconds. */
function shortestWait({ first, jitter }: { first: string; jitter?: true }): number {
  return parseDuration(first) * (jitter ? 0.5 : 1);
}

/** How long all attempts of a step may take together, and what says so. */
class StepLimits {
  private readonly written = new Map<string, number>();
  private readonly mostMs: number;

  constructor(private readonly registry: Registry) {
    const { max_timeout: most } = registry.project.policy;
    this.mostMs = most === undefined ? Number.POSITIVE_INFINITY : parseDuration(most);
    for (const { operation, body } of implementationBodies(registry)) {
      const ms = (secondsOf(body) ?? 0) * 1000;
      this.written.set(operation, Math.max(ms, this.written.get(operation) ?? 0));
    }
  }

  /** Undefined for what is only known when it runs, or has no limit but that of the task. */
  of(step: StepDefinition): { ms: number; from: string } | undefined {
    const { timeout } = step;
    if (timeout !== undefined) {
      return isDuration(timeout) ? { ms: parseDuration(timeout), from: `\`timeout: ${timeout}\`` } : undefined;
    }
    if (step.verb !== 'call' || !this.registry.operations.has(step.call)) return undefined;
    const writtenMs = this.written.get(step.call) ?? 0;
    const ms = Math.max(USUAL_MS, writtenMs);
    if (this.mostMs < ms) return { ms: this.mostMs, from: '`policy.max_timeout`' };
    const own = 'the step has no `timeout` of its own';
    return { ms, from: writtenMs > USUAL_MS ? `\`timeout_sec\` of its implementation; ${own}` : own };
  }
}
