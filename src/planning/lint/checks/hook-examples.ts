import type { Finding } from '../../../contracts/findings.js';
import type { Phase } from '../../../contracts/hooks.js';
import { CEL } from '../../../contracts/names.js';
import type { HookDefinition, HookExample } from '../../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import { answerExpression, type HookFacts } from '../../../rules/hook-facts.js';
import { findingOf } from '../finding-of.js';
import type { LintedProject } from '../linted-project.js';
import { ofFile } from '../of-file.js';

/** Evaluates the examples of hooks that are expressions: each must be decided as it says. */
export function* checkHookExamples({ registry }: LintedProject): Generator<Finding> {
  for (const [phase, hooks] of registry.hooks) {
    for (const hook of hooks) yield* ofFile(hook.file, () => exampleFindings(registry, phase, hook));
  }
}

function* exampleFindings(registry: Registry, phase: Phase, hook: Loaded<HookDefinition>): Generator<Finding> {
  const { handler, examples = [], id } = hook.value;
  for (const [index, example] of examples.entries()) {
    const at = hook.locate(['examples', index]);
    if (!('expression' in handler)) {
      yield findingOf('lint.hook_example', `The hook ${id} is no expression, so its examples are not evaluated`, at);
      return;
    }
    const environment = example.environment ?? environmentOf(registry);
    if (!Object.hasOwn(registry.project.environments, environment)) {
      yield findingOf('lint.hook_example', `The project has no environment \`${environment}\``, at);
      continue;
    }
    const answer = answerExpression(
      id,
      { kind: 'expression', reason: '', ...handler.expression },
      { phase, path: '' },
      factsOf(registry, environment, example),
      { moment: example.now === undefined ? Date.now() : Date.parse(example.now), cel: CEL },
    );
    if (answer.status === 'ok' && answer.decision === example.decision) continue;
    const said = answer.status === 'error' ? `fails: ${answer.reason}` : `says ${answer.decision}`;
    yield findingOf('lint.hook_example', `The hook ${id} ${said}, where its example has ${example.decision}`, at);
  }
}

function environmentOf({ project }: Registry): string {
  return project.default_environment ?? Object.keys(project.environments)[0] ?? '';
}

/** What an example leaves out is empty: a hook stands before abilities of many kinds. */
function factsOf({ project }: Registry, environment: string, example: HookExample): HookFacts {
  const { ability = '', input = {}, effects = 'read', tags = [], user = 'example' } = example;
  const { protected: isProtected = false, vars = {} } = project.environments[environment] ?? {};
  return {
    ...{ input, effects, tags },
    environment: { name: environment, protected: isProtected, vars },
    ability: { id: ability, version: 1, modules: [] },
    implementation: null,
    task: { key: 'example', ability },
    session: null,
    user: { name: user, source: 'claimed' },
    outcome: null,
  };
}
