import { unreadable } from '../import-fault.js';
import { cleanText, isPart, memberOf, type Part } from './follow-reference.js';
import { METHODS, OTHER_METHODS } from './methods.js';

/** Faults that the import tolerates or handles itself, such as duplicate keys and unknown schemes. */
const RULES = {
  'array-without-items': 'warning',
  'duplicate-non-request-body-parameters': 'warning',
  'duplicate-operation-id': 'warning',
  'invalid-security-scheme-properties': 'warning',
  'non-optional-path-parameters': 'warning',
  'path-parameters-not-in-parameters': 'warning',
  'path-parameters-not-in-path': 'warning',
} as const;

/** Checks the structure; conversion checks schemas. @throws AbilityError `import.unreadable`: first error. */
export async function validateDocument(document: Part, from: string): Promise<void> {
  // Loaded on first use, since it is large.
  const { validate } = await import('@readme/openapi-parser');
  const outline = outlineOf(document) as object;
  const result = await validate(outline as never, {
    resolve: { external: false },
    validate: { rules: { openapi: RULES } },
  });
  if (result.valid) return;
  const [first] = result.errors;
  const more = result.errors.length + result.additionalErrors - 1;
  const what = first ? describe(first.message, outline) : 'it does not have the required form';
  throw unreadable(`${from} is no valid OpenAPI document: ${what}${more > 0 ? ` (and ${more} more)` : ''}`, {
    suggestion: 'Ask its author to fix it, or fix a copy and import that file.',
  });
}

/** Replaces the parser's drawing of a place, over several lines, by a path. */
function describe(message: string, outline: object): string {
  const [words = ''] = message.split('\n\n', 1);
  const [, line] = /^> *(\d+) \|/m.exec(message) ?? [];
  const place = line === undefined ? '' : placeOf(outline, Number(line));
  return cleanText(`${words.replace(/^[A-Z]+ /, '')}${place === '' ? '' : ` (at ${place})`}`, 300);
}

/** The path to a line of the printed document, which indents each level by two blanks. */
function placeOf(outline: object, wanted: number): string {
  const path: string[] = [];
  const counts: number[] = [];
  for (const text of JSON.stringify(outline, null, 2).split('\n', wanted)) {
    const level = text.search(/\S/) / 2;
    if (level < 1 || /^\s*[\]}]/.test(text)) continue;
    const [, key] = /^\s*"((?:[^"\\]|\\.)*)": /.exec(text) ?? [];
    counts.length = level + 1;
    counts[level] = (counts[level] ?? -1) + 1;
    path.length = level - 1;
    path[level - 1] = key ?? String(counts[level]);
  }
  return path.join('.');
}

/** What the parser sees of a part; undefined: nothing. */
type Shape = (value: unknown) => unknown;

/** A map with these members, in this order, as far as they are there; any other value stays as it is. */
function members(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (!isPart(value)) return value;
    return present(Object.entries(shapes).map(([key, shape]) => [key, memberOf(value, key), shape]));
  };
}

/** A map with members of any name, without extensions; any other value stays as it is. */
function each(shape: Shape): Shape {
  return (value) => {
    if (!isPart(value)) return value;
    const names = Object.keys(value).filter((key) => !key.startsWith('x-') && key !== '__proto__');
    return present(names.map((key) => [key, memberOf(value, key), shape]));
  };
}

function present(parts: readonly (readonly [key: string, held: unknown, shape: Shape])[]): Record<string, unknown> {
  const shaped = parts.map(([key, held, shape]) => [key, held === undefined ? undefined : shape(held)]);
  return Object.fromEntries(shaped.filter(([, value]) => value !== undefined));
}

function unlessReference(shape: Shape, otherwise?: object): Shape {
  return (value) => (memberOf(value, '$ref') === undefined ? shape(value) : otherwise);
}

function plainly(...keys: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(keys.map((key) => [key, (value: unknown) => withoutReferences(value, 0)]));
}

const MAX_LEVELS = 20;

/** Drops references and extensions, and everything below the maximum depth. */
function withoutReferences(value: unknown, level: number): unknown {
  if (level > MAX_LEVELS) return null;
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, level + 1));
  if (!isPart(value)) return value;
  const entries = Object.entries(value).filter(
    ([key]) => key !== '$ref' && key !== '__proto__' && !key.startsWith('x-'),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutReferences(item, level + 1)]));
}

const CONTENT = { content: each(members({})) };
const FIELDS = plainly('name', 'in', 'description', 'required', 'deprecated', 'style', 'explode');
const ofContent = members({ ...FIELDS, ...CONTENT });
const ofSchema = members({ ...FIELDS, schema: () => ({}) });
const parameter: Shape = (value) => (memberOf(value, 'content') === undefined ? ofSchema : ofContent)(value);
const parameters: Shape = (value) =>
  Array.isArray(value) ? value.filter((item) => memberOf(item, '$ref') === undefined).map(parameter) : value;
const body = members({ ...plainly('description', 'required'), ...CONTENT });
const response = members({ ...plainly('description'), ...CONTENT });
const operation = members({
  ...plainly('tags', 'summary', 'description', 'operationId', 'deprecated', 'security', 'servers'),
  parameters,
  requestBody: unlessReference(body),
  responses: each(unlessReference(response, { description: '' })),
});
const pathItem = members({
  ...plainly('summary', 'description', 'servers'),
  parameters,
  ...Object.fromEntries([...METHODS, ...OTHER_METHODS].map((method) => [method, operation])),
  query: () => undefined,
});
/** The parts of a document that others refer to. */
const listed =
  (shape: Shape): Shape =>
  (value) =>
    isPart(value) ? each(unlessReference(shape))(value) : undefined;

/**
 * What the parser validates: the operations without schemas, security schemes, examples, callbacks, extensions and
 * references. Missing parts are checked where they are used. The parser follows all references first; a few dozen
 * schemas that refer to each other would keep it busy forever.
 */
const outlineOf = members({
  ...plainly('openapi', 'info', 'servers', 'security', 'tags', 'externalDocs', 'jsonSchemaDialect'),
  paths: each(unlessReference(pathItem, {})),
  // 3.1 allows webhooks or components in place of paths; only their presence counts.
  webhooks: () => ({}),
  components: members({
    parameters: listed(parameter),
    requestBodies: listed(body),
    responses: listed(response),
  }),
});
