import { relative, sep } from 'node:path';
import type { Effect } from '../../contracts/effects.js';
import type { Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { SourceLocation } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { Registry } from '../../definitions/registry.js';
import type { PlannedFile } from '../write-together.js';

/** The project, and the environment in which a scaffold must run at once. */
export interface Site {
  registry: Registry;
  /** Folders relative to the project root, with forward slashes. */
  folders: { registry: string; hooks: string };
  environment: string;
  fits(schema: JsonObject, value: Json): boolean;
}

export interface NextStep {
  command: string;
  purpose: string;
}

export interface Scaffold {
  files: PlannedFile[];
  /** Abilities that can be planned in the environment of the site once the files exist. */
  abilities: string[];
  /** A hook that resolves once the files exist. */
  hook?: { phase: Phase; id: string };
  notes: string[];
  next: NextStep[];
  /** Maps a location in the written file to the given text: the written file is removed if it is refused. */
  given?(location: SourceLocation): SourceLocation;
}

/** Relative to the project root, as definitions name them. */
export function siteFolders(root: string): Site['folders'] {
  const { registry, hooks } = foldersOf(root);
  const named = (path: string): string => relative(root, path).split(sep).join('/');
  return { registry: named(registry), hooks: named(hooks) };
}

/** Whether calls of this effect need an approval in the site's environment. */
export function needsApprovalFirst({ registry, environment }: Site, effects: Effect): boolean {
  return registry.project.environments[environment]?.approve.includes(effects) ?? false;
}

/** File name, without extension, for an id. `.test` is replaced, since it marks files of cases. */
export function fileNameOf(id: string): string {
  return id.replace(/\.test$/, '_test');
}
