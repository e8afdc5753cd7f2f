import { AbilityError } from '../../../contracts/problem.js';
import { METHODS, OTHER_METHODS } from './effects-of.js';
import { cleanText, isPart, listOf, memberOf, type Part, partOf } from './follow-reference.js';

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
  const outline = outlineOf(document);
  const result = await validate(outline as never, {
    resolve: { external: false },
    validate: { rules: { openapi: RULES } },
  });
  if (result.valid) return;
  const [first] = result.errors;
  const more = result.errors.length + result.additionalErrors - 1;
  const what = first ? describe(first.message, outline) : 'it does not have the required form';
  throw new AbilityError({
    code: 'import.unreadable',
    message: `${from} is no valid OpenAPI document: ${what}${more > 0 ? ` (and ${more} more)` : ''}`,
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

type Outline = Record<string, unknown>;

const MAX_LEVELS = 20;

/**
 * What the parser validates: the operations without schemas, security schemes, examples, callbacks, extensions and
 * references. Missing parts are checked where they are used. The parser follows all references first; a few dozen
 * schemas that refer to each other would keep it busy forever.
 */
function outlineOf(document: Part): Outline {
  const outline: Outline = {};
  for (const key of ['openapi', 'info', 'servers', 'security', 'tags', 'externalDocs', 'jsonSchemaDialect']) {
    if (memberOf(document, key) !== undefined) outline[key] = withoutReferences(memberOf(document, key), 0);
  }
  const paths = memberOf(document, 'paths');
  if (paths !== undefined) outline.paths = isPart(paths) ? mapValues(paths, pathItemOf) : paths;
  // 3.1 allows webhooks or components in place of paths; only their presence counts.
  if (memberOf(document, 'webhooks') !== undefined) outline.webhooks = {};
  const components = memberOf(document, 'components');
  if (components !== undefined) outline.components = isPart(components) ? componentsOf(components) : components;
  return outline;
}

function componentsOf(components: Part): Outline {
  const of = (key: string, map: (value: unknown) => unknown): Outline => {
    const held = memberOf(components, key);
    return isPart(held) ? { [key]: mapValues(held, (value) => (isReference(value) ? undefined : map(value))) } : {};
  };
  return {
    ...of('parameters', parameterOf),
    ...of('requestBodies', bodyOf),
    ...of('responses', responseOf),
  };
}

function pathItemOf(value: unknown): unknown {
  if (!isPart(value)) return value;
  if (isReference(value)) return {};
  const item = pick(value, 'summary', 'description');
  if (memberOf(value, 'servers') !== undefined) item.servers = withoutReferences(memberOf(value, 'servers'), 0);
  if (memberOf(value, 'parameters') !== undefined) item.parameters = parametersOf(memberOf(value, 'parameters'));
  for (const method of [...METHODS, ...OTHER_METHODS]) {
    const operation = memberOf(value, method);
    if (operation !== undefined && method !== 'query') item[method] = operationOf(operation);
  }
  return item;
}

function operationOf(value: unknown): unknown {
  if (!isPart(value)) return value;
  const operation = pick(value, 'tags', 'summary', 'description', 'operationId', 'deprecated', 'security', 'servers');
  if (memberOf(value, 'parameters') !== undefined) operation.parameters = parametersOf(memberOf(value, 'parameters'));
  const body = memberOf(value, 'requestBody');
  if (body !== undefined && !isReference(body)) operation.requestBody = bodyOf(body);
  const responses = memberOf(value, 'responses');
  if (responses === undefined) return operation;
  const mapped = isPart(responses) ? mapValues(responses, responseOf) : responses;
  return { ...operation, responses: mapped };
}

function parametersOf(value: unknown): unknown {
  return Array.isArray(value) ? value.filter((item) => !isReference(item)).map(parameterOf) : value;
}

function parameterOf(value: unknown): unknown {
  if (!isPart(value)) return value;
  const parameter = pick(value, 'name', 'in', 'description', 'required', 'deprecated', 'style', 'explode');
  if (memberOf(value, 'content') !== undefined) parameter.content = contentOf(memberOf(value, 'content'));
  else if (memberOf(value, 'schema') !== undefined) parameter.schema = {};
  return parameter;
}

function bodyOf(value: unknown): unknown {
  if (!isPart(value)) return value;
  return { ...pick(value, 'description', 'required'), content: contentOf(memberOf(value, 'content')) };
}

function responseOf(value: unknown): unknown {
  if (!isPart(value)) return value;
  if (isReference(value)) return { description: '' };
  const content = memberOf(value, 'content');
  return { ...pick(value, 'description'), ...(content !== undefined && { content: contentOf(content) }) };
}

function contentOf(value: unknown): unknown {
  return isPart(value) ? mapValues(value, (media) => (isPart(media) ? {} : media)) : value;
}

function isReference(value: unknown): boolean {
  return memberOf(value, '$ref') !== undefined;
}

function pick(value: Part, ...keys: string[]): Outline {
  const picked: Outline = {};
  for (const key of keys) {
    if (memberOf(value, key) !== undefined) picked[key] = withoutReferences(memberOf(value, key), 0);
  }
  return picked;
}

function mapValues(value: Part, map: (item: unknown) => unknown): Outline {
  const entries = Object.keys(value).filter((key) => !key.startsWith('x-') && key !== '__proto__');
  return Object.fromEntries(
    entries.map((key) => [key, map(memberOf(value, key))]).filter(([, item]) => item !== undefined),
  ) as Outline;
}

/** Drops references and extensions, and everything below the maximum depth. */
function withoutReferences(value: unknown, level: number): unknown {
  if (level > MAX_LEVELS) return null;
  if (Array.isArray(value)) return listOf(value).map((item) => withoutReferences(item, level + 1));
  if (!isPart(value)) return value;
  const entries = Object.entries(partOf(value)).filter(
    ([key]) => key !== '$ref' && key !== '__proto__' && !key.startsWith('x-'),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutReferences(item, level + 1)]));
}
