import type { Json } from '../../contracts/json.js';
import { AbilityError, invalidDefinition, type Problem, type SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot } from '../../definitions/spot.js';
import { compileExpression, type Expression } from '../../rules/expressions/evaluate.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { unlessRefused } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';

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

/** Several errors of a definition. It reports the first one; `problems` has all of them, in order. */
export class DefinitionErrors extends AbilityError {
  readonly problems: readonly Problem[];

  constructor(errors: readonly [AbilityError, ...AbilityError[]]) {
    super(errors[0].toProblem(), { cause: errors[0] });
    this.problems = errors.map((error) => error.toProblem());
  }
}

/** The error `definition.invalid` at a place of a definition. */
export function invalidAt(spot: Spot, message: string, suggestion?: string): AbilityError {
  const advice = suggestion === undefined ? {} : { suggestion };
  return new AbilityError({ code: 'definition.invalid', message, location: locationOf(spot), ...advice });
}

/** Collects errors, so that the author of a definition sees all of them at once. */
export class ErrorCollector {
  private readonly errors: AbilityError[] = [];

  /** Runs an action; after an error, records it and returns `otherwise`. */
  gather<T>(action: () => T, otherwise: T): T {
    try {
      return action();
    } catch (error) {
      this.keep(error);
      return otherwise;
    }
  }

  /** Records an error. @throws any other than an AbilityError. */
  keep(error: unknown): void {
    if (!(error instanceof AbilityError)) throw error;
    this.errors.push(error);
  }

  /** @throws DefinitionErrors when there were any. */
  throwIfAny(): void {
    const [first, ...others] = this.errors;
    if (first) throw new DefinitionErrors([first, ...others]);
  }
}

/** The error for a name that nothing defines, or that of the file which would. @param key in `broken`. */
export function notThere({ broken }: Registry, key: string, problem: Omit<Problem, 'code'>): AbilityError {
  return new AbilityError(broken.get(key) ?? { code: 'definition.unknown_reference', ...problem });
}

/** Runs a check; adds a location to an error that has none. */
export function checkAt<T>(spot: Spot, check: () => T): T {
  return unlessRefused(check, (refusal) => {
    if (refusal.location) throw refusal;
    throw new AbilityError({ ...refusal.toProblem(), location: locationOf(spot) }, { cause: refusal });
  });
}

/** Runs a check; replaces the location of its error. */
export function relocated<T>(location: SourceLocation | undefined, check: () => T): T {
  return unlessRefused(check, (refusal) => {
    throw new AbilityError({ ...refusal.toProblem(), location }, { cause: refusal });
  });
}

/** The problems of a failed action; empty after success. @throws any error other than an AbilityError. */
export function problemsOf(action: () => unknown): readonly Problem[] {
  try {
    action();
    return [];
  } catch (error) {
    if (error instanceof DefinitionErrors) return error.problems;
    if (error instanceof AbilityError) return [error.toProblem()];
    throw error;
  }
}
