import type { Json } from '../../contracts/json.js';
import type { ScriptDefinition } from '../../definitions/formats/implementation.js';
import type { ArgumentDefinition } from '../../definitions/formats/script-arguments.js';
import { BARE } from '../../definitions/step-expressions.js';
import { isPlainPath } from '../../planning/scripts/texts/evaluate-script.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { walk } from '../../rules/expressions/syntax/node.js';
import { attempt } from '../../text/attempt.js';
import type { Belongs, ExpressionSite } from '../types/expression-sites.js';
import { inferType, type View } from '../types/infer.js';
import { parseExpression, presentAfter } from '../types/read-expression.js';
import { asJson, cutSafely } from '../types/template-type.js';
import { ANY, type Diagnostic, describeType, mayBe, mayBeFile, type Report, type Type, unite } from '../types/type.js';
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
  const diagnostics: Diagnostic[] = [];
  const source = String(value);
  const type = inferType(source, view, (diagnostic) => void diagnostics.push(diagnostic));
  const unfit = unfitBare(source, type, belongs);
  if (unfit) diagnostics.push(unfit);
  const outcome = belongs === 'condition' && phase === 'before' ? constantOf(source) : undefined;
  if (outcome !== undefined) {
    diagnostics.push({ code: 'lint.constant_condition', message: `\`${source}\` is always ${outcome}` });
  }
  yield* placedAt(diagnostics, path);
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
  const diagnostics: Diagnostic[] = [];
  const type = inferType(source, view, (diagnostic) => void diagnostics.push(diagnostic));
  if (!mayBe(type, 'bool')) diagnostics.push({ code: 'lint.not_boolean', message: `\`${source}\` is no condition` });
  yield* placedAt(diagnostics, path);
}

export function* templateDiagnostics(
  template: Json,
  path: PropertyKey[],
  view: View,
  belongs: Belongs = 'value',
): Generator<PlacedDiagnostic> {
  if (template !== null && typeof template === 'object') {
    for (const [key, item] of Object.entries(template)) yield* templateDiagnostics(item, [...path, key], view);
    return;
  }
  if (typeof template !== 'string' || !template.includes('${{')) return;
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => void diagnostics.push(diagnostic);
  const parts = cutSafely(template);
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const type = asJson(inferType(part.source, view, report));
    // A file becomes the path of its copy.
    if (belongs === 'argument' && mayBeFile(type)) continue;
    const unfit = parts.length > 1 ? unfitInText(part.source, type) : unfitAlone(part.source, type, belongs);
    if (unfit) report(unfit);
  }
  yield* placedAt(diagnostics, path);
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

/** Adds the path, and removes duplicates. */
function* placedAt(diagnostics: readonly Diagnostic[], path: PropertyKey[]): Generator<PlacedDiagnostic> {
  const once = new Map(diagnostics.map((diagnostic) => [diagnostic.code + diagnostic.message, diagnostic]));
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
    const diagnostics: Diagnostic[] = [];
    const list = inferType(
      item.each,
      withPresent(view, plainPaths([item.each])),
      (diagnostic) => void diagnostics.push(diagnostic),
    );
    const range = asJson(list);
    if (!mayBe(range, 'list')) {
      const message = `\`${item.each}\` gives ${describeType(range)}, and \`each\` goes over a list`;
      diagnostics.push({ code: 'lint.not_a_list', message });
    }
    yield* placedAt(diagnostics, [...path, 'each']);
    const inside = { ...view, typeOf: (name: string) => (name === item.as ? itemOf(range) : view.typeOf(name)) };
    yield* itemDiagnostics(item.then, [...path, 'then'], inside);
  }
}

function textDiagnostics(text: string, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  const sources = cutSafely(text).flatMap((part) => (typeof part === 'string' ? [] : [part.source]));
  return templateDiagnostics(text, path, withPresent(view, plainPaths(sources)), view.takesFiles ? 'argument' : 'text');
}

function* scriptConditionDiagnostics(source: string, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic);
  const type = asJson(inferType(source, withPresent(view, plainPaths([source])), report));
  if (!mayBe(type, 'bool')) {
    const message = `\`${source}\` gives ${describeType(type)}, where true or false belongs`;
    diagnostics.push({ code: 'lint.not_boolean', message });
  }
  yield* placedAt(diagnostics, path);
}

/** Paths such as `input.a.b`. A script leaves out an item whose input is absent, so it needs no `has()`. */
function plainPaths(sources: readonly string[]): string[] {
  return sources.filter(isPlainPath).flatMap(beginnings);
}

/** The path and its parents: an expression that reads `input.a.b` reads `input.a` as well. */
function beginnings(path: string): string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

/** The paths that exist where the condition is true. */
function presentIn(source: string): string[] {
  const tree = parseExpression(source);
  return [...plainPaths([source]), ...(tree ? presentAfter(tree, true) : [])];
}

function withPresent(view: View, paths: readonly string[]): View {
  return paths.length === 0 ? view : { ...view, present: new Set([...view.present, ...paths]) };
}

function itemOf(range: Type): Type {
  const items = range.flatMap((one) => (one.kind === 'list' ? [one.item()] : []));
  return items.length === 0 || mayBe(range, 'any') ? ANY : unite(...items);
}
