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
  const refused = (message: string): Problem => ({ code: 'docs.invalid', message, location: { file } });
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stat?.isFile()) return refused(`${file} is ${stat ? 'no file' : 'a link to something that is not there'}`);
  const path = realpathSync(join(root, file));
  if (!isInside(root, path)) return refused(`${file} is a link that leads out of the project`);
  if (stat.size > MOST_BYTES) return refused(`${file} is larger than ${MOST_BYTES / 1024} KiB`);
  try {
    // What cannot be read exactly would be written back as something else.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path)), path };
  } catch (error) {
    if (error instanceof TypeError) return refused(`${file} is not in UTF-8`);
    return refused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
