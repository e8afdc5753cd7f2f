import { RegistryLoader } from '../definitions/load-registry.js';

/** What a worker needs to know of a project to serve it. */
export interface ProjectDescription {
  name: string;
  environments: string[];
  /** Digest of all definitions. */
  digest: string;
}

/** Gives a reader of a project's description, which reads again only what changed. */
export function describeProject(root: string): () => ProjectDescription {
  const loader = new RegistryLoader(root);
  return () => {
    const { project, digest } = loader.load();
    return { name: project.project, environments: Object.keys(project.environments), digest };
  };
}
