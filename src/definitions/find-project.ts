import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AbilityError } from '../contracts/problem.js';

export const PROJECT_FILE = 'ability.yaml';

/** Variable that names a pack file in place of `registry/packs.yaml`. Source: R-004-14; C-48. */
export const PACKS_VARIABLE = 'CONCIERGE_CONFIG_PATH';

export interface ProjectFolders {
  /** Absolute, symlinks resolved. */
  root: string;
  registry: string;
  hooks: string;
}

/** The given folder, or the nearest `ability.yaml` upwards. @throws AbilityError `project.not_found`. */
export function findProjectRoot(from: string, given?: string): string {
  if (given !== undefined) {
    const root = resolve(from, given);
    if (existsSync(join(root, PROJECT_FILE))) return realpathSync(root);
    throw notFound(`There is no ${PROJECT_FILE} in ${root}`);
  }
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, PROJECT_FILE))) return realpathSync(folder);
    if (folder === dirname(folder)) throw notFound(`There is no ${PROJECT_FILE} in ${resolve(from)} or above`);
  }
}

/** The folder of module overviews, beside the registry. Source: R-002-02. */
export const MODULES = 'modules/overview';

/**
 * The folders of a project: `registry/`, or `.system/registry` and `.system/hooks` if they exist. Source: C-18.
 * @throws AbilityError `project.two_registries`. Source: docs/definitions.md#what-a-broken-file-stops.
 */
export function foldersOf(root: string): ProjectFolders {
  const plain = join(root, 'registry');
  const system = join(root, '.system', 'registry');
  if (existsSync(plain) && existsSync(system)) {
    throw new AbilityError({
      code: 'project.two_registries',
      message: `${root} has both registry/ and .system/registry/`,
      suggestion: 'Keep one of them.',
    });
  }
  const systemHooks = join(root, '.system', 'hooks');
  if (existsSync(system)) return { root, registry: system, hooks: systemHooks };
  if (existsSync(systemHooks)) {
    throw new AbilityError({
      code: 'project.two_registries',
      message: `${root} has .system/hooks/ but no .system/registry/, so those hooks would guard nothing`,
      suggestion: 'Move them to registry/hooks/.',
    });
  }
  return { root, registry: plain, hooks: join(plain, 'hooks') };
}

function notFound(message: string): AbilityError {
  return new AbilityError({
    code: 'project.not_found',
    message,
    suggestion: 'Go to a project, pass --project DIR, or make one: `ability init`.',
  });
}
