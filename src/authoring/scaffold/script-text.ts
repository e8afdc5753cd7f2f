import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AbilityError } from '../../contracts/problem.js';
import { type FileStart, startOf } from '../../planning/scripts/interpreter.js';

/** Only this much of a script is read: its `#!` line and its first comment. */
const MAX_BYTES = 64 * 1024;

export interface ScriptText {
  text: string;
  start: FileStart;
}

/** At most {@link MAX_BYTES}. @throws AbilityError `script.missing` if the file cannot be read. */
export function readText(full: string, path: string): ScriptText {
  let handle: number | undefined;
  try {
    handle = openSync(full, 'r');
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, found.size));
    const text = bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, 0)).replaceAll('\r\n', '\n');
    return { text, start: startOf(bytes) };
  } catch (error) {
    throw new AbilityError(
      {
        code: 'script.missing',
        message: `There is no script ${path} that could be read; nothing was written`,
        suggestion: 'Pass file names, for example with `ops/*.sh` in a shell.',
      },
      { cause: error },
    );
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
