import { LineCounter, parseDocument } from 'yaml';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { isPart, type Part } from './follow-reference.js';

/** Maximum bytes of a description; the largest public ones have about 15 MB. */
export const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;

/** Maximum aliases in YAML; each may expand to a large part of the document. */
const MAX_ALIASES = 100;

const EXHAUSTED = /Maximum call stack size exceeded/;

/** Maximum nesting: more than any description has, less than would exhaust later readers. */
const MAX_LEVELS = 500;

/**
 * Parses JSON or YAML. @param from the file or address, for messages. @param kind of document, for messages.
 * @throws AbilityError `import.unreadable` for any other text, or if the value is no map.
 */
export function readDocument(text: string, from: string, kind = 'OpenAPI'): Part {
  const start = text.trimStart().slice(0, 200);
  if (/^<(!doctype|html|\?xml|[a-z])/i.test(start)) {
    throw unreadable(`${from} is a page, and no ${kind} document`, 'Pass the address of the YAML or JSON itself.');
  }
  const value = /^[{[]/.test(start) ? readJson(text, from) : readYaml(text, from);
  if (!isPart(value)) throw unreadable(`${from} is no ${kind} document: it is no map`);
  return value;
}

function readJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw tooDeep(from, error);
    // Flow YAML begins like JSON; errors in text that looks like JSON are reported as JSON errors.
    if (!/^\s*[{[]\s*["\]}]/.test(text)) return readYaml(text, from);
    throw unreadable(`${from} is no valid JSON: ${error.message}`, undefined, error);
  }
}

function readYaml(text: string, from: string): unknown {
  refuseDeep(text, from);
  try {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, strict: true, stringKeys: true, logLevel: 'silent' });
    const [fault] = document.errors;
    if (fault && EXHAUSTED.test(fault.message)) throw tooDeep(from, fault);
    if (fault) {
      const { line, col } = lines.linePos(fault.pos[0]);
      const [what = ''] = fault.message.split('\n', 1);
      const message = `${from} is no valid YAML: ${what.replace(/ at line \d+, column \d+:?$/, '')}`;
      throw new AbilityError({ code: 'import.unreadable', message, location: { file: from, line, column: col } });
    }
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const reason = reasonOf(error);
    if (error instanceof RangeError || EXHAUSTED.test(reason)) throw tooDeep(from, error);
    throw unreadable(`${from} is no valid YAML: ${reason}`, undefined, error);
  }
}

/** Refuses deep nesting before parsing: a parser spends much time before it fails. */
function refuseDeep(text: string, from: string): void {
  const runs = new RegExp(`(?:[[{]\\s*){${MAX_LEVELS}}|(?:- ){${MAX_LEVELS}}|^ {${MAX_LEVELS * 2}}\\S`, 'm');
  if (runs.test(text)) throw tooDeep(from);
}

function tooDeep(from: string, cause?: unknown): AbilityError {
  return unreadable(`${from} is nested deeper than any OpenAPI document`, undefined, cause);
}

function unreadable(message: string, suggestion?: string, cause?: unknown): AbilityError {
  return new AbilityError({ code: 'import.unreadable', message, ...(suggestion && { suggestion }) }, { cause });
}
