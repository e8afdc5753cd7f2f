import { isFileValue } from '../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { compileExpression, type Expression } from '../../rules/expressions/evaluate.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { unlessRefused } from '../../text/attempt.js';
import { fillOwnPlaceholders, fillPlaceholders } from './placeholders.js';

export const SCRIPT_NAMES = ['input', 'environment', 'task'] as const;

export interface ScriptFacts {
  values: Record<(typeof SCRIPT_NAMES)[number], Json>;
  /** Inputs it describes may be absent; null: unknown, so any input may be absent. */
  inputSchema: JsonObject | null;
  placeholders: Readonly<Record<string, string>>;
}

/**
 * Evaluates the `${{ }}` of a script's texts, for `writeScript`. A text with a null or absent result is left out.
 * Placeholders are replaced only in what the author wrote, never in results.
 * @throws AbilityError `expression.*`, `input.invalid`, with the place.
 */
export function evaluateScript(
  { args, stdin, variables = {} }: Pick<PlanScript, 'args' | 'stdin' | 'variables'>,
  facts: ScriptFacts,
): EvaluatedScript {
  const evaluation = new Evaluation(facts);
  const input = stdin === undefined ? undefined : evaluation.text(stdin, 'stdin');
  const env = Object.entries(variables).flatMap(([name, text]) => {
    const evaluated = evaluation.text(text, `env.${name}`);
    return evaluated ? [[name, evaluated] as const] : [];
  });
  return { args: evaluation.items(args, 'args'), ...(input && { stdin: input }), env: Object.fromEntries(env) };
}

class Evaluation {
  /** @param fromInput names whose values depend on the caller. */
  constructor(
    private readonly facts: ScriptFacts,
    private readonly values: Record<string, Json> = facts.values,
    private readonly fromInput: ReadonlySet<string> = new Set(['input', 'task']),
  ) {}

  items(items: readonly PlanArgument[], place: string): EvaluatedText[] {
    return items.flatMap((item, index) => this.item(item, `${place}[${index}]`));
  }

  /** Replaces only the placeholders of scripts; other braces stay. */
  text(text: string, place: string): EvaluatedText | undefined {
    return this.evaluated(text, place, (part) => fillOwnPlaceholders(part, this.facts.placeholders));
  }

  private item(item: PlanArgument, place: string): EvaluatedText[] {
    if (typeof item === 'string') return [{ place, pieces: [{ text: this.fill(item) }], mayBeOption: false }];
    if ('if' in item) return this.holds(item.if, `${place}.if`) ? this.items(item.items, `${place}.then`) : [];
    if ('each' in item) return this.each(item, place);
    const evaluated = this.evaluated(item.value, place, (part) => this.fill(part));
    return evaluated ? [{ ...evaluated, mayBeOption: item.option === 'allowed' }] : [];
  }

  private each({ each, as, items }: Extract<PlanArgument, { each: string }>, place: string): EvaluatedText[] {
    const expression = compiled(each, `${place}.each`);
    const list = this.value(expression, `${place}.each`) ?? [];
    if (!Array.isArray(list)) throw noList(each, place);
    const fromInput = new Set([...this.fromInput, ...(this.isFromInput(expression) ? [as] : [])]);
    return list.flatMap((value, turn) => {
      // Leaves out the whole group: a flag alone would take the next argument as its value.
      if (value === null) return [];
      const inside = new Evaluation(this.facts, { ...this.values, [as]: value }, fromInput);
      return inside.items(items, `${place}.each[${turn}].then`);
    });
  }

  private holds(source: string, place: string): boolean {
    const value = this.value(compiled(source, place), place) ?? false;
    if (typeof value === 'boolean') return value;
    throw new AbilityError({
      code: 'expression.not_boolean',
      message: `\`${place}\`: \`${source}\` gives what is neither true nor false`,
      suggestion: 'Write a comparison.',
    });
  }

  private evaluated(text: string, place: string, fill: (part: string) => string): EvaluatedText | undefined {
    const pieces: Piece[] = [];
    for (const part of at(place, () => splitText(text))) {
      if (typeof part === 'string') {
        pieces.push({ text: fill(part) });
        continue;
      }
      const expression = compiled(part.source, place);
      const value = this.value(expression, place) ?? null;
      if (value === null) return undefined;
      pieces.push({ value, source: part.source, place, isFromInput: this.isFromInput(expression) });
    }
    return { place, pieces, mayBeOption: false };
  }

