import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { PlanArgument, PlanEnvironment, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { AbilityError, invalidDefinition, type Problem } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded } from '../../definitions/registry.js';
import { BARE, expressionsOf } from '../../definitions/step-expressions.js';
import { loopNamesOf } from '../../definitions/step-lists.js';
import { compileExpression, type Expression } from '../../rules/expressions/evaluate.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { RETRY_NAMES } from '../../rules/steps/retry-condition.js';
import { attempt, unlessRefused } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';
import { evaluatePartially, hide } from '../preview/partial-evaluation.js';
import { refuseUnwritable } from '../scripts/texts.js';
import { type StepPlace, stepCalls, walkSteps } from './called-abilities.js';
import {
  type Available,
  checkAt,
  checkCondition,
  type ErrorCollector,
  refuseForeignBraces,
  refuseTemplate,
  refuseUnknownNames,
} from './check-names.js';

/** Checks each expression with its visible names. @returns the place for steps of a loop, else that given. */
export function checkStepExpressions(
  step: StepDefinition,
  place: Place,
  { workflow, checks, collector }: { workflow: Loaded<HighLevel>; checks: ExpressionChecks; collector: ErrorCollector },
): Place {
  let inLoop: Place | undefined;
  const loop = (): Place => {
    const otherwise = [...place.names, ...Object.values(loopNamesOf(step))];
    inLoop ??= { ...place, names: collector.gather(() => loopNames(step, place, checks), otherwise) };
    return inLoop;
  };
  for (const { path: keys, value, belongs, sees } of expressionsOf(step)) {
    const names = sees === 'turn' ? loop().names : sees === 'template' ? [] : place.names;
    const path = [...place.path, ...keys];
    if (sees === 'attempt') {
      // It is evaluated where the attempt ended: for a call, not in the workflow.
      collector.gather(() => checkCondition(String(value), IN_RETRY, { from: workflow, path }), undefined);
    } else if (BARE.has(belongs)) {
      checks.checkExpression(String(value), path, sees === 'signal' ? [...names, 'signal'] : names);
    } else if (belongs === 'parameters' && typeof value === 'string' && !/^\s*\$\{\{[\s\S]*\}\}\s*$/.test(value)) {
      collector.keep(checks.refuse('`with` is a map of parameters, or one ${{ }} that gives a map', path));
    } else checks.checkTemplate(value, path, names);
  }
  return loop();
}

const IN_RETRY: Available = {
  names: RETRY_NAMES,
  functions: [],
  where: '`retry.if`',
  instead: 'It can use only `error` and `attempt` of the failed attempt.',
};

/** Names available in every expression of a workflow. */
const COMMON_NAMES = ['input', 'steps', 'environment', 'task'];

/** Checks that a workflow's expressions parse, and that the names in them exist at their place. */
export class ExpressionChecks {
  readsLinks = false;

  /** @param ids of all steps. @param collector keeps mistakes, so that all expressions are checked. */
  constructor(
    private readonly workflow: Loaded<HighLevel>,
    private readonly ids: ReadonlyMap<string, StepPlace>,
    private readonly collector: ErrorCollector,
  ) {}

  /** Checks every `${{ }}` in a value, and reports the syntax of other template languages. */
  checkTemplate(template: Json, path: PropertyKey[], names: readonly string[]): void {
    for (const { value, path: at } of textsIn(template, path)) {
      this.check(at, () => {
        refuseForeignBraces(value);
        for (const expression of expressionsIn(value)) this.checkReferences(expression, names, at);
      });
    }
  }

  checkExpression(source: string, path: PropertyKey[], names: readonly string[]): void {
    this.check(path, () => {
      refuseTemplate(source);
      const status = /^\s*(always|success|failure|cancelled)\(\)/.exec(source)?.[1];
      if (status) {
        const suggestion = 'Put steps that always run under `finally`; otherwise use `steps.<id>.status`.';
        throw this.refuse(`There is no \`${status}()\``, path, suggestion);
      }
      this.checkReferences(compileExpression(source), names, path);
    });
  }

