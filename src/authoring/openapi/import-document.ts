import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Imported, LeftOut } from '../import/imported.js';
import { cleanText, memberOf, NotExpressible, type Part, partOf } from './document-parts.js';
import { METHODS, OTHER_METHODS } from './effects-of.js';
import { follow } from './follow-reference.js';
import { type DocumentReaders, type FoundOperation, type MappedOperation, mapOperation } from './map-operation.js';
import { SecurityReader } from './map-security.js';
import { ServerReader } from './map-servers.js';
import { nameOperations } from './name-operations.js';
import { readDocument } from './read-document.js';
import { SchemaReader } from './schema-closure.js';
import { validateDocument } from './validate-document.js';

/** A document of a version that is read. */
export interface OpenApiDocument {
  document: Part;
  /** The file or address, for messages. */
  from: string;
}

/**
 * Reads a document, JSON or YAML, and checks its version before anything else looks at it.
 *
 * @throws AbilityError `import.unreadable`, `import.unsupported`.
 */
export function openDocument(text: string, from: string): OpenApiDocument {
  const document = readDocument(text, from);
  checkVersion(document, from);
  return { document, from };
}

/** How to import a document. */
export interface DocumentImport {
  /** The name of its service, in the configuration and in the variables of its credentials. */
  service: string;
  /** The prefix of operation keys. */
  prefix: string;
  /** The address of the document itself, where it has one. */
  documentUrl?: string;
  /** The address of the service, in place of the document's. */
  server?: string;
}

/** Of all definitions together, as JSON: a document of a few lines may repeat one large answer for each operation. */
const MAX_CHARACTERS = 200 * 1024 * 1024;

/** More than any public document has. */
const MAX_OPERATIONS = 20_000;

/**
 * Makes low-level definitions of an OpenAPI document, 3.0 or 3.1.
 *
 * Each operation becomes one or is left out by name, with the reason. Source: docs/api-calls.md; docs/imports.md#an-openapi-document.
 *
 * @throws AbilityError `import.unreadable`, `import.unsupported`, `import.no_server`, `usage.invalid`.
 */
export async function importDocument({ document, from }: OpenApiDocument, wanted: DocumentImport): Promise<Imported> {
  const { service, prefix } = wanted;
  await validateDocument(document, from);
  const { found, leftOut } = findOperations(document);
  if (found.length > MAX_OPERATIONS) {
    throw new AbilityError({
      code: 'import.unsupported',
      message: `${from} has ${found.length} operations, and ${MAX_OPERATIONS} are the most`,
      suggestion: 'Import it in parts: leave in a copy only the paths you need.',
    });
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
    const mapped = mapOrReason(key, operation, readers);
    if ('reason' in mapped) leftOut.push(mapped);
    else {
      operations.push(mapped);
      characters += JSON.stringify(mapped.definition).length;
    }
    if (characters > MAX_CHARACTERS) throw tooMuch(from);
  }
  return {
    operations: operations.map(({ credentials: _, ...operation }) => operation),
    leftOut,
    config: configOf(service, readers, operations),
    notes: [...readers.servers.notes, ...readers.security.notes],
  };
}

function tooMuch(from: string): AbilityError {
  return new AbilityError({
    code: 'import.unsupported',
    message: `The definitions of ${from} would have more than ${MAX_CHARACTERS / 1024 / 1024} MiB`,
    suggestion: 'Import it in parts: leave in a copy only the paths you need.',
  });
}

function mapOrReason(key: string, operation: FoundOperation, readers: DocumentReaders): MappedOperation | LeftOut {
  try {
    return mapOperation(key, operation, readers);
  } catch (error) {
    if (error instanceof NotExpressible) return { source: operation.source, reason: error.message };
    throw error;
  }
}

