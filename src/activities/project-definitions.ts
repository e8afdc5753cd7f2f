import { loadRegistry, RegistryLoader } from '../definitions/load-registry.js';
import type { Registry } from '../definitions/registry.js';
import { parseDuration } from '../rules/duration.js';

/** Facts about a project that a worker needs to serve it. */
export interface ProjectDescription {
  name: string;
  environments: string[];
  /** Digest of all definitions. */
  digest: string;
}

/** A reader of a project's description that rereads only changed parts. */
export function describeProject(root: string): () => ProjectDescription {
  const loader = new RegistryLoader(root);
  return () => {
    const { project, digest } = loader.load();
    return { name: project.project, environments: Object.keys(project.environments), digest };
  };
}

/** Reads the definitions of a project, again only as far as files changed. @throws AbilityError as `RegistryLoader.load`. */
export function projectDefinitions(root: string): () => Registry {
  const loader = new RegistryLoader(root);
  return () => loader.load();
}

/** Names the environments that a project has at the moment. @param root absolute path of the project. */
export function projectEnvironments(root: string): () => string[] {
  const loader = new RegistryLoader(root);
  return () => Object.keys(loader.load().project.environments);
}

/** The default of `policy.keep_files`. */
const KEEP_FILES = '30d';

/** How long files are kept after the end of their task, in milliseconds. @param root of the project with the policy. */
export function keepTime(root: string): number {
  return parseDuration(loadRegistry(root).project.policy.keep_files ?? KEEP_FILES);
}