  refuse(message: string, path: PropertyKey[], suggestion?: string): AbilityError {
    return new AbilityError({
      code: 'definition.invalid',
      message,
      location: this.workflow.locate(path),
      ...(suggestion !== undefined && { suggestion }),
    });
  }

  private checkReferences(expression: Expression, names: readonly string[], at: PropertyKey[]): void {
    const known = [...COMMON_NAMES, ...names];
    const bare = expression.references.find(({ name }) => !known.includes(name) && this.ids.has(name));
    if (bare) {
      throw new AbilityError({
        code: 'expression.syntax',
        message: `\`${bare.name}\` is not defined in \`${expression.source}\``,
        suggestion: `Write \`steps.${bare.name}.output\`.`,
      });
    }
    refuseUnknownNames(expression, known);
    for (const { name, path } of expression.references) {
      const [step, member] = path;
      if (name !== 'steps' || step === undefined) continue;
      this.checkStep(step, expression, at);
      if (member === 'link') this.readsLinks = true;
    }
  }

  /** Refuses an unknown step, and one in a `foreach` that the expression is outside of. */
  private checkStep(step: string, { source }: Expression, at: PropertyKey[]): void {
    const place = this.ids.get(step);
    if (!place) {
      throw new AbilityError({
        code: 'expression.unknown_step',
        message: `There is no step \`${step}\` (in \`${source}\`)`,
        suggestion: this.userOf(step) ?? didYouMean(step, this.ids.keys()),
      });
    }
    const { turn } = place;
    if (!turn || turn.every((key, index) => at[index] === key)) return;
    throw new AbilityError({
      code: 'expression.syntax',
      message: `\`${step}\` runs once for each item of a \`foreach\`, and \`${source}\` is outside of it`,
      suggestion: 'Use the output of the `foreach`: the list of the last output of each item.',
    });
  }

  private userOf(step: string): string | undefined {
    const [id] = [...this.ids.keys()].filter((one) => one.endsWith(`/${step}`));
    const use = id?.slice(0, id.indexOf('/'));
    return use && `It is a step of the template that \`${use}\` uses: read \`steps.${use}.output\`.`;
  }

  private check(path: PropertyKey[], action: () => void): void {
    this.collector.gather(() => checkAt({ from: this.workflow, path }, action), undefined);
  }
}

/** Names that a loop variable cannot have; `signal` is the payload that a `wait` tests. */
const TAKEN = [...COMMON_NAMES, 'signal'];

/** With a loop's `as` and `index`. @throws AbilityError `definition.invalid` for a CEL word or a taken name. */
function loopNames(step: StepDefinition, { path, names: around }: Place, checks: ExpressionChecks): string[] {
  const all = [...around];
  for (const [key, name] of Object.entries(loopNamesOf(step))) {
    if (!isFreeName(name)) {
      throw checks.refuse(`\`${name}\` is a name of CEL`, [...path, key], 'Choose another one.');
    }
    if (TAKEN.includes(name) || all.includes(name)) {
      throw checks.refuse(`The name \`${name}\` is taken here`, [...path, key], 'Choose another one.');
    }
    all.push(name);
  }
  return all;
}

/** Whether a name is neither a reserved word nor a type of CEL. */
export function isFreeName(name: string): boolean {
  return attempt(() => compileExpression(name).references.length === 1, false);
}

export interface Place {
  path: PropertyKey[];
  names: readonly string[];
}

export function inside({ path, names }: Place, ...keys: PropertyKey[]): Place {
  return { path: [...path, ...keys], names };
}

/** At any depth, with their places. Ids are unique in the file: `collector` gets `definition.invalid`. */
export function collectIds(workflow: Loaded<HighLevel>, collector: ErrorCollector): ReadonlyMap<string, StepPlace> {
  const ids = new Map<string, StepPlace>();
  for (const { id, path, turn } of walkSteps(workflow.value)) {
    if (!ids.has(id)) {
      ids.set(id, { path, turn });
      continue;
    }
    const message = `The step id \`${id}\` is used twice`;
    const location = workflow.locate([...path, 'id'], 'value');
    const suggestion = 'Ids are unique in the file.';
    collector.keep(invalidDefinition(message, location, suggestion));
  }
  return ids;
}

