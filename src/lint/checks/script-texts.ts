import type { ScriptDefinition } from '../../definitions/formats/implementation.js';
import type { ArgumentDefinition } from '../../definitions/formats/script-arguments.js';
import { isPlainPath } from '../../planning/scripts/texts/evaluate-script.js';
import { askedBy } from '../types/asked.js';
import { inferType, type View } from '../types/infer.js';
import type { Mistake } from '../types/mistake.js';
import { parseExpression } from '../types/parse.js';
import { asJson, cutSafely } from '../types/template-type.js';
import { ANY, describeType, mayBe, type Type, unite } from '../types/type.js';
import { type PlacedMistake, placedAt, templateMistakes } from './expressions.js';

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
    yield* conditionMistakes(item.if, [...path, 'if'], view);
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

function* conditionMistakes(source: string, path: PropertyKey[], view: View): Generator<PlacedMistake> {
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
