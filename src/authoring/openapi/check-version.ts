import { AbilityError } from '../../contracts/problem.js';
import { memberOf, type Part } from './document-parts.js';

/** The versions of OpenAPI that are read. They differ in the dialect of their schemas. */
export type OpenApiVersion = '3.0' | '3.1';

/**
 * The version of a document.
 *
 * Asked before the parser is: it takes Swagger 2.0 for valid, and throws at 3.2. Source: docs/imports.md#an-openapi-document.
 *
 * @throws AbilityError `import.unsupported`, `import.unreadable` for what is no OpenAPI document.
 */
export function checkVersion(document: Part, from: string): OpenApiVersion {
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
