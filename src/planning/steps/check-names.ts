import type { Json } from '../../contracts/json.js';
import { AbilityError, invalidDefinition } from '../../contracts/problem.js';
import type { Spot } from '../../definitions/spot.js';
import { compileExpression, type Expression } from '../../rules/expressions/evaluate.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { didYouMean } from '../../text/nearest.js';
import { checkAt } from './definition-errors.js';

export interface Available {
  names: readonly string[];
  /** The allowed ones of {@link CHANGING}. */
  functions: readonly Changing[];
  /** The kind of place, for messages: `a hook`. */
  where: string;
  /** A suggestion for a function that is not allowed. */
  instead: string;
}

/** Functions with another result at each call. */
const CHANGING = ['now', 'uuid'] as const;
type Changing = (typeof CHANGING)[number];

/** Refuses invalid bare CEL and unknown names. @throws AbilityError `expression.*`, `definition.invalid`. */
export function checkCondition(source: string, available: Available, spot: Spot): void {
  checkAt(spot, () => {
    refuseTemplate(source);
    refuseUnavailable(compileExpression(source), available);
  });
}

/** Checks every `${{ }}` in a value of a definition, as {@link checkCondition} does. */
export function checkTemplate(template: Json, available: Available, { from, path }: Spot): void {
  for (const text of textsIn(template, path)) {
    checkAt({ from, path: text.path }, () => {
      for (const expression of expressionsIn(text.value)) refuseUnavailable(expression, available);
    });
  }
}

/** @throws AbilityError `definition.invalid` for a `${{ }}` where bare CEL belongs. */
export function refuseTemplate(source: string): void {
  const withoutTexts = source.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (!withoutTexts.includes('${{')) return;
  const bare = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(source)?.[1];
  throw invalidDefinition(
    'This place accepts only bare CEL',
    undefined,
    bare === undefined ? 'Leave the ${{ }} out.' : `Write \`${bare.trim()}\`, without \${{ }}.`,
  );
}

/** @throws AbilityError `definition.invalid` for `{{ }}`, as other template languages write it. */
export function refuseForeignBraces(text: string): void {
  if (!/(^|[^$])\{\{/.test(text) || text.includes('${{')) return;
  throw invalidDefinition(
    `\`${text}\` is not a template here`,
    undefined,
    'Write ${{ expression }}, with the dollar sign.',
  );
}

/** @throws AbilityError `expression.syntax` for the first unknown name. */
export function refuseUnknownNames({ references, source }: Expression, known: readonly string[]): void {
  const unknown = references.find(({ name }) => !known.includes(name));
  if (!unknown) return;
  const hint = didYouMean(unknown.name, known);
  const names = `Available names: ${known.join(', ')}.`;
  throw new AbilityError({
    code: 'expression.syntax',
    message: `\`${unknown.name}\` is not defined in \`${source}\``,
    suggestion: hint === undefined ? names : `${hint} ${names}`,
  });
}

/** @throws AbilityError `expression.syntax` for the first name or function that is not available. */
function refuseUnavailable(expression: Expression, { names, functions, where, instead }: Available): void {
  refuseUnknownNames(expression, names);
  const unknown = CHANGING.find((name) => expression.functions.includes(name) && !functions.includes(name));
  if (unknown === undefined) return;
  throw new AbilityError({
    code: 'expression.syntax',
    message: `\`${unknown}()\` is not available in ${where} (in \`${expression.source}\`)`,
    suggestion: instead,
  });
}
