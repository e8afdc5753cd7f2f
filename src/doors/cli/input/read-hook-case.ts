import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { output } from 'zod';
import { isJsonObject, type Json } from '../../../contracts/json.js';
import { usageError } from '../../../contracts/problem.js';
import { type EventParts, eventExample, eventParts } from '../../../definitions/formats/hooks.js';
import { readInput } from '../../../text/lossless-json/read-json.js';

/** A bare event, or one in the form of `examples`, with the expected answer. */
export type GivenHookCase = EventParts | output<typeof eventExample>;

/**
 * @param file relative to `cwd`; `-` is stdin.
 * @throws AbilityError `usage.invalid` unless it holds parts of an EventContext or `{ context, expect }`.
 */
export function readHookCase(file: string, cwd: string): GivenHookCase {
  const value = readJson(file, cwd);
  const isCase = isJsonObject(value) && Object.hasOwn(value, 'context');
  const parsed = isCase ? eventExample.safeParse(value) : eventParts.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const what = isCase ? 'no case `{ context, expect }`' : 'no EventContext';
  const message = `${file} contains ${what}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`;
  throw usageError(message, adviceOn(value));
}

function readJson(file: string, cwd: string): Json {
  let text: Buffer;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(cwd, file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read: ${message}`;
    throw usageError(why);
  }
  return readInput(text, { what: file, code: 'usage.invalid' });
}

function adviceOn(value: Json): string {
  if (isJsonObject(value) && !Object.hasOwn(value, 'context') && Object.hasOwn(value, 'now')) {
    return 'Use `{ context: {..}, now, expect }`: `now` belongs beside the event, not in it.';
  }
  return 'docs/hooks.md has every key.';
}
