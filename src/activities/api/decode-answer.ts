import { TextDecoder } from 'node:util';
import { AbilityError } from '../../contracts/problem.js';
import type { Reading } from '../exact/marked-json.js';
import { readUtf8 } from '../exact/read-json.js';

/**
 * The text of an answer, in the letters that it says it is written in, else in UTF-8.
 *
 * @param type the header `content-type`.
 * @throws AbilityError `api.output_invalid` for letters that are not known, and for bytes that are none of them; plans of
 * engine 1 get a sign in their place.
 */
export function decodeAnswer(bytes: Buffer, type: string, reading: Reading): string {
  const charset = /charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  const isLenient = reading.integers === 'round';
  const decoder = decoderOf(charset, isLenient);
  if (decoder === undefined && isLenient) return bytes.toString('utf8');
  if (decoder === undefined) {
    throw refused(reading, `says that it is written in ${charset}, which is not known`);
  }
  if (decoder.encoding === 'utf-8' && !isLenient) return withBase64Hint(() => readUtf8(withoutMark(bytes), reading));
  try {
    return decoder.decode(bytes);
  } catch {
    throw refused(reading, `says that it is written in ${charset}, and is not`);
  }
}

function decoderOf(charset: string, isLenient: boolean): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: !isLenient });
  } catch {
    return undefined;
  }
}

/** Without the mark of UTF-8 that some programs of Windows put in front, as decoders leave it out. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function withBase64Hint(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new AbilityError({ ...error.toProblem(), suggestion: HINT }, { cause: error });
  }
}

const HINT = 'The service should name its `charset` in content-type; for bytes write `response: { as: base64 }`.';

function refused({ code, what }: Reading, fault: string): AbilityError {
  return new AbilityError({ code, message: `${what} ${fault}`, suggestion: HINT });
}
