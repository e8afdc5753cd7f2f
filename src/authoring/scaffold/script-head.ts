import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AbilityError } from '../../contracts/problem.js';

/** Bytes in which the first comment of a script is looked for. */
const HEAD_BYTES = 4096;

/** The first lines of a script. @throws AbilityError `script.missing` where there is no such file. */
export function readHead(full: string, path: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(full, 'r');
    if (!fstatSync(handle).isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, HEAD_BYTES, 0));
  } catch (error) {
    throw new AbilityError(
      {
        code: 'script.missing',
        message: `There is no script ${path} that could be read; nothing was written`,
        suggestion: 'Name files, as `ops/*.sh` does in a shell.',
      },
      { cause: error },
    );
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** What a script says of itself in the first line of the comment at its beginning. */
export function summaryOf(head: string): string | undefined {
  for (const line of head.split(/\r?\n/)) {
    const text = line.trim();
    if (text === '' || text.startsWith('#!') || /-\*-|^# *(coding|vim)\b/.test(text)) continue;
    const said = /^(?:#+|\/\/+|\/\*+|\*|"""|''')\s*(.*?)(?:\*\/|"""|''')?$/.exec(text)?.[1]?.trim();
    if (said === undefined) return undefined;
    if (/\p{L}/u.test(said)) return said.slice(0, 200);
  }
  return undefined;
}
