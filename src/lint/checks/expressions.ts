import type { Json } from '../../contracts/json.js';
import type { ArgumentDefinition } from '../../definitions/formats/script-arguments.js';
import { BARE } from '../../definitions/step-expressions.js';
import type { ScriptDefinition } from '../../kinds/script/format.js';
import { isPlainPath } from '../../planning/scripts/texts.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { walk } from '../../rules/expressions/syntax/node.js';
import { attempt } from '../../text/attempt.js';
import type { Belongs, ExpressionSite } from '../types/expression-sites.js';
import { inferType, type View } from '../types/infer.js';
import { parseExpression, presentAfter, withBeginnings } from '../types/read-expression.js';
import { asJson, cutSafely } from '../types/template-type.js';
import {
  ANY,
  type Diagnostic,
  describeType,
  itemsOf,
  mayBe,
  mayBeFile,
  type Report,
  type Type,
} from '../types/type.js';
import type { WorkflowTypes } from '../types/workflow-types.js';

export interface PlacedDiagnostic extends Diagnostic {
  path: PropertyKey[];
  part?: 'key';
}

export function* expressionDiagnostics(types: WorkflowTypes): Generator<PlacedDiagnostic> {
  for (const site of types.sites) {
    const view = types.viewAt(site);
    yield* BARE.has(site.belongs)
      ? bareDiagnostics(site, view)
      : templateDiagnostics(site.value, site.path, view, site.belongs);
  }
}

function* bareDiagnostics({ value, belongs, path, phase }: ExpressionSite, view: View): Generator<PlacedDiagnostic> {
  const source = String(value);
  yield* reported(path, (report) => {
    const unfit = unfitBare(source, inferType(source, view, report), belongs);
    if (unfit) report(unfit);
    const outcome = belongs === 'condition' && phase === 'before' ? constantOf(source) : undefined;
    if (outcome === undefined) return;
    report({ code: 'lint.constant_condition', message: `\`${source}\` is always ${outcome}` });
  });
}

function unfitBare(source: string, type: Type, belongs: Belongs): Diagnostic | undefined {
  const given = `\`${source}\` gives ${describeType(type)}`;
  if (belongs === 'list') {
    if (mayBe(type, 'list', 'optional')) return undefined;
    return { code: 'lint.not_a_list', message: `${given}, and \`foreach\` goes over a list` };
  }
  // A text is read as a timestamp.
  const isFit = belongs === 'moment' ? mayBe(type, 'bool', 'timestamp', 'string') : mayBe(type, 'bool');
  if (isFit) return undefined;
  const wanted = belongs === 'moment' ? 'true, false or a timestamp' : 'true or false';
  return { code: 'lint.not_boolean', message: `${given}, where ${wanted} belongs` };
}

/** The result of a condition that reads no names and calls neither `now` nor `uuid`; else undefined. */
function constantOf(source: string): boolean | undefined {
  const tree = parseExpression(source);
  let isOpen = tree === undefined;
  if (tree) {
    walk(tree, ({ op, args }) => {
      isOpen ||= op === 'id' || (op === 'call' && ['now', 'uuid'].includes((args as [string])[0]));
    });
  }
  if (isOpen) return undefined;
  return attempt(() => {
    const value = compileExpression(source).evaluate({ values: {} });
    return typeof value === 'boolean' ? value : undefined;
  });
}

export function* conditionDiagnostics(source: string, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  yield* reported(path, (report) => {
    const type = inferType(source, view, report);
    if (!mayBe(type, 'bool')) report({ code: 'lint.not_boolean', message: `\`${source}\` is no condition` });
  });
}

export function* templateDiagnostics(
  template: Json,
  path: PropertyKey[],
  view: View,
  belongs: Belongs = 'value',
): Generator<PlacedDiagnostic> {
  const wanted = typeof template === 'string' ? belongs : 'value';
  for (const text of textsIn(template, path)) {
    const parts = cutSafely(text.value);
    yield* reported(text.path, (report) => {
      for (const part of parts) {
        if (typeof part === 'string') continue;
        const type = asJson(inferType(part.source, view, report));
        // A file becomes the path of its copy.
        if (wanted === 'argument' && mayBeFile(type)) continue;
        const unfit = parts.length > 1 ? unfitInText(part.source, type) : unfitAlone(part.source, type, wanted);
        if (unfit) report(unfit);
      }
    });
  }
}

