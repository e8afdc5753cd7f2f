import { readFileSync } from 'node:fs';

/** `authoring/templates`, seen from this module and from the bundles of the command line, each one folder below the root of the code. */
const FOLDER = new URL('../authoring/templates/', import.meta.url);

/**
 * A template with its holes, such as `__TITLE__`, filled in; what is filled in stays as it is.
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
