import type { Finding } from '../../contracts/findings.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { Loaded } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';

/** A time-out as written. */
interface Written {
  text: string;
  ms: number;
  from: Loaded<unknown>;
  path: PropertyKey[];
}

/** Finds time-outs above the project's policy, which cuts them. Source: R-000-89; docs/operations.md#limits. */
export function* checkTimeOuts(project: LintedProject): Generator<Finding> {
  const { max_timeout: most } = project.registry.project.policy;
  if (most === undefined) return;
  for (const { text, ms, from, path } of writtenIn(project)) {
    if (ms <= parseDuration(most)) continue;
    const message = `The time-out ${text} is longer than the policy's ${most}, which it is cut to`;
    yield findingOf('lint.timeout_over_policy', message, from.locate(path));
  }
}

function* writtenIn({ registry }: LintedProject): Generator<Written> {
  for (const { body, from, path } of implementationBodies(registry)) {
    const seconds = sectionOf(body).timeout_sec;
    if (seconds === undefined) continue;
    yield { text: `${seconds}s`, ms: seconds * 1000, from, path: [...path, body.kind, 'timeout_sec'] };
  }
  for (const workflow of registry.workflows.values()) {
    const { timeout } = workflow.value;
    if (timeout !== undefined) yield { text: timeout, ms: parseDuration(timeout), from: workflow, path: ['timeout'] };
    for (const { step, path } of walkSteps(workflow.value)) {
      const own = step.timeout;
      if (own === undefined || !isDuration(own)) continue;
      yield { text: own, ms: parseDuration(own), from: workflow, path: [...path, 'timeout'] };
    }
  }
}

function sectionOf(body: ImplementationBody): { timeout_sec?: number | undefined } {
  if (body.kind === 'script') return body.script;
  return body.kind === 'mcp' ? body.mcp : body.api;
}
