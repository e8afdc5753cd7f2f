import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { AnswerPreview, ValuePreview } from '../../contracts/preview.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { compileExpression, type Expression, type Scope } from '../../rules/expressions/evaluate.js';
import { evaluateTemplate, expressionsIn } from '../../rules/expressions/template.js';
import { allSteps } from '../../rules/steps/step-tree.js';

type PartialResult =
  | { is: 'known'; value: Json }
  /** It depends on values that are known only at run time. */
  | { is: 'open'; depends_on: string[] }
  | { is: 'failing'; problem: Problem };

export interface Known {
  /** May have hidden members, see {@link hide}. */
  values: { [name: string]: Json | undefined };
  /** Names without any known value, such as a loop's item, with the text to show for each. */
  unknown: ReadonlyMap<string, string>;
}

/** The unknown values that the current evaluation has read. A global works since evaluation is synchronous. */
let unknownReads: Set<string> | undefined;

/** Marks a member as unknown: an expression that reads it, even with `has()`, depends on `what`. */
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

/** Known if the known parts decide: `false && steps.a.output.ok` is false. Uses the run's evaluator. */
export function evaluateExpressionPartially(source: string, known: Known): PartialResult {
  return evaluatePartially(() => {
    const expression = compileExpression(source);
    refuseUnknown([expression], known);
    return expression.evaluate(scopeOf(known)) ?? null;
  });
}

/** Evaluates a template as far as the result is certain before the run. */
export function evaluateTemplatePartially(template: Json, known: Known): PartialResult {
  return evaluatePartially(() => {
    refuseUnknown(expressionsIn(template), known);
    return evaluateTemplate(template, scopeOf(known));
  });
}

interface PartialMap {
  /** Unknown members are hidden, so that other expressions may read the known ones. */
  value: JsonObject;
  /** Unknown members show their template. */
  shown: JsonObject;
  open: Record<string, string[]>;
  problem?: Problem;
}

/** Evaluates each member separately, so that an unknown one does not hide the others. */
export function evaluateMapPartially(template: JsonObject, known: Known): PartialMap {
  const map: PartialMap = { value: {}, shown: {}, open: {} };
  for (const [key, item] of Object.entries(template)) {
    const found = evaluateTemplatePartially({ [key]: item }, known);
    if (found.is === 'known') {
      // A member whose lone expression is absent is left out.
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
 * The result, if it is certain before the run. @param evaluate synchronous; may read hidden members, see
 * {@link hide}; its AbilityErrors are certain failures.
 */
export function evaluatePartially(evaluate: () => Json): PartialResult {
  const outer = unknownReads;
  const own = new Set<string>();
  unknownReads = own;
  try {
    // Reads hidden members deep inside the value.
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

/** The parameters of a call. `input` is for other expressions; undefined if nothing is known of it. */
export interface PartialInput {
  shown: ValuePreview;
  input: JsonObject | undefined;
}

export function previewInput(template: Json, known: Known): PartialInput {
  if (isJsonObject(template)) {
    const { value, shown, open, problem = null } = evaluateMapPartially(template, known);
    return { shown: { value: shown, open, problem }, input: value };
  }
  const shown = previewValue(template, known);
  const isKnown = Object.keys(shown.open).length === 0 && !shown.problem && isJsonObject(shown.value);
  return { shown, input: isKnown ? (shown.value as JsonObject) : undefined };
}

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

export function previewExpression(expression: string, known: Known): AnswerPreview {
  return answerOf(expression, evaluateExpressionPartially(expression, known));
}

/** Previews a condition, which fails unless its result is a boolean. */
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

/** The evaluated text if it is known, else the template itself. */
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

/** The names that expressions of a workflow see before it runs, known and unknown. */
export class PreviewScope {
  private constructor(
    readonly plan: Plan,
    /** Undefined if nothing is known of it; may have hidden members. */
    readonly input: JsonObject | undefined,
    private readonly steps: JsonObject,
    private readonly unknown: ReadonlyMap<string, string>,
  ) {}

  /** The scope at the start of a task: all steps are unknown. */
  static of(plan: Plan, input: JsonObject | undefined): PreviewScope {
    return new PreviewScope(plan, input, hiddenSteps(plan), new Map(input ? [] : [['input', 'its input']]));
  }

  get known(): Known {
    const { environment, ability } = this.plan;
    const { name, protected: isProtected, vars } = environment;
    const task: JsonObject = { ability: ability.id };
    for (const key of ['key', 'started_at', 'status', 'error']) hide(task, key, `task.${key}`);
    const values: Known['values'] = {
      ...(this.input && { input: this.input }),
      steps: this.steps,
      environment: { name, protected: isProtected, vars },
      task,
    };
    return { values, unknown: this.unknown };
  }

  /** A copy for steps that may not run or run concurrently: what it learns is not known outside. */
  apart(names: Readonly<Record<string, string>> = {}): PreviewScope {
    const steps = Object.defineProperties({}, Object.getOwnPropertyDescriptors(this.steps)) as JsonObject;
    return new PreviewScope(this.plan, this.input, steps, new Map([...this.unknown, ...Object.entries(names)]));
  }

  /** The scope of handlers and clean-ups, where it is unknown which steps have run. */
  afterFailure(): PreviewScope {
    return new PreviewScope(this.plan, this.input, hiddenSteps(this.plan), this.unknown);
  }

  /** Records a certain result of a step for the steps after it. */
  learn(id: string, value: { status: string; output: Json }): void {
    Object.defineProperty(this.steps, id, {
      value: { ...value, error: null },
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

function hiddenSteps(plan: Plan): JsonObject {
  const steps: JsonObject = {};
  for (const { step } of allSteps(plan)) hide(steps, step.id, `steps.${step.id}`);
  return steps;
}
