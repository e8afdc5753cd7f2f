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
  const outline = outlineOf(document);
  const result = await validate(outline as never, {
    resolve: { external: false },
    validate: { rules: { openapi: RULES } },
  });
  if (result.valid) return;
  const [first] = result.errors;
  const more = result.errors.length + result.additionalErrors - 1;
  const what = first ? describe(first.message, outline) : 'it has not the right form';
  throw new AbilityError({
    code: 'import.unreadable',
    message: `${from} is no valid OpenAPI document: ${what}${more > 0 ? ` (and ${more} more)` : ''}`,
    suggestion: 'Have it mended by its author, or mend a copy and import the file.',
  });
}

/** The parser draws the place of a fault over several lines, where a path says it in one. */
function describe(message: string, outline: object): string {
  const [words = ''] = message.split('\n\n', 1);
  const [, line] = /^> *(\d+) \|/m.exec(message) ?? [];
  const place = line === undefined ? '' : placeOf(outline, Number(line));
  return cleanText(`${words.replace(/^[A-Z]+ /, '')}${place === '' ? '' : ` (at ${place})`}`, 300);
}

/** The path to a line of a document as the parser has drawn it, with two blanks a level. */
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
