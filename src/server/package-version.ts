import { readFileSync } from 'node:fs';

let known: string | undefined;

/** The version of this package, from its own `package.json`. */
export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
  return known;
}