/** One entry that all operations share, in every environment: where the service is, and with what it is called. */
function configOf(service: string, { servers }: DocumentReaders, operations: readonly MappedOperation[]): JsonObject {
  const variable = service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  const names = [...new Set(operations.flatMap(({ credentials }) => credentials))].sort();
  const credentials = Object.fromEntries(names.map((name) => [name, `env:${variable}_${name.toUpperCase()}`]));
  const entry = { endpoints: servers.endpoints, ...(names.length > 0 && { credentials }) };
  return { services: { [service]: entry } };
}

function findOperations(document: Part): { found: (FoundOperation & { operationId: unknown })[]; leftOut: LeftOut[] } {
  const found: (FoundOperation & { operationId: unknown })[] = [];
  const leftOut: LeftOut[] = [];
  for (const [path, listed] of Object.entries(partOf(memberOf(document, 'paths')))) {
    if (path.startsWith('x-')) continue;
    const shown = cleanText(path, 200);
    try {
      const pathItem = partOf(follow(document, listed));
      for (const method of METHODS) {
        const operation = memberOf(pathItem, method);
        if (operation === undefined) continue;
        const source = `${method.toUpperCase()} ${shown}`;
        const callbacks = Object.keys(partOf(memberOf(operation, 'callbacks'))).map((name) => cleanText(name, 100));
        for (const name of callbacks) leftOut.push({ source: `${source} callback ${name}`, reason: CALLBACK });
        found.push({
          source,
          method,
          path,
          pathItem,
          operation: partOf(operation),
          operationId: memberOf(operation, 'operationId'),
        });
      }
      for (const method of OTHER_METHODS) {
        if (memberOf(pathItem, method) === undefined) continue;
        leftOut.push({
          source: `${method.toUpperCase()} ${shown}`,
          reason: `${method.toUpperCase()} is no method that can be called`,
        });
      }
    } catch (error) {
      if (!(error instanceof NotExpressible)) throw error;
      leftOut.push({ source: shown, reason: error.message });
    }
  }
  for (const name of Object.keys(partOf(memberOf(document, 'webhooks')))) {
    leftOut.push({ source: `webhook ${cleanText(name, 100)}`, reason: CALLBACK });
  }
  return { found, leftOut };
}

const CALLBACK = 'it is called by the service, not by us';

/** The addresses of all services in a configuration that an import brings. */
export function addressesIn(config: JsonObject | undefined): string[] {
  return Object.values(partOf(memberOf(config, 'services')))
    .flatMap((service) => Object.values(partOf(memberOf(service, 'endpoints'))))
    .filter((address): address is string => typeof address === 'string' && URL.canParse(address));
}

/** The versions of OpenAPI that are read. They differ in the dialect of their schemas. */
type OpenApiVersion = '3.0' | '3.1';

/**
 * The version of a document.
 *
 * Checked before parsing: the parser takes Swagger 2.0 for valid, and throws at 3.2. Source: docs/imports.md#an-openapi-document.
 *
 * @throws AbilityError `import.unsupported`, `import.unreadable` for any other document.
 */
function checkVersion(document: Part, from: string): OpenApiVersion {
  const version = memberOf(document, 'openapi');
  if (typeof version === 'string' || typeof version === 'number') {
    const [, known] = /^(3\.[01])(\.\d+)?(-\S+)?$/.exec(String(version)) ?? [];
    if (known === '3.0' || known === '3.1') return known;
    throw unsupported(`${from} is OpenAPI ${String(version).slice(0, 20)}, and 3.0 and 3.1 are read`);
  }
  const swagger = memberOf(document, 'swagger');
  if (swagger !== undefined) {
    const suggestion = 'Convert it to OpenAPI 3 first; its author may offer that already.';
    throw unsupported(
      `${from} is Swagger ${String(swagger).slice(0, 20)}, and OpenAPI 3.0 and 3.1 are read`,
      suggestion,
    );
  }
  throw new AbilityError({
    code: 'import.unreadable',
    message: `${from} is no OpenAPI document: it has no \`openapi: 3.x\``,
  });
}

function unsupported(message: string, suggestion?: string): AbilityError {
  return new AbilityError({ code: 'import.unsupported', message, ...(suggestion && { suggestion }) });
}
