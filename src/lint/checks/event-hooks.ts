import type { Finding } from '../../contracts/findings.js';
import { SESSION_PHASES } from '../../contracts/hooks.js';
import { AbilityError } from '../../contracts/problem.js';
import { findingOfProblem } from '../../planning/finding-of.js';
import { planEventHook } from '../../planning/hooks/resolve-event-hooks.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import type { LintedProject } from '../linted-project.js';

/** Finds hooks of sessions that could not be asked: they are planned when the event comes. Source: R-000-57, R-002-48. */
export function* checkEventHooks({ registry }: LintedProject): Generator<Finding> {
  const [environment = ''] = Object.keys(registry.project.environments);
  const variables = new EnvironmentVariables(registry.root, environment);
  for (const phase of SESSION_PHASES) {
    for (const hook of registry.hooks.get(phase) ?? []) {
      if (!hook.value.enabled) continue;
      try {
        planEventHook(hook, phase, registry, variables);
      } catch (error) {
        if (!(error instanceof AbilityError)) throw error;
        yield findingOfProblem(error.toProblem(), hook.file);
      }
    }
  }
}
