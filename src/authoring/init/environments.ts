import { existsSync, realpathSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { definitionFiles } from '../../definitions/find-files.js';
import { foldersOf } from '../../definitions/find-project.js';
import { environmentName } from '../../definitions/formats/values.js';
import { FileCache, sourceOf } from '../../definitions/read-files.js';

/** Names under which people mean the environment that counts. */
const PRODUCTION = /^(prod|production|live)$/;

/** Names under which people mean the one before it. */
const STAGING = /^(stag|stage|staging|preprod|uat)$/;

/** Environments with those first in which least is at stake, so that the first one can be the default. */
export function inUsualOrder(names: readonly string[]): string[] {
  const rankOf = (name: string): number => {
    if (PRODUCTION.test(name)) return 3;
    if (STAGING.test(name)) return 2;
    return name === 'dev' ? 0 : 1;
  };
  return [...names].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** Whether an environment is one that counts, by its name. */
export function isGrave(name: string): boolean {
  return PRODUCTION.test(name) || STAGING.test(name);
}

/** The settings of a new environment, by its name: the more important it is, the more approvals it requires. */
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

/**
 * The environments to propose for a folder: those that its definitions name.
 *
 * The first one is the default, in which the example and the CI job run: one of them must be harmless.
 */
export function proposedEnvironments(root: string): string[] {
  const named = namedEnvironments(root);
  const [first] = named;
  return first === undefined || isGrave(first) ? ['dev', ...named] : named;
}

/**
 * The environments that the definitions of a folder name, before it is a project: those that count most come last.
 *
 * Scopes, settings, services, hooks and test cases name some. Patterns name none, and what cannot be read is passed over:
 * loading the project reports it.
 */
export function namedEnvironments(root: string): string[] {
  if (!existsSync(root)) return [];
  const real = realpathSync(root);
  const files = new FileCache(real);
  const named = definitionFiles(foldersOf(real)).flatMap(({ path }) => [...namesIn(sourceOf(files.read(path))?.value)]);
  const names = named.filter((name) => environmentName.safeParse(name).success);
  return inUsualOrder([...new Set(names)]);
}

/** Definitions of each kind name them in places of their own, so that it need not be known which kind it is. */
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
