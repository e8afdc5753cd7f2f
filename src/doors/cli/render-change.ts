import type { InputChange } from '../../contracts/task.js';
import { atSecond, plainText } from './plain-text.js';

/** Who changed the input of a task before it was run, when, and what in it. */
export function tellChange({ by, at, fields }: InputChange): string {
  const what = fields.length > 0 ? `changed ${plainText(fields.join(', '))}` : 'took over changed definitions';
  return `${plainText(by.name)} (${by.source}) ${what} at ${atSecond(at)}`;
}
