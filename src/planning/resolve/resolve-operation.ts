import { isReading, isRepeatable } from '../../contracts/effects.js';
import type { PlanOperation, PlanUnknown } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { parseDuration } from '../../rules/duration.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { hookLevels } from '../hooks/hook-levels.js';
import { resolveHooks } from '../hooks/resolve-hooks.js';
import { type Available, checkCondition, checkTemplate, invalidAt, notThere } from '../steps/check-names.js';
import type { Planning } from './plan-warning.js';
import { resolveCallable } from './resolve-callable.js';

/**
 * Merges operation, implementation, configuration and environment; later levels override earlier ones key by key.
 * Source: R-000-52 to R-000-54; docs/definitions.md. @throws AbilityError with the missing part and its place.
 */
function resolveOperation({ registry, variables, warn }: Planning, operation: Loaded<LowLevel>): PlanOperation {
  const callable = resolveCallable(registry, operation, variables);
  const levels = hookLevels(registry, operation, variables.environment);
  const unknown = resolveUnknown(registry, operation);
  return { ...callable, hooks: resolveHooks(registry, levels, warn, variables), ...defined({ unknown }) };
}

/** Resolves an operation, and the one that is asked about its lost calls. @param found receives both by their keys. */
export function addOperation(
  planning: Planning,
  found: Record<string, PlanOperation>,
  loaded: Loaded<LowLevel>,
): PlanOperation {
  const { operation_key: key } = loaded.value;
  const known = Object.hasOwn(found, key) ? found[key] : undefined;
  if (known) return known;
  const operation = resolveOperation(planning, loaded);
  found[key] = operation;
  const asked = operation.unknown && planning.registry.operations.get(operation.unknown.call);
  if (asked) addOperation(planning, found, asked);
  return operation;
}

const INSTEAD = 'The answer must be read alike whenever the question is asked.';
const IN_QUESTION: Available = { names: ['call'], functions: [], where: '`with` of `unknown`', instead: INSTEAD };
const IN_ANSWER: Available = { ...IN_QUESTION, names: ['call', 'output', 'error'], where: '`unknown`' };

/**
 * Whom to ask about a lost call. @throws AbilityError if the ability asked does not exist, is no low-level one, or
 * may change something; if the call may be repeated anyway; `expression.*`.
 */
function resolveUnknown(registry: Registry, operation: Loaded<LowLevel>): PlanUnknown | undefined {
  const { operation_key: key, unknown, effects } = operation.value;
  if (!unknown) return undefined;
  const spot = (...keys: string[]) => ({ from: operation, path: ['unknown', ...keys] });
  if (isRepeatable(effects)) {
    const suggestion = 'Leave it out; a lost call of this ability is made again.';
    throw invalidAt(spot(), `\`unknown\` is never asked, since calls that are ${effects} may be repeated`, suggestion);
  }
  const { call, with: given, happened, not_happened, output, wait, attempts } = unknown;
  const asked = askedAbility(registry, operation, call);
  if (!isReading(asked.effects)) {
    const message = `The ability ${call} is ${asked.effects}, so it cannot say what became of a call of ${key}`;
    throw invalidAt(spot('call'), message, 'Name one that is `read` or `external_read`: a question changes nothing.');
  }
  checkTemplate(given, IN_QUESTION, spot('with'));
  checkCondition(happened, IN_ANSWER, spot('happened'));
  checkCondition(not_happened, IN_ANSWER, spot('not_happened'));
  checkTemplate(output, IN_ANSWER, spot('output'));
  return { call, with: given, happened, not_happened, output, wait_ms: parseDuration(wait), attempts };
}

function askedAbility(registry: Registry, from: Loaded<LowLevel>, id: string): LowLevel {
  const found = registry.operations.get(id);
  if (found && !registry.broken.has(`ability:${id}`)) return found.value;
  throw notThere(registry, `ability:${id}`, {
    message: `There is no low-level ability ${id}, which should say what became of a call`,
    location: from.locate(['unknown', 'call']),
    suggestion: didYouMean(id, [...registry.operations.keys()]) ?? 'Name a low-level ability: a question is one call.',
  });
}
