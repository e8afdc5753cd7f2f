import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../contracts/problem.js';
import { isInside } from '../../definitions/read-files.js';

/** The text of a document and the file that holds it. */
export interface LoadedDocument {
  text: string;
  /** Absolute, links resolved: what is to be replaced when it is written. */
  path: string;
}

/** More is no page that anybody reads. */
const MOST_BYTES = 1024 * 1024;

/** Reads a document. @param file relative to the root. @returns why not, where it is none that we could write again. */
export function loadDocument(root: string, file: string): LoadedDocument | Problem {
  try {
    const loaded = readFile(root, file);
    return typeof loaded === 'string' ? refused(file, loaded) : loaded;
  } catch (error) {
    return refused(file, `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @returns what is wrong with it, in words, where it cannot be taken as it is. */
function readFile(root: string, file: string): LoadedDocument | string {
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stat?.isFile()) return `${file} is ${stat ? 'no file' : 'a link to something that is not there'}`;
  const path = realpathSync(join(root, file));
  if (!isInside(root, path)) return `${file} is a link that leads out of the project`;
  if (stat.size > MOST_BYTES) return `${file} is larger than ${MOST_BYTES / 1024} KiB`;
  const bytes = readFileSync(path);
  // What cannot be read exactly would be written back as something else.
  if (!isUtf8(bytes)) return `${file} is not in UTF-8`;
  return { text: bytes.toString('utf8'), path };
}

function refused(file: string, message: string): Problem {
  return { code: 'docs.invalid', message, location: { file } };
}
