import { RegistryLoader } from '../../definitions/load-registry.js';

/** Names the environments that a project has at the moment. @param root absolute path of the project. */
export function projectEnvironments(root: string): () => string[] {
  const loader = new RegistryLoader(root);
  return () => Object.keys(loader.load().project.environments);
}
