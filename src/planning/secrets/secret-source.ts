import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { AbilityError } from '../../contracts/problem.js';
import { isExecutable, isInside } from '../../disk/paths.js';
import { providerReference } from '../../rules/secret-reference.js';
import { unlessRefused } from '../../text/attempt.js';

/** The only folder outside the project that `file:` references may use. */
const CONTAINER_SECRETS = '/run/secrets';

/** What providers gave for a reference, the latest first. */
export type ProvidedValues = (reference: string) => readonly string[];

/**
 * Resolves secrets only in the activity that needs them, in the worker's environment, never the caller's. Runs no provider:
 * workers do so before ({@link ProvidedValues}), and doors never.
 */
export class SecretSource {
  private readonly variables: EnvironmentVariables;

  constructor(
    private readonly root: string,
    private readonly environment: string,
    private readonly own: NodeJS.ProcessEnv = process.env,
    private readonly provided: ProvidedValues = () => [],
  ) {
    this.variables = new EnvironmentVariables(root, environment, own);
  }

  /**
   * @throws AbilityError `config.missing_credential`, naming the reference and where to set it; `secret.unavailable` for one of a
   * provider that was not read before.
   */
  resolve(reference: string, wanted: string): string {
    const value = this.find(reference);
    if (value !== undefined && value !== '') return value;
    if (providerReference(reference)) {
      throw new AbilityError({
        code: 'secret.unavailable',
        message: `The ${wanted}, ${reference}, is read by workers only`,
        details: { reference },
      });
    }
    const name = reference.replace(/^env:/, '');
    throw new AbilityError({
      code: 'config.missing_credential',
      message: `Missing required configuration: ${name} (${this.environment}), the ${wanted}`,
      details: { reference },
      suggestion: reference.startsWith('env:')
        ? `Set ${name} in .env.${this.environment} or .env, or in the environment of the worker (then run \`ability down\`).`
        : `Create the file ${reference.slice('file:'.length)}.`,
    });
  }

  /** Null for one of a provider that was not read before: it is not known. */
  has(reference: string): boolean | null {
    const value = this.find(reference);
    return value === undefined && providerReference(reference) ? null : value !== undefined && value !== '';
  }

  /** What is to be masked: the value, if it can be read here, and earlier ones that a provider gave. */
  valuesOf(reference: string): readonly string[] {
    if (providerReference(reference)) return this.provided(reference);
    // A reference that is refused, as to a file outside the project, gives a call no secret either.
    const value = unlessRefused(() => this.find(reference));
    return value ? [value] : [];
  }

  /** A variable of the worker's own environment. Child processes do not get variables of `.env` files. */
  inherited(name: string): string | undefined {
    return this.own[name];
  }

  protected find(reference: string): string | undefined {
    if (providerReference(reference)) return this.provided(reference)[0];
    if (reference.startsWith('file:')) return this.readFile(reference.slice('file:'.length));
    return this.variables.find(reference.slice('env:'.length));
  }

  private readFile(path: string): string | undefined {
    const file = resolve(this.root, path);
    if (!existsSync(file)) return undefined;
    const real = realpathSync(file);
    if (isInside(this.root, real) || isInside(CONTAINER_SECRETS, real)) return readFileSync(real, 'utf8').trim();
    throw new AbilityError({
      code: 'config.invalid',
      message: `The secret file ${path} lies outside the project and outside ${CONTAINER_SECRETS}`,
    });
  }
}

/**
 * Resolves `env:NAME` on a worker: own environment, `.env.<environment>`, `.env`. Reads the files at each look-up,
 * so that a change needs no restart. Source: docs/definitions.md; docs/operations.md#safety.
 */
export class EnvironmentVariables {
  constructor(
    private readonly root: string,
    readonly environment: string,
    private readonly own: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Undefined if it is unset or empty. */
  find(name: string): string | undefined {
    const value = this.own[name] ?? this.inFile(`.env.${this.environment}`)[name] ?? this.inFile('.env')[name];
    return value === '' ? undefined : value;
  }

  /** As {@link SecretSource.inherited}. */
  inherited(name: string): string | undefined {
    return this.own[name];
  }

  /** Whether a program is here. @param places absolute paths that it may have. */
  hasProgram(places: readonly string[]): boolean {
    if (places.some((path) => programs.has(path))) return true;
    const found = places.find(isExecutable);
    if (found !== undefined) programs.add(found);
    return found !== undefined;
  }

  private inFile(name: string): NodeJS.Dict<string> {
    const file = join(this.root, name);
    // Reading a pipe might never end.
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? parseEnv(readFileSync(file, 'utf8')) : {};
  }
}

/** Programs that were found: plans are made often, and programs seldom go. */
const programs = new Set<string>();
