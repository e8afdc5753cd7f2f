import type { Json } from '../../contracts/json.js';
import type { ScriptDefinition } from '../../definitions/formats/implementation.js';
import type { ArgumentDefinition } from '../../definitions/formats/script-arguments.js';
import { BARE } from '../../definitions/step-expressions.js';
import { isPlainPath } from '../../planning/scripts/texts/evaluate-script.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { walk } from '../../rules/expressions/syntax/node.js';
import type { Belongs, Spot } from '../types/expression-sites.js';
import { inferType, type View } from '../types/infer.js';
import { askedBy, parseExpression } from '../types/read-expression.js';
import { asJson, cutSafely } from '../types/template-type.js';
import { ANY, describeType, type Mistake, mayBe, mayBeFile, type Tell, type Type, unite } from '../types/type.js';
import type { WorkflowTypes } from '../types/workflow-types.js';

/** A mistake with its place in the definition. */
export interface PlacedMistake extends Mistake {
  path: PropertyKey[];
  part?: 'key';
}

/** Mistakes of types in each expression of a workflow. */
export function* expressionMistakes(types: WorkflowTypes): Generator<PlacedMistake> {
  for (const spot of types.spots) {
    const view = types.viewAt(spot);
    yield* BARE.has(spot.belongs)
      ? bareMistakes(spot, view)
      : templateMistakes(spot.value, spot.path, view, spot.belongs);
  }
}

function* bareMistakes({ value, belongs, path, phase }: Spot, view: View): Generator<PlacedMistake> {
  const mistakes: Mistake[] = [];
  const source = String(value);
  const type = inferType(source, view, (mistake) => void mistakes.push(mistake));
  const unfit = unfitBare(source, type, belongs);
  if (unfit) mistakes.push(unfit);
  const outcome = belongs === 'condition' && phase === 'before' ? constantOf(source) : undefined;
  if (outcome !== undefined) {
    mistakes.push({ code: 'lint.constant_condition', message: `\`${source}\` is always ${outcome}` });
  }
  yield* placedAt(mistakes, path);
}

function unfitBare(source: string, type: Type, belongs: Belongs): Mistake | undefined {
  const given = `\`${source}\` gives ${describeType(type)}`;
  if (belongs === 'list') {
    if (mayBe(type, 'list', 'optional')) return undefined;
    return { code: 'lint.not_a_list', message: `${given}, and \`foreach\` goes over a list` };
  }
  // A moment that comes as text is read as one.
  const isFit = belongs === 'moment' ? mayBe(type, 'bool', 'timestamp', 'string') : mayBe(type, 'bool');
  if (isFit) return undefined;
  const wanted = belongs === 'moment' ? 'true, false or a timestamp' : 'true or false';
  return { code: 'lint.not_boolean', message: `${given}, where ${wanted} belongs` };
}

