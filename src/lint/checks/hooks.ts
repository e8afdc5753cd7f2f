import type { Caller } from '../../contracts/callers.js';
import type { Finding } from '../../contracts/findings.js';
import { type Phase, SESSION_PHASES } from '../../contracts/hooks.js';
import { AbilityError } from '../../contracts/problem.js';
import { type Ability, loadedAbilities } from '../../definitions/find-ability.js';
import { fits, fitsMatch } from '../../definitions/fits-match.js';
import { isForeign } from '../../definitions/foreign-hook.js';
import type { HookDefinition, HookMatch } from '../../definitions/formats/hooks.js';
import { BINDING_LISTS, isGlobal, isNarrowed, type TaskPhase } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { mappingOf } from '../../definitions/tool-mapping/map-tool.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { caseOf } from '../../planning/hooks/example-event.js';
import { planEventHook } from '../../planning/hooks/resolve-event-hooks.js';
import { mappedAbilityOf } from '../../planning/hooks/resolve-foreign.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { problemsOf } from '../../planning/steps/check-names.js';
import { isGuardPhase } from '../../rules/hooks/fold-answers.js';
import { answerExpression, eventFacts } from '../../rules/hooks/handlers.js';
import { unlessRefused } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { KNOWN_TAGS } from './implementations.js';

/** Finds hooks whose `match` fits nothing, so that they never fire. Source: R-000-63; C-07. */
export function* checkHookMatches({ registry }: LintedProject): Generator<Finding> {
  const known = namesIn(registry);
  for (const hook of [...registry.hooks.values()].flat()) {
    if (hook.value.enabled && hook.value.match) yield* unfitPatterns(hook, hook.value.match, known);
  }
  yield* evadedGuards(registry);
  yield* unfitBindings(registry);
}

/**
 * Finds guards without `match` that a binding removes from all other abilities, and guards that an agent evades by
 * claiming to be another kind of caller. Source: C-44.
 */
function* evadedGuards(registry: Registry): Generator<Finding> {
  for (const phase of ['PreAbilityCreate', 'PreAbilityCall'] as const) {
    for (const { value, locate } of registry.hooks.get(phase) ?? []) {
      if (!value.enabled) continue;
      if (isNarrowed(registry, phase, value)) {
        const message = `The hook ${value.id} blocks and has no \`match\`: bound by name, it fires only where it is bound`;
        yield findingOf('lint.hook_narrowed', message, locate(['id']));
      }
      const callers = value.match?.callers ?? [];
      if (!callers.includes('agent') || CLAIMED.every((caller) => callers.includes(caller))) continue;
      const message = `The guard ${value.id} fires for agents and not for every client, and on the command line only a client that says so counts as an agent`;
      yield findingOf('lint.claimed_caller', message, locate(['match', 'callers']));
    }
  }
}

const CLAIMED: readonly Caller[] = ['person', 'ci'];

interface Known {
  modules: ReadonlySet<string>;
  tags: ReadonlySet<string>;
}

function namesIn(registry: Registry): Known {
  const bodies = [...implementationBodies(registry)];
  return {
    modules: new Set(loadedAbilities(registry).flatMap(([, { value }]) => value.scope.modules ?? [])),
    tags: new Set([...bodies.flatMap(({ body }) => body.tags ?? []), ...KNOWN_TAGS]),
  };
}

/** Characters that no id contains, such as those of regular expressions. */
const NO_ID = /[^a-z0-9_.*-]/;

/** Finds patterns that no id can match, and unknown names; a pattern with `*` may be for future abilities. */
function* unfitPatterns(hook: Loaded<HookDefinition>, match: HookMatch, known: Known): Generator<Finding> {
  for (const [index, pattern] of (match.abilities ?? []).entries()) {
    // Loading the definitions reports an unknown name without *.
    if (!pattern.includes('*') || !NO_ID.test(pattern)) continue;
    const message = `\`${pattern}\` of the hook ${hook.value.id} fits no id: ids have small letters, digits, dots, dashes and _`;
    yield findingOf('lint.match_never_fits', message, hook.locate(['match', 'abilities', index]));
  }
  for (const key of ['modules', 'tags'] as const) {
    for (const [index, name] of (match[key] ?? []).entries()) {
      if (name.includes('*') || known[key].has(name)) continue;
      const what = key === 'modules' ? 'ability has the module' : 'implementation has the tag';
      const message = `The hook ${hook.value.id} never fires for \`${name}\`: no ${what}`;
      const location = hook.locate(['match', key, index]);
      const there = known[key].size > 0 ? `There are: ${[...known[key]].slice(0, 10).join(', ')}.` : undefined;
      yield findingOf('lint.match_never_fits', message, location, didYouMean(name, known[key]) ?? there);
    }
  }
}

