import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * What `env:NAME` stands for where a worker runs: its own environment, then `.env.<environment>`, then `.env`.
 *
 * Files are read at each look-up, so that a change needs no restart; nothing in them is passed on otherwise.
 * Source: docs/definitions.md; docs/operations.md#safety.
 */
export class EnvironmentVariables {
  constructor(
    private readonly root: string,
    readonly environment: string,
    private readonly own: NodeJS.ProcessEnv = process.env,
  ) {}

  /** The value of a variable; undefined when it is set nowhere, or to nothing. */
  find(name: string): string | undefined {
    const value = this.own[name] ?? this.inFile(`.env.${this.environment}`)[name] ?? this.inFile('.env')[name];
    return value === '' ? undefined : value;
  }

  private inFile(name: string): NodeJS.Dict<string> {
    const file = join(this.root, name);
    // Nobody knows when the reading of a pipe would end.
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? parseEnv(readFileSync(file, 'utf8')) : {};
  }
}
