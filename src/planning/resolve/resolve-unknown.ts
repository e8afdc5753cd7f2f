import { isReading, isRepeatable } from '../../contracts/effects.js';
import type { PlanUnknown } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { parseDuration } from '../../rules/duration.js';
import { didYouMean } from '../../text/nearest.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
import { invalidAt, notThere } from '../steps/definition-errors.js';

const INSTEAD = 'The answer must be read alike whenever the question is asked.';
const IN_QUESTION: Available = { names: ['call'], functions: [], where: '`with` of `unknown`', instead: INSTEAD };
const IN_ANSWER: Available = { ...IN_QUESTION, names: ['call', 'output', 'error'], where: '`unknown`' };

/**
 * Whom to ask about a lost call. @throws AbilityError if the ability asked does not exist, is no low-level one, or
 * may change something; if the call may be repeated anyway; `expression.*`.
 */
export function resolveUnknown(registry: Registry, operation: Loaded<LowLevel>): PlanUnknown | undefined {
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
