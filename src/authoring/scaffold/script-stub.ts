import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { LANGUAGES } from '../choices.js';
import { fillTemplate } from '../fill-template.js';

/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];

export const EXTENSIONS: Record<Language, string> = { node: 'mjs', python: 'py', shell: 'sh' };

export interface StubAnswer {
  /** Input fields that it returns unchanged. */
  echo: readonly string[];
  /** The other fields; if not an object, the whole answer. */
  fixed: Json;
}

/** A script with the file protocol: reads its input as JSON from a file, writes JSON. Source: R-002-13. */
export function scriptStub(language: Language, title: string, { echo, fixed }: StubAnswer): string {
  const values = { TITLE: title.replaceAll(/\s+/g, ' '), OUTPUT: OUTPUTS[language](echo, fixed) };
  // Node's own checks report unused variables.
  const unused = language === 'node' && { UNUSED: echo.length === 0 ? '\nvoid input;' : '' };
  return fillTemplate(`scaffold/script.${EXTENSIONS[language]}`, { ...values, ...unused });
}

const OUTPUTS: Record<Language, (echo: readonly string[], fixed: Json) => string> = {
  node: (echo, fixed) =>
    isJsonObject(fixed)
      ? inBraces([...membersOf(fixed), ...echoed(echo, (name) => `input[${name}]`)])
      : JSON.stringify(fixed),
  python: (echo, fixed) =>
    isJsonObject(fixed)
      ? inBraces([...membersOf(fixed, pythonOf), ...echoed(echo, (name) => `given[${name}]`)])
      : pythonOf(fixed),
  shell: (echo, fixed) =>
    echo.length > 0 && isJsonObject(fixed) && Object.keys(fixed).length === 0
      ? 'cat "$input" > "$output"'
      : `: "$input"\ncat > "$output" <<'JSON'\n${JSON.stringify(fixed)}\nJSON`,
};

function membersOf(value: JsonObject, write: (value: Json) => string = JSON.stringify): string[] {
  return Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item)}`);
}

function echoed(names: readonly string[], read: (name: string) => string): string[] {
  return names.map((name) => `${JSON.stringify(name)}: ${read(JSON.stringify(name))}`);
}

function inBraces(members: string[]): string {
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function pythonOf(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  return inBraces(membersOf(value, pythonOf));
}
