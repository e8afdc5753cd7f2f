import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { AnswerPreview, ValuePreview } from '../../contracts/preview.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { compileExpression, type Expression, type Scope } from '../../rules/expressions/evaluate.js';
import { evaluateTemplate, expressionsIn } from '../../rules/expressions/template.js';

/** The result of an expression or a template before anything runs. */
type PartialResult =
  | { is: 'known'; value: Json }
  /** It reads values that only the run will know. */
  | { is: 'open'; depends_on: string[] }
  /** It is certain to fail. */
  | { is: 'failing'; problem: Problem };

/** The values known before a run, and the names that are unknown. */
export interface Known {
  /** Values may have members that are hidden, see {@link hide}. */
  values: { [name: string]: Json | undefined };
  /** Whole names, such as that of a loop, with the text to show for them. */
  unknown: ReadonlyMap<string, string>;
}

/** Unknown values that the current evaluation has read; evaluation is synchronous. */
let unknownReads: Set<string> | undefined;

/** Makes a member of a value unknown: whoever reads it depends on `what`; that it is there can be asked by no one. */
export function hide(target: object, key: string, what: string): void {
  Object.defineProperty(target, key, {
    enumerable: true,
    configurable: true,
    get() {
      unknownReads?.add(what);
      throw new Error(`${what} is known only when it runs`);
    },
  });
}

/**
 * The result of bare CEL, as far as it is certain before the run.
 *
 * An unknown part does not matter if the rest decides: `false && steps.a.output.ok` is false. The same evaluator as in the run, so that a
 * known result is the result of the run.
 */
export function evaluateExpressionPartially(source: string, known: Known): PartialResult {
  return evaluatePartially(() => {
    const expression = compileExpression(source);
    refuseUnknown([expression], known);
    return expression.evaluate(scopeOf(known)) ?? null;
  });
}

/** The result of a template, as far as it is certain before the run. */
export function evaluateTemplatePartially(template: Json, known: Known): PartialResult {
  return evaluatePartially(() => {
    refuseUnknown(expressionsIn(template), known);
    return evaluateTemplate(template, scopeOf(known));
  });
}

/** A map of parameters, member by member: its known part, and the dependencies of each other member. */
interface PartialMap {
  /** Hidden where not known, so that it can be looked into by other expressions. */
  value: JsonObject;
  /** With the template itself where nothing better is known. */
  shown: JsonObject;
  /** Member to its dependencies. */
  open: Record<string, string[]>;
  problem?: Problem;
}

/** Foresees each member of a map by itself, since one that depends on a step hides nothing of the others. */
export function evaluateMapPartially(template: JsonObject, known: Known): PartialMap {
  const map: PartialMap = { value: {}, shown: {}, open: {} };
  for (const [key, item] of Object.entries(template)) {
    const found = evaluateTemplatePartially({ [key]: item }, known);
    if (found.is === 'known') {
      // A member whose lone expression gives nothing is left out.
      Object.assign(map.value, found.value);
      Object.assign(map.shown, found.value);
      continue;
    }
    map.shown[key] = item;
    if (found.is === 'failing') map.problem ??= found.problem;
    const depends = found.is === 'open' ? found.depends_on : [found.problem.message];
    if (found.is === 'open') map.open[key] = depends;
    hide(map.value, key, depends.join(', '));
  }
  return map;
}

function scopeOf({ values }: Known): Scope {
  const atRun = (what: string) => (): never => {
    unknownReads?.add(what);
    throw new Error(what);
  };
  return { values, now: atRun('the moment of the run'), uuid: atRun('chance') };
}

function refuseUnknown(expressions: readonly Expression[], { unknown }: Known): void {
  for (const { name } of expressions.flatMap(({ references }) => references)) {
    const what = unknown.get(name);
    if (what === undefined) continue;
    unknownReads?.add(what);
    throw new Error(`${what} is known only when it runs`);
  }
}

/**
 * The result of a computation, as far as it is certain before the run: it may read hidden members, see {@link hide}.
 *
 * @param evaluate synchronous; its AbilityErrors are certain failures.
 */
export function evaluatePartially(evaluate: () => Json): PartialResult {
  const outer = unknownReads;
  const own = new Set<string>();
  unknownReads = own;
  try {
    // Copying reads members that are hidden deep inside a value.
    const value = JSON.parse(JSON.stringify(evaluate())) as Json;
    return { is: 'known', value };
  } catch (error) {
    if (own.size > 0) return { is: 'open', depends_on: [...own].sort() };
    if (!(error instanceof AbilityError)) throw error;
    return { is: 'failing', problem: error.toProblem() };
  } finally {
    unknownReads = outer;
  }
}

/** Parameters of a call: as shown, and as other expressions may look into them; undefined where nothing is known. */
export interface PartialInput {
  shown: ValuePreview;
  input: JsonObject | undefined;
}

/** Previews the input of a call. */
export function previewInput(template: Json, known: Known): PartialInput {
  if (isJsonObject(template)) {
    const { value, shown, open, problem = null } = evaluateMapPartially(template, known);
    return { shown: { value: shown, open, problem }, input: value };
  }
  const shown = previewValue(template, known);
  const isKnown = Object.keys(shown.open).length === 0 && !shown.problem && isJsonObject(shown.value);
  return { shown, input: isKnown ? (shown.value as JsonObject) : undefined };
}

/** Foresees a value, and a map member by member. */
export function previewValue(template: Json, known: Known): ValuePreview {
  if (isJsonObject(template)) {
    const { shown, open, problem = null } = evaluateMapPartially(template, known);
    return { value: shown, open, problem };
  }
  const found = evaluateTemplatePartially(template, known);
  if (found.is === 'known') return { value: found.value, open: {}, problem: null };
  if (found.is === 'open') return { value: template, open: { '': found.depends_on }, problem: null };
  return { value: template, open: {}, problem: found.problem };
}

/** Foresees bare CEL. */
export function previewExpression(expression: string, known: Known): AnswerPreview {
  return answerOf(expression, evaluateExpressionPartially(expression, known));
}

/** Foresees a condition, which fails where it gives neither true nor false. */
export function previewCondition(expression: string, known: Known): AnswerPreview {
  const answer = previewExpression(expression, known);
  if (answer.depends_on.length > 0 || answer.problem || typeof answer.value === 'boolean') return answer;
  const message = `\`${expression}\` gives ${JSON.stringify(answer.value)}, which is neither true nor false`;
  return {
    ...answer,
    value: null,
    problem: { code: 'expression.not_boolean', message, suggestion: 'Write a comparison.' },
  };
}

/** A text that may be a template, as far as it is known; else as it is written. */
export function previewText(template: string, known: Known): string {
  const found = evaluateTemplatePartially(template, known);
  return found.is === 'known' && found.value !== null && typeof found.value !== 'object'
    ? String(found.value)
    : template;
}

function answerOf(expression: string, found: PartialResult): AnswerPreview {
  const nothing = { expression, value: null, depends_on: [], problem: null };
  if (found.is === 'known') return { ...nothing, value: found.value };
  return found.is === 'open' ? { ...nothing, depends_on: found.depends_on } : { ...nothing, problem: found.problem };
}
