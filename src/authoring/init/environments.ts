import { existsSync, realpathSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { definitionFiles } from '../../definitions/find-files.js';
import { foldersOf } from '../../definitions/find-project.js';
import { environmentName } from '../../definitions/formats/values.js';
import { FileCache, sourceOf } from '../../definitions/read-files.js';

const PRODUCTION = /^(prod|production|live)$/;

const STAGING = /^(stag|stage|staging|preprod|uat)$/;

/** Sorts environments by risk, lowest first, so that the first one can be the default. */
function inUsualOrder(names: readonly string[]): string[] {
  const rankOf = (name: string): number => {
    if (PRODUCTION.test(name)) return 3;
    if (STAGING.test(name)) return 2;
    return name === 'dev' ? 0 : 1;
  };
  return [...names].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** Settings for a new environment by its name: production and staging require more approvals. */
export function environmentOf(name: string): { value: JsonObject; remark: string } {
  if (PRODUCTION.test(name)) {
    return {
      value: { protected: true, approve: ['write_idempotent', 'write_additive', 'destructive'] },
      remark: 'every change is asked about, and people cannot approve their own; add `approvers`',
    };
  }
  if (STAGING.test(name)) return { value: { approve: ['destructive'] }, remark: 'what destroys is asked about' };
  return { value: {}, remark: 'no approval is asked for' };
}

/** The first is the default, where the example and the CI job run, so it must be harmless. */
export function proposedEnvironments(root: string): string[] {
  const named = namedEnvironments(root);
  const [first] = named;
  // The default is not to be one of production or staging.
  return first === undefined || PRODUCTION.test(first) || STAGING.test(first) ? ['dev', ...named] : named;
}

/**
 * Environments that a folder's definitions name before it is a project; those that count most come last. Patterns
 * name none; unreadable files are skipped, since loading the project reports them.
 */
export function namedEnvironments(root: string): string[] {
  if (!existsSync(root)) return [];
  const real = realpathSync(root);
  const files = new FileCache(real);
  const named = definitionFiles(foldersOf(real)).flatMap(({ path }) => [...namesIn(sourceOf(files.read(path))?.value)]);
  const names = named.filter((name) => environmentName.safeParse(name).success);
  return inUsualOrder([...new Set(names)]);
}

/** Finds names in definitions of any kind: each kind has them in different places. */
function* namesIn(value: unknown): Generator<string> {
  if (!isJsonObject(value)) return;
  if (isJsonObject(value.scope)) yield* textsIn(value.scope.environments);
  for (const part of [...listOf(value.abilities), ...valuesOf(value.services)]) {
    if (isJsonObject(part) && isJsonObject(part.environments)) yield* Object.keys(part.environments);
  }
  for (const hook of listOf(value.hooks)) {
    if (!isJsonObject(hook)) continue;
    if (isJsonObject(hook.match)) yield* textsIn(hook.match.environments);
    for (const example of listOf(hook.examples)) if (isJsonObject(example)) yield* textsIn([example.environment]);
  }
  for (const one of listOf(value.cases)) if (isJsonObject(one)) yield* textsIn([one.environment]);
}

function textsIn(value: unknown): string[] {
  return listOf(value).filter((item): item is string => typeof item === 'string');
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function valuesOf(value: unknown): unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