/** Finds hooks bound by name whose own `match` excludes the ability. */
function* unfitBindings(registry: Registry): Generator<Finding> {
  const hooks = hooksByPhase(registry);
  for (const [id, ability] of loadedAbilities(registry)) {
    const bindings = ability.value.hooks;
    if (!bindings) continue;
    for (const phase of Object.keys(BINDING_LISTS) as TaskPhase[]) {
      const list = BINDING_LISTS[phase];
      for (const [index, name] of (bindings[list] ?? []).entries()) {
        const match = hooks.get(phase)?.get(name)?.match;
        const why = match && whyItNeverFits(match, id, ability);
        if (why === undefined) continue;
        const message = `The hook ${name} never fires for ${id}: its \`match\` wants ${why}`;
        const fix = 'Correct `match` of the hook, or take the hook out of the binding.';
        yield findingOf('lint.match_never_fits', message, ability.locate(['hooks', list, index]), fix);
      }
    }
  }
}

function hooksByPhase({ hooks }: Registry): Map<string, Map<string, HookDefinition>> {
  return new Map([...hooks].map(([phase, list]) => [phase, new Map(list.map(({ value }) => [value.id, value]))]));
}

function whyItNeverFits(
  { abilities, modules, kinds, effects }: HookMatch,
  id: string,
  { value }: Loaded<Ability>,
): string | undefined {
  if (!fits(abilities, [id])) return `abilities ${abilities?.join(', ')}`;
  if (!fits(modules, value.scope.modules ?? [])) return `modules ${modules?.join(', ')}`;
  // Not compared: environments, which a scope may exclude as well, and effects of workflows and agents, which depend on
  // calls.
  if ('effects' in value && effects && !effects.includes(value.effects)) return `effects ${effects.join(', ')}`;
  const canBe = 'effects' in value ? (kind: string) => kind !== 'workflow' : (kind: string) => kind === 'workflow';
  if (kinds && !kinds.some(canBe)) return `kinds ${kinds.join(', ')}`;
  return undefined;
}

const MAX_NAMED = 5;

/** Finds guards of another tool that fit abilities which `as` does not show them. */
export function* checkHookCoverage({ registry }: LintedProject): Generator<Finding> {
  for (const phase of ['PreAbilityCall', 'PostAbilityCall'] as const) {
    for (const hook of registry.hooks.get(phase) ?? []) {
      if (!hook.value.enabled || !isForeign(hook.value)) continue;
      const list = BINDING_LISTS[phase];
      const wanted = [...registry.operations].filter(
        ([, { value }]) => isGlobal(registry, phase, hook.value) || value.hooks?.[list]?.includes(hook.value.id),
      );
      const missed = wanted.map(([id]) => id).filter((id) => isMissed(hook, id, registry));
      if (missed.length === 0) continue;
      const more = missed.length > MAX_NAMED ? ` and ${missed.length - MAX_NAMED} more` : '';
      const message = `The hook ${hook.value.id} does not run for ${missed.slice(0, MAX_NAMED).join(', ')}${more}: no entry of \`as\` fits`;
      yield findingOf('lint.hook_uncovered', message, hook.locate(['as']));
    }
  }
}

/** Whether the hook fires for the ability in some environment where no entry of `as` maps the ability. */
function isMissed(hook: Loaded<HookDefinition>, id: string, registry: Registry): boolean {
  const { match, as: mappings = [] } = hook.value;
  return Object.keys(registry.project.environments).some((environment) => {
    // An error in the ability itself is a finding of its own.
    const subject = unlessRefused(() => mappedAbilityOf(registry, id, environment, hook, []));
    return subject && (!match || fitsMatch(match, subject)) && mappingOf(mappings, subject) === undefined;
  });
}

/** Evaluates the examples of expression hooks, and finds those with another decision than expected. */
export function* checkHookExamples({ registry }: LintedProject): Generator<Finding> {
  for (const [phase, hooks] of registry.hooks) {
    for (const hook of hooks) yield* ofFile(hook.file, () => exampleFindings(registry, phase, hook));
  }
}

function* exampleFindings(registry: Registry, phase: Phase, hook: Loaded<HookDefinition>): Generator<Finding> {
  const { handler, examples = [], must_deny, id, blocking, enabled } = hook.value;
  // `must_deny`, for a guard of another tool, counts as an example.
  const isShown = examples.length > 0 || must_deny !== undefined || partsOfHandler(handler).isOurs;
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
