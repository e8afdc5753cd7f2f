import { EFFECTS, type Effect } from '../../contracts/effects.js';
import { usageError } from '../../contracts/problem.js';
import { matchesGlob } from '../../text/glob.js';
import type { ImportedOperation } from './imported.js';

/** Effects that people chose for operations matching a pattern; `default`: those of the source again. */
export interface EffectChoice {
  pattern: string;
  effect: Effect | 'default';
}

/** A choice that later imports keep. */
export interface KeptChoice {
  pattern: string;
  effect: Effect;
}

/** Reads `PATTERN=EFFECT`. @throws AbilityError `usage.invalid`. */
export function readEffectChoice(text: string): EffectChoice {
  const at = text.lastIndexOf('=');
  const [pattern, effect] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  const known = [...EFFECTS, 'default' as const].find((one) => one === effect);
  if (pattern !== '' && known !== undefined) return { pattern, effect: known };
  throw usageError(
    `--effects-for ${text} is not PATTERN=EFFECT`,
    `The effect is ${EFFECTS.join(', ')}, or default; such as --effects-for 'shop.search_*=external_read'.`,
  );
}

/** Adds new choices to those of an earlier import; a pattern chosen again moves to the end. */
export function joinChoices(before: readonly KeptChoice[], now: readonly EffectChoice[]): KeptChoice[] {
  const again = new Set(now.map(({ pattern }) => pattern));
  const last = [...new Map(now.map((choice) => [choice.pattern, choice])).values()];
  const kept = last.flatMap(({ pattern, effect }) => (effect === 'default' ? [] : [{ pattern, effect }]));
  return [...before.filter(({ pattern }) => !again.has(pattern)), ...kept];
}

/** The last match wins. @param now new choices. @throws AbilityError `usage.invalid` if one has no match. */
export function chooseEffects(
  operations: readonly ImportedOperation[],
  choices: readonly KeptChoice[],
  now: readonly EffectChoice[],
): ImportedOperation[] {
  for (const { pattern, effect } of now) {
    if (effect === 'default' || operations.some((operation) => fits(pattern, operation))) continue;
    throw usageError(
      `Nothing fits --effects-for ${pattern}=${effect}`,
      'A pattern is for keys (shop.search_*) or names at the source (POST /search*).',
    );
  }
  if (choices.length === 0) return [...operations];
  return operations.map((operation) => {
    const choice = choices.findLast(({ pattern }) => fits(pattern, operation));
    if (!choice) return operation;
    const { namedLike: _, ...decided } = operation;
    return { ...decided, definition: { ...operation.definition, effects: choice.effect } };
  });
}

function fits(pattern: string, { key, source }: ImportedOperation): boolean {
  return matchesGlob(pattern, key) || matchesGlob(pattern, source);
}
