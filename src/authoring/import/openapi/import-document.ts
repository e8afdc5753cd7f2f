import type { JsonObject } from '../../../contracts/json.js';
import { tooLarge, unreadable, unsupported } from '../import-fault.js';
import type { Imported, LeftOut } from '../imported.js';
import { cleanText, follow, memberOf, NotExpressible, type Part, partOf } from './follow-reference.js';
import { type DocumentReaders, type FoundOperation, type MappedOperation, mapOperation } from './map-operation.js';
import { SecurityReader } from './map-security.js';
import { ServerReader } from './map-servers.js';
import { METHODS, OTHER_METHODS } from './methods.js';
import { nameOperations } from './name-operations.js';
import { readDocument } from './read-document.js';
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
    const mapped = mapOrReason(key, operation, readers);
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

function mapOrReason(key: string, operation: FoundOperation, readers: DocumentReaders): MappedOperation | LeftOut {
  try {
    return mapOperation(key, operation, readers);
  } catch (error) {
    if (error instanceof NotExpressible) return { source: operation.source, reason: error.message };
    throw error;
  }
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
    try {
      const pathItem = partOf(follow(document, listed));
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