  private value(expression: Expression, place: string): Json | undefined {
    const { input } = this.facts.values;
    if (isAbsentInput(expression.source, input, this.facts.inputSchema)) return undefined;
    return at(place, () => expression.evaluate({ values: this.values }));
  }

  /** True even if the input only selects the value: the script cannot tell the difference. */
  private isFromInput({ references }: Expression): boolean {
    return references.some(({ name }) => this.fromInput.has(name));
  }

  private fill(text: string): string {
    return fillPlaceholders(text, this.facts.placeholders);
  }
}

function noList(source: string, place: string): AbilityError {
  return new AbilityError({
    code: 'input.invalid',
    message: `\`${place}.each\` reads \`${source}\`, which is no list`,
    details: { place: `${place}.each`, expression: source },
    suggestion: 'Use a list.',
  });
}

function compiled(source: string, place: string): Expression {
  return at(place, () => compileExpression(source));
}

function at<T>(place: string, action: () => T): T {
  return unlessRefused(action, (refusal) => {
    const message = `\`${place}\`: ${refusal.message}`;
    throw new AbilityError({ ...refusal.toProblem(), message }, { cause: refusal });
  });
}

const PLAIN_PATH = /^input((?:\.[A-Za-z_]\w*)+)$/;

/** Whether an expression is a path of plain members, such as `input.region` or `input.build.id`. */
export function isPlainPath(source: string): boolean {
  return PLAIN_PATH.test(source);
}

/**
 * Whether an expression is just the name of an optional input that the caller left out. Compound expressions
 * (`!input.quiet`) must handle absence themselves, and a name unknown to the contract is an error.
 * @param schema of the input; null: unknown, as for a hook, so that any name may be absent.
 */
function isAbsentInput(source: string, input: Json, schema: JsonObject | null): boolean {
  const [, members] = PLAIN_PATH.exec(source) ?? [];
  if (members === undefined) return false;
  let value: Json | undefined = input;
  let known: Json | undefined = schema;
  for (const name of members.slice(1).split('.')) {
    if (!isJsonObject(value)) return false;
    known = memberOf(memberOf(known, 'properties'), name);
    if (!Object.hasOwn(value, name)) return schema === null || known !== undefined;
    value = value[name];
  }
  return false;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export type Piece = { text: string } | ValuePiece;

/** The result of a `${{ }}`, before its conversion to text. */
export interface ValuePiece {
  value: Json;
  source: string;
  /** The place of its text: `args[2].then[1]`, `stdin`, `env.REGION`. */
  place: string;
  /** Whether it depends on values of the caller. */
  isFromInput: boolean;
}

export interface EvaluatedText {
  place: string;
  pieces: Piece[];
  /** Whether text from the input may begin the argument with a `-`. */
  mayBeOption: boolean;
}

/** The texts of a script for one call; absent ones are left out. */
export interface EvaluatedScript {
  args: EvaluatedText[];
  stdin?: EvaluatedText;
  env: Record<string, EvaluatedText>;
}

export function valuesIn({ args, stdin, env }: EvaluatedScript): ValuePiece[] {
  const texts = [...args, ...(stdin ? [stdin] : []), ...Object.values(env)];
  return texts.flatMap(({ pieces }) => pieces.filter((piece) => 'value' in piece));
}

export interface WrittenScript {
  args: string[];
  stdin?: string;
  env: Record<string, string>;
}

/** Converts the result of an expression to text. @throws AbilityError `input.invalid` if it has none. */
export type TextOf = (piece: ValuePiece) => string;

/** Converts strings, numbers and booleans; refuses lists and maps. */
export function plainTextOf({ value, source, place }: ValuePiece): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw refused(
    place,
    source,
    `which gives ${Array.isArray(value) ? 'a list' : 'a map'}, and one text belongs there`,
    suggestionFor(value, source, place),
  );
}

function suggestionFor(value: Json, source: string, place: string): string {
  if (Array.isArray(value) && place.startsWith('args')) {
    return `Use { each: ${source}, as: item, then: ["\${{ item }}"] }, or join the list to one text.`;
  }
  return 'Choose one of its fields, or let the script read the whole input from {input_file}.';
}

