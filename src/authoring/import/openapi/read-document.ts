import { LineCounter, parseDocument } from 'yaml';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { unreadable } from '../import-fault.js';
import { isPart, type Part } from './follow-reference.js';

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
export function readDocument(text: string, from: string): Part {
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
