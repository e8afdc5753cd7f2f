import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';

/** Only this much of a script is read: its `#!` line and its first comment. */
const MAX_BYTES = 64 * 1024;

export interface ScriptText {
  text: string;
  /** The program of the `#!` line, for files without execute bit whose extension does not imply it. */
  interpreter?: string;
}

/** The program that runs a script without execute bit. */
const BY_EXTENSION: Record<string, string> = {
  '.sh': 'sh',
  '.py': 'python3',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
};

/** At most {@link MAX_BYTES}. @throws AbilityError `script.missing` if the file cannot be read. */
export function readText(full: string, path: string): ScriptText {
  let handle: number | undefined;
  try {
    handle = openSync(full, 'r');
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, found.size));
    const text = bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, 0)).replaceAll('\r\n', '\n');
    const program = (found.mode & 0o111) === 0 ? programOf(text) : undefined;
    const isOther = program !== undefined && program !== BY_EXTENSION[extname(path)];
    return { text, ...(isOther && { interpreter: program }) };
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

/** Whether the extension or the `#!` line names a program. */
export function isStarted(path: string, { text }: ScriptText): boolean {
  return BY_EXTENSION[extname(path)] !== undefined || programOf(text) !== undefined;
}

/** The program of the `#!` line: `#!/usr/bin/env -S bash -e` is `bash`. */
function programOf(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined;
  const words = text.slice(2).split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
  const named = words.map((word) => basename(word)).find((word) => word !== 'env' && !word.startsWith('-'));
  return named === 'python' ? 'python3' : named;
}