/** An argument without a value, which keeps the numbering of later ones. */
const NOTHING: PlanArgument = { if: 'false', items: [] };
const DASHES = '--';

type Where = Pick<PlanEnvironment, 'name' | 'protected' | 'vars'>;

/**
 * Refuses a written `with` that a script's texts cannot take: each call would fail as `input.invalid`.
 * @throws AbilityError `definition.invalid`, with the place in `with`.
 */
export function checkStepTexts(
  workflow: Loaded<HighLevel>,
  operations: ReadonlyMap<string, PlanOperation>,
  environment: Where,
): void {
  for (const { id, with: given = {}, path } of stepCalls(workflow.value)) {
    const operation = operations.get(id);
    if (!operation || !isJsonObject(given)) continue;
    const problem = problemOf(operation, given, environment);
    if (!problem) continue;
    const { message, suggestion, details } = problem;
    const member = memberOf(details, given);
    throw invalidDefinition(
      `${id} refuses what the step passes to it: ${message}`,
      workflow.locate(member === undefined ? path : [...path.slice(0, -1), 'with', member]),
      suggestion,
    );
  }
}

/** Checks each text separately, so that one with unknown values does not hide errors of the others. */
function problemOf(
  { implementation, input_schema }: PlanOperation,
  given: JsonObject,
  { name, protected: isProtected, vars }: Where,
): Problem | undefined {
  if (implementation.kind !== 'script') return undefined;
  const { script } = implementation;
  const input = knownInput(given, { ...schemaNames(input_schema), ...implementation.defaults });
  const values = { input, environment: { name, protected: isProtected, vars }, task: {} };
  for (const part of partsOf(script)) {
    const found = evaluatePartially((): Json => {
      refuseUnwritable(part, { values, inputSchema: input_schema });
      return null;
    });
    if (found.is === 'failing' && found.problem.code === 'input.invalid') return found.problem;
  }
  return undefined;
}

type Texts = Pick<PlanScript, 'args' | 'stdin' | 'variables'>;

/** Each text separately; an item of `args` keeps its index, and a `--` before it. */
function* partsOf({ args, stdin, variables = {} }: Texts): Generator<Texts> {
  for (const [index, item] of args.entries()) {
    const before = args.slice(0, index).map((other) => (holdsDashes(other) ? DASHES : NOTHING));
    yield { args: [...before, item] };
  }
  if (stdin !== undefined) yield { args: [], stdin };
  for (const [name, text] of Object.entries(variables)) yield { args: [], variables: { [name]: text } };
}

function holdsDashes(item: PlanArgument): boolean {
  if (typeof item === 'string') return item === DASHES;
  return 'items' in item ? item.items.some(holdsDashes) : item.value === DASHES;
}

/** The literal members of an input; those with expressions or possible defaults are hidden. */
function knownInput(given: JsonObject, mayBeFilled: JsonObject): JsonObject {
  const input: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    // False for an invalid expression, which another check reports.
    if (unlessRefused(() => expressionsIn(value).length === 0) ?? false) input[name] = value;
    else hide(input, name, name);
  }
  for (const name of Object.keys(mayBeFilled)) if (!Object.hasOwn(given, name)) hide(input, name, name);
  return input;
}

/** The properties of a schema that has a default anywhere: validation may fill them in. */
function schemaNames(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return isJsonObject(properties) && JSON.stringify(schema).includes('"default"') ? properties : {};
}

/** The member of `with` that the failed expression reads, such as `region` for `input.region`. */
function memberOf(details: Problem['details'], given: JsonObject): string | undefined {
  const { expression } = isJsonObject(details) ? details : {};
  const [, name] = typeof expression === 'string' ? (/^input\.(\w+)/.exec(expression) ?? []) : [];
  return name !== undefined && Object.hasOwn(given, name) ? name : undefined;
}
