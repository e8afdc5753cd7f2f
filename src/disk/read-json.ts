import { readFileSync } from 'node:fs';
import { attempt } from '../text/attempt.js';

/** The JSON in a text; undefined if it is invalid. */
export function parseJson<T>(text: string): T | undefined {
  return attempt(() => JSON.parse(text) as T);
}

/** The JSON in a file; undefined if the file is missing or unreadable. */
export function readJson<T>(path: string): T | undefined {
  return attempt(() => JSON.parse(readFileSync(path, 'utf8')) as T);
}