/** What a condition gives that reads nothing; undefined for all others. */
function constantOf(source: string): boolean | undefined {
  const tree = parseExpression(source);
  let isOpen = tree === undefined;
  if (tree) {
    walk(tree, ({ op, args }) => {
      isOpen ||= op === 'id' || (op === 'call' && ['now', 'uuid'].includes((args as [string])[0]));
    });
  }
  if (isOpen) return undefined;
  try {
    const value = compileExpression(source).evaluate({ values: {} });
    return typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Mistakes in bare CEL outside of workflows that must give true or false. */
export function* conditionMistakes(source: string, path: PropertyKey[], view: View): Generator<PlacedMistake> {
  const mistakes: Mistake[] = [];
  const type = inferType(source, view, (mistake) => void mistakes.push(mistake));
  if (!mayBe(type, 'bool')) mistakes.push({ code: 'lint.not_boolean', message: `\`${source}\` is no condition` });
  yield* placedAt(mistakes, path);
}

/** Mistakes in the `${{ }}` of a value, each at the text it stands in. */
export function* templateMistakes(
  template: Json,
  path: PropertyKey[],
  view: View,
  belongs: Belongs = 'value',
): Generator<PlacedMistake> {
  if (template !== null && typeof template === 'object') {
    for (const [key, item] of Object.entries(template)) yield* templateMistakes(item, [...path, key], view);
    return;
  }
  if (typeof template !== 'string' || !template.includes('${{')) return;
  const mistakes: Mistake[] = [];
  const tell: Tell = (mistake) => void mistakes.push(mistake);
  const parts = cutSafely(template);
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const type = asJson(inferType(part.source, view, tell));
    // The text of a file is the path of its copy.
    if (belongs === 'argument' && mayBeFile(type)) continue;
    const unfit = parts.length > 1 ? unfitInText(part.source, type) : unfitAlone(part.source, type, belongs);
    if (unfit) tell(unfit);
  }
  yield* placedAt(mistakes, path);
}

function unfitInText(source: string, type: Type): Mistake | undefined {
  if (mayBe(type, 'string', 'int', 'double', 'bool')) return undefined;
  const message = `\`${source}\` gives ${describeType(type)}, which cannot stand inside text`;
  return { code: 'lint.not_text', message };
}

function unfitAlone(source: string, type: Type, belongs: Belongs): Mistake | undefined {
  if (belongs === 'text' || belongs === 'argument') return unfitInText(source, type);
  if (belongs === 'duration' && !mayBe(type, 'string')) {
    const message = `\`${source}\` gives ${describeType(type)}, where a duration such as 30s belongs`;
    return { code: 'lint.not_duration', message };
  }
  if (belongs === 'count' && !mayBe(type, 'int', 'double')) {
    const message = `\`${source}\` gives ${describeType(type)}, where a whole number belongs`;
    return { code: 'lint.not_number', message };
  }
  return undefined;
}

/** The same thing said twice of one text is said once. */
function* placedAt(mistakes: readonly Mistake[], path: PropertyKey[]): Generator<PlacedMistake> {
  const once = new Map(mistakes.map((mistake) => [mistake.code + mistake.message, mistake]));
  for (const mistake of once.values()) yield { ...mistake, path };
}

/** Mistakes of types in what a script is given: its arguments, stdin and variables. */
export function* scriptTextMistakes(
  { args = [], stdin, env = {} }: ScriptDefinition,
  path: PropertyKey[],
  view: View,
): Generator<PlacedMistake> {
  yield* itemMistakes(args, [...path, 'args'], view);
  if (stdin !== undefined) yield* textMistakes(stdin, [...path, 'stdin'], view);
  for (const [name, text] of Object.entries(env)) yield* textMistakes(text, [...path, 'env', name], view);
}

function* itemMistakes(
  items: readonly ArgumentDefinition[],
  path: PropertyKey[],
  view: View,
): Generator<PlacedMistake> {
  for (const [index, item] of items.entries()) yield* mistakesOf(item, [...path, index], view);
}

function* mistakesOf(item: ArgumentDefinition, path: PropertyKey[], view: View): Generator<PlacedMistake> {
  if (typeof item === 'string') yield* textMistakes(item, path, view);
  else if ('value' in item) yield* textMistakes(item.value, [...path, 'value'], view);
  else if ('if' in item) {
    yield* scriptConditionMistakes(item.if, [...path, 'if'], view);
    yield* itemMistakes(item.then, [...path, 'then'], asking(view, askedIn(item.if)));
  } else {
    const mistakes: Mistake[] = [];
    const list = inferType(item.each, asking(view, plainPaths([item.each])), (mistake) => void mistakes.push(mistake));
    const range = asJson(list);
    if (!mayBe(range, 'list')) {
      const message = `\`${item.each}\` gives ${describeType(range)}, and \`each\` goes over a list`;
      mistakes.push({ code: 'lint.not_a_list', message });
    }
    yield* placedAt(mistakes, [...path, 'each']);
    const inside = { ...view, typeOf: (name: string) => (name === item.as ? itemOf(range) : view.typeOf(name)) };
    yield* itemMistakes(item.then, [...path, 'then'], inside);
  }
}

function textMistakes(text: string, path: PropertyKey[], view: View): Generator<PlacedMistake> {
  const sources = cutSafely(text).flatMap((part) => (typeof part === 'string' ? [] : [part.source]));
  return templateMistakes(text, path, asking(view, plainPaths(sources)), view.takesFiles ? 'argument' : 'text');
}

function* scriptConditionMistakes(source: string, path: PropertyKey[], view: View): Generator<PlacedMistake> {
  const mistakes: Mistake[] = [];
  const tell = (mistake: Mistake) => void mistakes.push(mistake);
  const type = asJson(inferType(source, asking(view, plainPaths([source])), tell));
  if (!mayBe(type, 'bool')) {
    const message = `\`${source}\` gives ${describeType(type)}, where true or false belongs`;
    mistakes.push({ code: 'lint.not_boolean', message });
  }
  yield* placedAt(mistakes, path);
}

/** The plain names of inputs: where one is absent, its item is left out, and there is nothing to ask. */
function plainPaths(sources: readonly string[]): string[] {
  return sources.filter(isPlainPath).flatMap(beginnings);
}

/** `input.a.b` reads `input.a` as well. */
function beginnings(path: string): string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

/** Behind a condition that holds, what it asked for is there, and so is what it is. */
function askedIn(source: string): string[] {
  const tree = parseExpression(source);
  return [...plainPaths([source]), ...(tree ? askedBy(tree, true) : [])];
}

function asking(view: View, paths: readonly string[]): View {
  return paths.length === 0 ? view : { ...view, asked: new Set([...view.asked, ...paths]) };
}

function itemOf(range: Type): Type {
  const items = range.flatMap((one) => (one.kind === 'list' ? [one.item()] : []));
  return items.length === 0 || mayBe(range, 'any') ? ANY : unite(...items);
}
