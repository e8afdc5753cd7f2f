import type { CsvError } from 'csv-parse/sync';
import type { JsonObject } from '../../contracts/json.js';

/** A text that is no CSV with a header line; the message says why, and quotes nothing of it. */
export class NoCsv extends Error {}

/**
 * Reads CSV as RFC 4180 has it: the first line names the columns, each other one is a map of texts.
 *
 * Lines end with LF or CRLF; empty ones count for nothing. The library is loaded when the first CSV is read.
 *
 * @throws NoCsv for lines of another length than the header, columns of the same name, and quotes that are not closed.
 */
export async function readCsv(text: string): Promise<JsonObject[]> {
  const { parse, CsvError } = await import('csv-parse/sync');
  try {
    const lines: string[][] = parse(text, { bom: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] });
    const [header, ...rows] = lines;
    if (!header) return [];
    const twice = header.findIndex((name, index) => header.indexOf(name) < index);
    if (twice >= 0) throw new NoCsv(`column ${twice + 1} has the name of an earlier one`);
    return rows.map((row) => rowOf(header, row));
  } catch (error) {
    if (error instanceof CsvError) throw new NoCsv(reasonOf(error), { cause: error });
    throw error;
  }
}

/** A column may have any name, `__proto__` among them, which is refused later like in any answer. */
function rowOf(header: string[], row: string[]): JsonObject {
  return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
}

/** The message of the library quotes the value. */
function reasonOf({ code, lines }: CsvError & { lines?: number }): string {
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
