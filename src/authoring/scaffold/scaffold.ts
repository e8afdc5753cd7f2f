import { relative, sep } from 'node:path';
import type { Effect } from '../../contracts/effects.js';
import type { Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { SourceLocation } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { Registry } from '../../definitions/registry.js';
import type { PlannedFile } from '../write-together.js';

/** Where something is scaffolded: a project as it is, and the environment in which it has to run at once. */
export interface Site {
  registry: Registry;
  /** Folders relative to the project root, with forward slashes. */
  folders: { registry: string; hooks: string };
  environment: string;
  /** Whether a value satisfies a JSON Schema. */
  fits(schema: JsonObject, value: Json): boolean;
}

/** A command to type next, and what for. */
export interface NextStep {
  command: string;
  purpose: string;
}

/** The files of a scaffold, and the resulting abilities. */
export interface Scaffold {
  files: PlannedFile[];
  /** Abilities that can be planned in the environment of the site once the files exist. */
  abilities: string[];
  /** A hook that can be resolved then. */
  hook?: { phase: Phase; id: string };
  /** Notes for its author. */
  notes: string[];
  next: NextStep[];
  /** Maps a place in the written file to the given one, since a refused file does not exist afterwards. */
  given?(location: SourceLocation): SourceLocation;
}

/** The folders of a project as definitions name them. */
export function siteFolders(root: string): Site['folders'] {
  const { registry, hooks } = foldersOf(root);
  const named = (path: string): string => relative(root, path).split(sep).join('/');
  return { registry: named(registry), hooks: named(hooks) };
}

/** Whether the environment of a site asks people before calls of this effect. */
export function asksFirst({ registry, environment }: Site, effects: Effect): boolean {
  return registry.project.environments[environment]?.approve.includes(effects) ?? false;
}

/** The file of a definition. What ends in `.test` would be taken for a file of cases. */
export function fileNameOf(id: string): string {
  return id.replace(/\.test$/, '_test');
}
