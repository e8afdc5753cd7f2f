import table from './codes.json' with { type: 'json' };
import { EXIT, type ExitCode } from './states.js';

/** Meaning of an error code. `docs/errors.md` and `ability explain` are made from this table. */
export interface CodeMeaning {
  /** Exit code of a command that ends with this error. */
  exit: ExitCode;
  /** The status of an HTTP answer with this error; left out: that of `exit`. */
  http?: number;
  /** What happened, in one sentence. */
  means: string;
  next: string;
}

/** A meaning as `codes.json` has it; the build refuses other names of exits (`scripts/check-codes.mjs`). */
type Row = Omit<CodeMeaning, 'exit'> & { exit: string };

/** Every code that can reach a caller. Source: docs/operations.md#the-runtime-of-a-project; docs/errors.md. */
export const CODES = withExits(table);

function withExits<Code extends string>(rows: Record<Code, Row>): Readonly<Record<Code, CodeMeaning>> {
  const meanings = Object.entries<Row>(rows).map(([code, row]) => [
    code,
    { ...row, exit: EXIT[row.exit as keyof typeof EXIT] },
  ]);
  return Object.fromEntries(meanings);
}

/** A code of {@link CODES}. Authors' own codes (`fail`) and `http.<status>` are not among them. */
export type KnownCode = keyof typeof CODES;

/** Code families closed to authors' `fail.code`. Source: docs/workflow-language.md#branching-and-ending. */
export const OUR_FAMILIES: ReadonlySet<string> = new Set(
  [...Object.keys(CODES), 'http', 'invalid', 'denied', 'unavailable', 'timeout'].map((code) => familyOf(code)),
);

/** The first word of a dotted code. */
export function familyOf(code: string): string {
  return code.split('.', 1)[0] ?? code;
}

/** The meaning of a code; `http.<status>` has one meaning for all. Undefined for an author's own code. */
export function meaningOf(code: string): CodeMeaning | undefined {
  if (Object.hasOwn(CODES, code)) return CODES[code as KnownCode];
  return /^http\.\d{3}$/.test(code) ? CODES['http.error'] : undefined;
}
