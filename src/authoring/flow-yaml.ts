import { stringify } from 'yaml';
import type { Json } from '../contracts/json.js';

/** A value as YAML in one line, quoted so that it may stand behind a key and inside other braces and brackets. */
export function flowYaml(value: Json): string {
  // Inside a list even a text of several lines stays on one.
  return stringify([value], { collectionStyle: 'flow', lineWidth: 0 }).trimEnd().slice(1, -1).trim();
}

/** Lines of YAML under a key, indented. */
export function indented(text: string, blanks = 2): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(blanks));
}
