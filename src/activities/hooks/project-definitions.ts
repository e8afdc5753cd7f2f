import { RegistryLoader } from '../../definitions/load-registry.js';
import type { Registry } from '../../definitions/registry.js';

/** Reads the definitions of a project, again only as far as files changed. @throws AbilityError as `RegistryLoader.load`. */
export function projectDefinitions(root: string): () => Registry {
  const loader = new RegistryLoader(root);
  return () => loader.load();
}
