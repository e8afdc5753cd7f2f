import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';

/** A script is read this far; options are not declared later than that. */
const MAX_BYTES = 512 * 1024;

/** A script as its author wrote it. */
export interface ScriptText {
  text: string;
  /** The program of its first line, where nothing else would start it: without a run bit, `.sh` means `sh`. */
  interpreter?: string;
}

/** The program that runs a script without a run bit. */
const BY_EXTENSION: Record<string, string> = {
  '.sh': 'sh',
  '.py': 'python3',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
};

/** The text of a script. @throws AbilityError `script.missing` where there is no such file. */
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
        suggestion: 'Name files, as `ops/*.sh` does in a shell.',
      },
      { cause: error },
    );
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether something starts a script: its ending names a program, or its first line does. */
export function isStarted(path: string, { text }: ScriptText): boolean {
  return BY_EXTENSION[extname(path)] !== undefined || programOf(text) !== undefined;
}

/** The program that the first line names: `#!/usr/bin/env -S bash -e` is `bash`. */
function programOf(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined;
  const words = text.slice(2).split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
  const named = words.map((word) => basename(word)).find((word) => word !== 'env' && !word.startsWith('-'));
  return named === 'python' ? 'python3' : named;
}
