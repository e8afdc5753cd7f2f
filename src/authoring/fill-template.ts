import { readFileSync } from 'node:fs';

/** `authoring/templates`, seen from this module and from the bundles of the command line, each one folder below the root of the code. */
const FOLDER = new URL('../authoring/templates/', import.meta.url);

/**
 * Fills the holes of a template, such as `__TITLE__`; inserted text is not searched for holes.
 *
 * @param path below `authoring/templates`. @throws Error for a hole without a value.
 */
export function fillTemplate(path: string, values: Readonly<Record<string, string>> = {}): string {
  return readFileSync(new URL(path, FOLDER), 'utf8').replaceAll(/__([A-Z_]+)__/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template ${path} has a hole ${name}, and no value fills it`);
    return value;
  });
}
