import { LineCounter, parseDocument } from 'yaml';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { isPart, type Part } from './document-parts.js';

/** The largest description that is read, in bytes. The largest public ones have about 15 MB. */
export const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;

/** Aliases that honest YAML never has; each may expand to everything else. */
const MAX_ALIASES = 100;

/** How the library reports that its own recursion was too deep. */
const EXHAUSTED = /Maximum call stack size exceeded/;

/** More levels than any description has, fewer than would exhaust the readers behind. */
const MAX_LEVELS = 500;

/**
 * Reads the text of a description, JSON or YAML.
 *
 * @param from the file or address, for messages.
 * @param kind what the document should be, for messages.
 * @throws AbilityError `import.unreadable` for any other text, or no map.
 */
export function readDocument(text: string, from: string, kind = 'OpenAPI'): Part {
  const start = text.trimStart().slice(0, 200);
  if (/^<(!doctype|html|\?xml|[a-z])/i.test(start)) {
    throw unreadable(`${from} is a page, and no ${kind} document`, 'Give the address of the YAML or JSON itself.');
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
    // Flow YAML begins as JSON does; a fault in JSON is reported as one.
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

/** Brackets that open and never close, and sequences in sequences, cost a parser its time before it gives up. */
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
