import { LineCounter, parseDocument } from 'yaml';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { tooLarge, unreadable, unsupported } from '../import-fault.js';
import type { Imported, LeftOut } from '../imported.js';
import { cleanText, follow, isPart, memberOf, type Part, partOf, unlessInexpressible } from './follow-reference.js';
import { type DocumentReaders, type FoundOperation, type MappedOperation, mapOperation } from './map-operation.js';
import { SecurityReader } from './map-security.js';
import { ServerReader } from './map-servers.js';
import { METHODS, OTHER_METHODS } from './methods.js';
import { nameOperations } from './name-operations.js';
import { SchemaReader } from './schema-closure.js';
import { validateDocument } from './validate-document.js';

export interface OpenApiDocument {
  document: Part;
  /** The file or address, for messages. */
  from: string;
}

/** Also checks the version. @throws AbilityError `import.unreadable`, `import.unsupported`. */
export function openDocument(text: string, from: string): OpenApiDocument {
  const document = readDocument(text, from);
  checkVersion(document, from);
  return { document, from };
}

export interface DocumentImport {
  /** The name of its service, in the configuration and in the variables of its credentials. */
  service: string;
  /** The prefix of operation keys. */
  prefix: string;
  documentUrl?: string;
  /** Address of the service, instead of the document's. */
  server?: string;
}

/** Limit for all definitions as JSON: a short document may repeat a large answer for each operation. */
const MAX_CHARACTERS = 200 * 1024 * 1024;

/** Maximum number of operations; no public document has as many. */
const MAX_OPERATIONS = 20_000;

/**
 * Makes a low-level definition of each operation of an OpenAPI 3.0 or 3.1 document, or reports why it is left out.
 * Source: docs/api-calls.md; docs/imports.md#an-openapi-document.
 * @throws AbilityError `import.unreadable`, `import.unsupported`, `import.no_server`, `usage.invalid`.
 */
export async function importDocument({ document, from }: OpenApiDocument, wanted: DocumentImport): Promise<Imported> {
  const { service, prefix } = wanted;
  await validateDocument(document, from);
  const { found, leftOut } = findOperations(document);
  if (found.length > MAX_OPERATIONS) {
    throw tooLarge(`${from} has ${found.length} operations; the maximum is ${MAX_OPERATIONS}`);
  }
  const readers: DocumentReaders = {
    document,
    service,
    schemas: new SchemaReader(document),
    security: new SecurityReader(document),
    servers: new ServerReader(document, wanted),
  };
  const operations: MappedOperation[] = [];
  let characters = 0;
  for (const [operation, key] of nameOperations(found, prefix)) {
    const mapped = unlessInexpressible(
      () => mapOperation(key, operation, readers),
      ({ message }) => ({ source: operation.source, reason: message }),
    );
    if ('reason' in mapped) leftOut.push(mapped);
    else {
      operations.push(mapped);
      characters += JSON.stringify(mapped.definition).length;
    }
    if (characters > MAX_CHARACTERS) {
      throw tooLarge(`The definitions of ${from} would have more than ${MAX_CHARACTERS / 1024 / 1024} MiB`);
    }
  }
  return {
    operations: operations.map(({ credentials: _, ...operation }) => operation),
    leftOut,
    config: configOf(service, readers, operations),
    notes: [...readers.servers.notes, ...readers.security.notes],
  };
}

/** One entry of `services` for all operations and environments, with endpoints and credentials. */
function configOf(service: string, { servers }: DocumentReaders, operations: readonly MappedOperation[]): JsonObject {
  const variable = service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  const names = [...new Set(operations.flatMap(({ credentials }) => credentials))].sort();
  const credentials = Object.fromEntries(names.map((name) => [name, `env:${variable}_${name.toUpperCase()}`]));
  const entry = { endpoints: servers.endpoints, ...(names.length > 0 && { credentials }) };
  return { services: { [service]: entry } };
}

function findOperations(document: Part): { found: FoundOperation[]; leftOut: LeftOut[] } {
  const found: FoundOperation[] = [];
  const leftOut: LeftOut[] = [];
  for (const [path, listed] of Object.entries(partOf(memberOf(document, 'paths')))) {
    if (path.startsWith('x-')) continue;
    const shown = cleanText(path, 200);
    const pathItem = unlessInexpressible(
      () => partOf(follow(document, listed)),
      ({ message }) => {
        leftOut.push({ source: shown, reason: message });
        return {};
      },
    );
    for (const method of METHODS) {
      if (memberOf(pathItem, method) === undefined) continue;
      const operation = partOf(memberOf(pathItem, method));
      const source = `${method.toUpperCase()} ${shown}`;
      const callbacks = Object.keys(partOf(memberOf(operation, 'callbacks'))).map((name) => cleanText(name, 100));
      for (const name of callbacks) leftOut.push({ source: `${source} callback ${name}`, reason: CALLBACK });
      found.push({ source, method, path, pathItem, operation, operationId: memberOf(operation, 'operationId') });
    }
    for (const method of OTHER_METHODS) {
      if (memberOf(pathItem, method) === undefined) continue;
      const name = method.toUpperCase();
      leftOut.push({ source: `${name} ${shown}`, reason: `${name} is no method that can be called` });
    }
  }
  for (const name of Object.keys(partOf(memberOf(document, 'webhooks')))) {
    leftOut.push({ source: `webhook ${cleanText(name, 100)}`, reason: CALLBACK });
  }
  return { found, leftOut };
}