function unfitInText(source: string, type: Type): Diagnostic | undefined {
  if (mayBe(type, 'string', 'int', 'double', 'bool')) return undefined;
  const message = `\`${source}\` gives ${describeType(type)}, which cannot be inserted into text`;
  return { code: 'lint.not_text', message };
}

function unfitAlone(source: string, type: Type, belongs: Belongs): Diagnostic | undefined {
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

/** What a check of the expressions at a path reports, without duplicates. */
function* reported(path: PropertyKey[], check: (report: Report) => void): Generator<PlacedDiagnostic> {
  const once = new Map<string, Diagnostic>();
  check((diagnostic) => void once.set(diagnostic.code + diagnostic.message, diagnostic));
  for (const diagnostic of once.values()) yield { ...diagnostic, path };
}

export function* scriptTextDiagnostics(
  { args = [], stdin, env = {} }: ScriptDefinition,
  path: PropertyKey[],
  view: View,
): Generator<PlacedDiagnostic> {
  yield* itemDiagnostics(args, [...path, 'args'], view);
  if (stdin !== undefined) yield* textDiagnostics(stdin, [...path, 'stdin'], view);
  for (const [name, text] of Object.entries(env)) yield* textDiagnostics(text, [...path, 'env', name], view);
}

function* itemDiagnostics(
  items: readonly ArgumentDefinition[],
  path: PropertyKey[],
  view: View,
): Generator<PlacedDiagnostic> {
  for (const [index, item] of items.entries()) yield* diagnosticsOf(item, [...path, index], view);
}

function* diagnosticsOf(item: ArgumentDefinition, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  if (typeof item === 'string') yield* textDiagnostics(item, path, view);
  else if ('value' in item) yield* textDiagnostics(item.value, [...path, 'value'], view);
  else if ('if' in item) {
    yield* scriptConditionDiagnostics(item.if, [...path, 'if'], view);
    yield* itemDiagnostics(item.then, [...path, 'then'], withPresent(view, presentIn(item.if)));
  } else {
    let range = ANY;
    yield* reported([...path, 'each'], (report) => {
      range = asJson(inferType(item.each, withPresent(view, plainPaths([item.each])), report));
      if (mayBe(range, 'list')) return;
      const message = `\`${item.each}\` gives ${describeType(range)}, and \`each\` goes over a list`;
      report({ code: 'lint.not_a_list', message });
    });
    const inside = { ...view, typeOf: (name: string) => (name === item.as ? itemsOf(range) : view.typeOf(name)) };
    yield* itemDiagnostics(item.then, [...path, 'then'], inside);
  }
}

function textDiagnostics(text: string, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  const sources = cutSafely(text).flatMap((part) => (typeof part === 'string' ? [] : [part.source]));
  return templateDiagnostics(text, path, withPresent(view, plainPaths(sources)), view.takesFiles ? 'argument' : 'text');
}

function* scriptConditionDiagnostics(source: string, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  yield* reported(path, (report) => {
    const type = asJson(inferType(source, withPresent(view, plainPaths([source])), report));
    if (mayBe(type, 'bool')) return;
    report({
      code: 'lint.not_boolean',
      message: `\`${source}\` gives ${describeType(type)}, where true or false belongs`,
    });
  });
}

/** Paths such as `input.a.b`. A script leaves out an item whose input is absent, so it needs no `has()`. */
function plainPaths(sources: readonly string[]): string[] {
  return sources.filter(isPlainPath).flatMap((path) => [...withBeginnings(path)]);
}

/** The paths that exist where the condition is true. */
function presentIn(source: string): string[] {
  const tree = parseExpression(source);
  return [...plainPaths([source]), ...(tree ? presentAfter(tree, true) : [])];
}

function withPresent(view: View, paths: readonly string[]): View {
  return paths.length === 0 ? view : { ...view, present: new Set([...view.present, ...paths]) };
}
