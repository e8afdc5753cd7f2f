import { AbilityError } from '../../contracts/problem.js';
import { cleanText } from './clean-text.js';
import type { Part } from './document-parts.js';
import { outlineOf } from './outline.js';

/** What is no hindrance: keys are made unique, parameters are found, and unknown schemes are told where they are used. */
const RULES = {
  'array-without-items': 'warning',
  'duplicate-non-request-body-parameters': 'warning',
  'duplicate-operation-id': 'warning',
  'invalid-security-scheme-properties': 'warning',
  'non-optional-path-parameters': 'warning',
  'path-parameters-not-in-parameters': 'warning',
  'path-parameters-not-in-path': 'warning',
} as const;

/**
 * Judges the bones of a document by the schema of its version; its schemas are judged where they are converted.
 *
 * @throws AbilityError `import.unreadable` with the first fault.
 */
export async function validateDocument(document: Part, from: string): Promise<void> {
  // Loaded only here, since it is large.
  const { validate } = await import('@readme/openapi-parser');
  const result = await validate(outlineOf(document) as never, {
    resolve: { external: false },
    validate: { rules: { openapi: RULES } },
  });
  if (result.valid) return;
  const [first] = result.errors;
  const more = result.errors.length + result.additionalErrors - 1;
  throw new AbilityError({
    code: 'import.unreadable',
    message: `${from} is no valid OpenAPI document: ${firstLine(first?.message ?? 'it has not the right form')}${more > 0 ? ` (and ${more} more)` : ''}`,
    suggestion: 'Have it mended by its author, or mend a copy and import the file.',
  });
}

/** The parser draws the place of a fault over several lines; the first words tell enough. */
function firstLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one.
  return cleanText(message.replaceAll(/\u001b\[[0-9;]*m/g, '').split(/\n\s*\n|\n\s*(?=\d* *\|)/, 1)[0] ?? '', 300);
}
