import { isFileValue } from '../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { PlanArgument, PlanEnvironment, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { invalidDefinition, type Problem } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { unlessRefused } from '../../text/attempt.js';
import { evaluatePartially, hide } from '../preview/partial-evaluation.js';
import { evaluateScript, type ScriptFacts } from '../scripts/texts/evaluate-script.js';
import { plainTextOf, writeScript } from '../scripts/texts/write-script.js';
import { stepCalls } from './called-abilities.js';

/** Stands for paths that are only known at run time: their values cannot cause a refusal. */
const PATH = '/path';
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
  const facts: ScriptFacts = {
    values: { input, environment: { name, protected: isProtected, vars }, task: {} },
    inputSchema: input_schema,
    placeholders: {
      input_file: PATH,
      output_file: PATH,
      output_dir: PATH,
      pinned: PATH,
      get payload() {
        return JSON.stringify(input);
      },
    },
  };
  for (const part of partsOf(script)) {
    const found = evaluatePartially((): Json => {
      writeScript(evaluateScript(part, facts), (piece) => (isFileValue(piece.value) ? PATH : plainTextOf(piece)));
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
