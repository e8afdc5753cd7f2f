import { readFileSync } from 'node:fs';

/** Resolves from this module and from each bundle: all are one folder below the code's root. */
const FOLDER = new URL('../authoring/templates/', import.meta.url);

/** Fills `__TITLE__` and the like. @param path below `authoring/templates`. @throws Error without a value. */
export function fillTemplate(path: string, values: Readonly<Record<string, string>> = {}): string {
  return readFileSync(new URL(path, FOLDER), 'utf8').replaceAll(/__([A-Z_]+)__/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template ${path} has a hole ${name}, and no value fills it`);
    return value;
  });
}
