import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { CsvError } from 'csv-parse/sync';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { PlanScript } from '../../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { writesFile } from '../../../planning/scripts/placeholders.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import type { Reading } from '../../../text/lossless-json/marked-json.js';
import { integersOf, readJson, readUtf8, withoutQuote } from '../../../text/lossless-json/read-json.js';

interface Ended {
  script: PlanScript;
  call: CallInput;
}

/** Bytes of stdout to keep: one more than the maximum output, or 0 if stdout is not the output. */
export function stdoutToKeep({ script, call }: Ended): number {
  return script.output === 'none' || writesFile(script) ? 0 : call.outputBytes + 1;
}

/** Reads the form that its definition states. @throws CallFailure `script.output_*`, `output.too_large`. */
export async function readScriptOutput(ended: Ended, stdout: Buffer, file: string): Promise<Json> {
  const { script, call } = ended;
  if (script.output === 'none') return null;
  const bytes = writesFile(script) ? await readFromFile(ended, file) : stdout;
  if (bytes.length > call.outputBytes) {
    const message = `${script.path} printed more than the ${call.outputBytes} bytes its output may have`;
    throw new CallFailure({ code: 'output.too_large', message });
  }
  const text = readUtf8(bytes, readingOf(ended));
  const value = await readForm(ended, text);
  refuseUnsafeKeys(value, 'script.output_invalid');
  return value;
}

function readForm(ended: Ended, text: string): Json | Promise<Json> {
  switch (ended.script.output) {
    case 'text':
      return { text: text.replace(/(?:\r?\n)+$/, '') };
    case 'lines':
      return { lines: linesOf(text) };
    case 'csv':
      return rowsOf(ended, text);
    default:
      return jsonOf(ended, text);
  }
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  // A final line break begins no line.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

async function rowsOf(ended: Ended, text: string): Promise<Json> {
  try {
    return { rows: await readCsv(text) };
  } catch (error) {
    if (error instanceof NoCsv) throw broken(ended, `which is not CSV: ${error.message}`);
    throw error;
  }
}

function jsonOf(ended: Ended, text: string): Json {
  if (text.trim() === '') return null;
  try {
    return readJson(text, readingOf(ended));
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const reason = withoutQuote(reasonOf(error));
    throw broken(ended, `which is not JSON (${reason}): ${ended.call.log.excerpt(text, 200)}`);
  }
}

function readingOf({ script }: Ended): Reading {
  return {
    integers: integersOf(script.big_integers),
    code: 'script.output_invalid',
    what: `The output of ${script.path}`,
  };
}

/** A link could lead to what a script in a box may not read. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readFromFile(ended: Ended, path: string): Promise<Buffer> {
  const file = await open(path, PLAIN).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? missing(ended, 'output file')
      : broken(ended, `which cannot be read: ${error.code}`);
  });
  return readOpen(ended, file).finally(() => file.close());
}

async function readOpen(ended: Ended, file: FileHandle): Promise<Buffer> {
  const { script, call } = ended;
  const found = await file.stat();
  if (!found.isFile()) throw broken(ended, 'which is no file');
  const bytes = found.size;
  if (bytes > call.outputBytes) {
    throw new CallFailure({
      code: 'output.too_large',
      message: `${script.path} wrote ${bytes} bytes; the maximum for its output is ${call.outputBytes}`,
    });
  }
  const written = await file.readFile();
  // An empty text or list of lines is a valid output; empty JSON is not.
  if (script.output === undefined && written.toString('utf8').trim() === '') throw missing(ended, 'output');
  return written;
}

function broken({ script, call }: Ended, what: string): CallFailure {
  const stderr = call.log.tailOf('stderr');
  return new CallFailure({
    code: 'script.output_broken',
    message: `${script.path} wrote an output ${what}${stderr ? `\n${stderr}` : ''}`,
    details: { stderr },
    suggestion: suggestionFor(script, writesFile(script)),
  });
}

function suggestionFor({ output }: PlanScript, usesFile: boolean): string {
  if (output === 'csv') {
    return 'Print CSV with a header line, or set another `output` in the definition: text, lines or json.';
  }
  return usesFile
    ? 'Write one JSON value to the file given as {output_file}.'
    : 'Print one JSON value to stdout, and everything else to stderr. If it does not print JSON, set `output: text` in the definition.';
}

function missing({ script, call }: Ended, what: string): CallFailure {
  const tail = call.log.tailOf('stderr');
  return new CallFailure({
    code: 'script.output_missing',
    message: `${script.path} succeeded but wrote no ${what}${tail ? `\n${tail}` : ''}`,
    details: { stderr: tail },
    suggestion: `Write the result${script.output === undefined ? ' as JSON' : ''} to the file given as {output_file}.`,
  });
}

/** The text is not CSV with a header line; the message gives the reason without quoting the text. */
class NoCsv extends Error {}

/**
 * Reads CSV as RFC 4180 has it: each line after the header is a map of texts; lines end with LF or CRLF, empty
 * ones are skipped. The library is loaded with the first CSV. @throws NoCsv for lines of another length than the
 * header, equal column names, and unclosed quotes.
 */
async function readCsv(text: string): Promise<JsonObject[]> {
  const { parse, CsvError } = await import('csv-parse/sync');
  try {
    const lines: string[][] = parse(text, { bom: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] });
    const [header, ...rows] = lines;
    if (!header) return [];
    const twice = header.findIndex((name, index) => header.indexOf(name) < index);
    if (twice >= 0) throw new NoCsv(`column ${twice + 1} has the name of an earlier one`);
    // A column may have any name, even `__proto__`, which is refused later as in any answer.
    return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
  } catch (error) {
    if (error instanceof CsvError) throw new NoCsv(csvFault(error), { cause: error });
    throw error;
  }
}

/** Builds a message without the value, which the library's own message quotes. */
function csvFault({ code, lines }: CsvError & { lines?: number }): string {
  const at = lines === undefined ? '' : ` (line ${lines})`;
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
    case 'CSV_RECORD_INCONSISTENT_COLUMNS':
      return `a line has another number of columns than the header${at}`;
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quote is not closed${at}`;
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `a quote is inside a value that is not quoted${at}`;
    default:
      return `${code}${at}`;
  }
}