const CALLBACK = 'it is called by the service, not by us';

export function addressesIn(config: JsonObject | undefined): string[] {
  return Object.values(partOf(memberOf(config, 'services')))
    .flatMap((service) => Object.values(partOf(memberOf(service, 'endpoints'))))
    .filter((address): address is string => typeof address === 'string' && URL.canParse(address));
}

/**
 * The parser accepts Swagger 2.0, and throws at 3.2. Source: docs/imports.md#an-openapi-document.
 * @throws AbilityError `import.unsupported` for another version, `import.unreadable` if there is none.
 */
function checkVersion(document: Part, from: string): void {
  const version = memberOf(document, 'openapi');
  if (typeof version === 'string' || typeof version === 'number') {
    if (/^3\.[01](\.\d+)?(-\S+)?$/.test(String(version))) return;
    throw unsupported(`${from} is OpenAPI ${String(version).slice(0, 20)}, and 3.0 and 3.1 are read`);
  }
  const swagger = memberOf(document, 'swagger');
  if (swagger !== undefined) {
    throw unsupported(`${from} is Swagger ${String(swagger).slice(0, 20)}, and OpenAPI 3.0 and 3.1 are read`, {
      suggestion: 'Convert it to OpenAPI 3 first; its author may offer that already.',
    });
  }
  throw unreadable(`${from} is no OpenAPI document: it has no \`openapi: 3.x\``);
}

/** Maximum bytes of a description; the largest public ones have about 15 MB. */
export const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;

/** Maximum aliases in YAML; each may expand to a large part of the document. */
const MAX_ALIASES = 100;

const EXHAUSTED = /Maximum call stack size exceeded/;

/** Maximum nesting: more than any description has, less than would exhaust later readers. */
const MAX_LEVELS = 500;

/** Refused before parsing: a parser spends much time before it fails. */
const DEEP = new RegExp(`(?:[[{]\\s*){${MAX_LEVELS}}|(?:- ){${MAX_LEVELS}}|^ {${MAX_LEVELS * 2}}\\S`, 'm');

/**
 * Parses JSON or YAML. @param from the file or address, for messages.
 * @throws AbilityError `import.unreadable` for any other text, or if the value is no map.
 */
function readDocument(text: string, from: string): Part {
  const start = text.trimStart().slice(0, 200);
  if (/^<(!doctype|html|\?xml|[a-z])/i.test(start)) {
    const suggestion = 'Pass the address of the YAML or JSON itself.';
    throw unreadable(`${from} is a page, and no OpenAPI document`, { suggestion });
  }
  const value = /^[{[]/.test(start) ? readJson(text, from) : readYaml(text, from);
  if (!isPart(value)) throw unreadable(`${from} is no OpenAPI document: it is no map`);
  return value;
}

function readJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw tooDeep(from, error);
    // Flow YAML begins like JSON; errors in text that looks like JSON are reported as JSON errors.
    if (!/^\s*[{[]\s*["\]}]/.test(text)) return readYaml(text, from);
    throw unreadable(`${from} is no valid JSON: ${error.message}`, { cause: error });
  }
}

function readYaml(text: string, from: string): unknown {
  if (DEEP.test(text)) throw tooDeep(from);
  try {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, strict: true, stringKeys: true, logLevel: 'silent' });
    const [fault] = document.errors;
    if (fault && EXHAUSTED.test(fault.message)) throw tooDeep(from, fault);
    if (fault) {
      const { line, col } = lines.linePos(fault.pos[0]);
      const [what = ''] = fault.message.split('\n', 1);
      const location = { file: from, line, column: col };
      throw unreadable(`${from} is no valid YAML: ${what.replace(/ at line \d+, column \d+:?$/, '')}`, { location });
    }
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const reason = reasonOf(error);
    if (error instanceof RangeError || EXHAUSTED.test(reason)) throw tooDeep(from, error);
    throw unreadable(`${from} is no valid YAML: ${reason}`, { cause: error });
  }
}

function tooDeep(from: string, cause?: unknown): AbilityError {
  return unreadable(`${from} is nested deeper than any OpenAPI document`, { cause });
}
