import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where new definitions go: the folder of the registry that the project has, relative to its root. */
export function registryFolder(root: string): 'registry' | '.system/registry' {
  return !existsSync(join(root, 'registry')) && existsSync(join(root, '.system/registry'))
    ? '.system/registry'
    : 'registry';
}