/** Stands for paths that are only known at run time: their values cannot cause a refusal. */
const PATH = '/path';

/**
 * Writes the texts of a script and forgets them. @param keys the placeholders whose values are known beforehand.
 * @throws AbilityError as {@link evaluateScript} and {@link writeScript}, whatever the paths of the run.
 */
export function refuseUnwritable(
  script: Pick<PlanScript, 'args' | 'stdin' | 'variables'>,
  facts: Omit<ScriptFacts, 'placeholders'>,
  keys: ScriptFacts['placeholders'] = {},
): void {
  const placeholders = {
    ...{ input_file: PATH, output_file: PATH, output_dir: PATH, pinned: PATH, ...keys },
    // Lazy, so that an unknown part of the input matters only to texts that use it.
    get payload() {
      return JSON.stringify(facts.values.input);
    },
  };
  const evaluated = evaluateScript(script, { ...facts, placeholders });
  writeScript(evaluated, (piece) => (isFileValue(piece.value) ? PATH : plainTextOf(piece)));
}

/**
 * Each item becomes one argument; no shell reads it. An item that starts with `-` from an input could be read as
 * an option: it is refused unless it is a number, follows the author's `--`, or its item allows it.
 * @throws AbilityError `input.invalid`, with the place and the expression.
 */
export function writeScript({ args, stdin, env }: EvaluatedScript, textOf: TextOf = plainTextOf): WrittenScript {
  let isBehindDashes = false;
  const written = args.map((item) => {
    const text = writeText(item, textOf);
    refuseOption(item, text, textOf, isBehindDashes);
    isBehindDashes ||= text === '--' && !item.pieces.some(isValue);
    return text;
  });
  return {
    args: written.map((text, index) => withoutNul(text, args[index])),
    ...(stdin && { stdin: writeText(stdin, textOf) }),
    env: Object.fromEntries(
      Object.entries(env).map(([name, item]) => [name, withoutNul(writeText(item, textOf), item)]),
    ),
  };
}

function writeText({ pieces }: EvaluatedText, textOf: TextOf): string {
  return pieces.map((piece) => (isValue(piece) ? textOf(piece) : piece.text)).join('');
}

/** A negative number, which shells and their tools do not read as an option. */
const NEGATIVE = /^-(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function refuseOption({ place, pieces, mayBeOption }: EvaluatedText, text: string, textOf: TextOf, isBehind: boolean) {
  if (!text.startsWith('-') || mayBeOption || isBehind || NEGATIVE.test(text)) return;
  // Skips expressions with an empty result.
  const first = pieces.findIndex((piece) => (isValue(piece) ? textOf(piece) : piece.text) !== '');
  const given = pieces
    .slice(0, first + 1)
    .filter(isValue)
    .find(({ isFromInput }) => isFromInput);
  if (!given || isNumberWithUnit(pieces.slice(first))) return;
  throw refused(
    place,
    given.source,
    'and begins with `-`, so that the script would take it for an option',
    'Pass a value that does not begin with `-`. In the definition, put the item `--` before it where the script supports that, or use { value: .., option: allowed } where an option is meant.',
  );
}

function isNumberWithUnit([first, ...rest]: Piece[]): boolean {
  return first !== undefined && isValue(first) && typeof first.value === 'number' && !rest.some(isValue);
}

/** Arguments and variables cannot contain NUL, which ends them. */
function withoutNul(text: string, item: EvaluatedText | undefined): string {
  if (!text.includes('\0') || !item) return text;
  const given = item.pieces.filter(isValue).find(({ value }) => typeof value === 'string' && value.includes('\0'));
  const suggestion = 'Pass it on stdin or in {input_file}.';
  throw refused(
    item.place,
    given?.source,
    'and contains the character NUL, which cannot be passed to a process',
    suggestion,
  );
}

function isValue(piece: Piece): piece is ValuePiece {
  return 'value' in piece;
}

function refused(place: string, source: string | undefined, why: string, suggestion: string): AbilityError {
  return new AbilityError({
    code: 'input.invalid',
    message:
      source === undefined ? `\`${place}\` ${why.replace(/^and /, '')}` : `\`${place}\` reads \`${source}\`, ${why}`,
    details: { place, ...(source !== undefined && { expression: source }) },
    suggestion,
  });
}
