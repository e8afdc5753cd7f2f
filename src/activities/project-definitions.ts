import { type Placement, placementsOf } from '../contracts/names.js';
import type { NoticeEvent } from '../contracts/notices.js';
import { AbilityError } from '../contracts/problem.js';
import { loadRegistry, RegistryLoader } from '../definitions/load-registry.js';
import type { Registry } from '../definitions/registry.js';
import { resolveNotify } from '../planning/resolve/resolve-plan.js';
import { parseDuration } from '../rules/duration.js';
import { targetsOf } from '../rules/tasks/task-ids.js';

export interface ProjectDescription {
  name: string;
  environments: string[];
  placements: readonly Placement[];
  /** Digest of all definitions. */
  digest: string;
}

/** Returns a reader of a project's description that rereads only changed parts. */
export function describeProject(root: string): () => ProjectDescription {
  const loader = new RegistryLoader(root);
  return () => {
    const { project, digest } = loader.load();
    return {
      name: project.project,
      environments: Object.keys(project.environments),
      placements: placementsOf(project),
      digest,
    };
  };
}

/** Returns a reader that rereads only changed files. @throws AbilityError as `RegistryLoader.load`. */
export function projectDefinitions(root: string): () => Registry {
  const loader = new RegistryLoader(root);
  return () => loader.load();
}

/** As {@link projectDefinitions}; while `ability.yaml` is broken, as they were before. Undefined: never readable. */
export function lastDefinitions(root: string): () => Registry | undefined {
  const loader = new RegistryLoader(root);
  let last: Registry | undefined;
  const read = (): Registry | undefined => {
    try {
      last = loader.load();
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
    }
    return last;
  };
  read();
  return read;
}

/** Returns a reader of the placements of the last readable definitions. */
export function placementsIn(last: () => Registry | undefined): () => readonly Placement[] {
  return () => placementsOf(last()?.project ?? { placements: {} });
}

/** Who is notified of an event without a plan, as indexes in the `notify` of the project for an environment. */
export function targetsIn({ project }: Registry, environment: string, event: NoticeEvent): number[] {
  return targetsOf(event, resolveNotify(project, environment));
}

/** The default of `policy.keep_files`. */
const KEEP_FILES = '30d';

/** How long files are kept after the end of their task, in milliseconds. @param root of the project with the policy. */
export function keepTime(root: string): number {
  return parseDuration(loadRegistry(root).project.policy.keep_files ?? KEEP_FILES);
}
