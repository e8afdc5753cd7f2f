import type { Finding } from '../../contracts/findings.js';
import { type Phase, SESSION_PHASES } from '../../contracts/hooks.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { caseOf } from '../../planning/hooks/example-event.js';
import { planEventHook } from '../../planning/hooks/resolve-event-hooks.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { problemsOf } from '../../planning/steps/definition-errors.js';
import { isGuardPhase } from '../../rules/hooks/fold-answers.js';
import { answerExpression, eventFacts } from '../../rules/hooks/hook-facts.js';
import { type LintedProject, ofFile } from '../linted-project.js';

/** Evaluates the examples of expression hooks, and finds those with another decision than expected. */
export function* checkHookExamples({ registry }: LintedProject): Generator<Finding> {
  for (const [phase, hooks] of registry.hooks) {
    for (const hook of hooks) yield* ofFile(hook.file, () => exampleFindings(registry, phase, hook));
  }
}

function* exampleFindings(registry: Registry, phase: Phase, hook: Loaded<HookDefinition>): Generator<Finding> {
  const { handler, examples = [], must_deny, id, blocking, enabled } = hook.value;
  // `must_deny`, for a guard of another tool, counts as an example.
  const isShown = examples.length > 0 || must_deny !== undefined || 'builtin' in handler;
  if (enabled && blocking && !isShown && isGuardPhase(phase)) {
    const message = `The guard ${id} has no example, so nothing shows that it refuses what it should`;
    yield findingOf('lint.guard_without_example', message, hook.locate(['id']));
  }
  // `ability hooks test` runs scripts and abilities.
  if (!('expression' in handler)) return;
  for (const [index, example] of examples.entries()) {
    const at = hook.locate(['examples', index]);
    try {
      const { event, now = Date.now(), expect } = caseOf(registry, phase, example);
      const expression = { kind: 'expression', reason: '', ...handler.expression } as const;
      const answer = answerExpression(id, expression, { phase, path: '' }, eventFacts(event), now);
      if (answer.status === 'ok' && answer.decision === expect) continue;
      const said = answer.status === 'error' ? `fails: ${answer.reason}` : `answers ${answer.decision}`;
      yield findingOf('lint.hook_example', `The hook ${id} ${said}, where its example has ${expect}`, at);
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      yield findingOf('lint.hook_example', error.message, at);
    }
  }
}

/** Plans hooks of sessions, which are otherwise planned only at their event. Source: R-000-57, R-002-48. */
export function* checkEventHooks({ registry }: LintedProject): Generator<Finding> {
  const [environment = ''] = Object.keys(registry.project.environments);
  const variables = new EnvironmentVariables(registry.root, environment);
  for (const phase of SESSION_PHASES) {
    for (const hook of registry.hooks.get(phase) ?? []) {
      if (!hook.value.enabled) continue;
      const [problem] = problemsOf(() => planEventHook(hook, phase, registry, variables));
      if (problem) yield findingOfProblem(problem, hook.file);
    }
  }
}
