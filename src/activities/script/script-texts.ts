import type { PlanScript } from '../../contracts/plan.js';
import { evaluateScript, type ScriptFacts } from '../../rules/script-texts/evaluate-script.js';
import { type ValuePiece, valuesIn } from '../../rules/script-texts/evaluated.js';
import { plainTextOf, type WrittenScript, writeScript } from '../../rules/script-texts/write-script.js';

/** Turns what an expression gave into text, before the process starts. @throws AbilityError `input.invalid` for what has none. */
export type TextOfValue = (piece: ValuePiece) => string | Promise<string>;

/**
 * The arguments, stdin and variables that a script gets for one call.
 *
 * @param textOf where a value becomes text that is not text by itself.
 * @throws AbilityError `expression.*`, `input.invalid`, with the place.
 */
export async function textsOf(
  script: Pick<PlanScript, 'args' | 'stdin' | 'variables'>,
  facts: ScriptFacts,
  textOf: TextOfValue = plainTextOf,
): Promise<WrittenScript> {
  const evaluated = evaluateScript(script, facts);
  const texts = new Map<ValuePiece, string>();
  for (const piece of valuesIn(evaluated)) texts.set(piece, await textOf(piece));
  return writeScript(evaluated, (piece) => texts.get(piece) ?? plainTextOf(piece));
}
