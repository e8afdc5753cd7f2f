import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PHASES } from '../../../contracts/hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { PlannedFile } from '../../planned-file.js';
import type { HookDraft } from './draft-hooks.js';
import { isAsImported, isFrom, renderHooks } from './render-hooks.js';

/** Where the hooks of an import stand. */
export interface HookSite {
  /** Absolute path of the project. */
  root: string;
  /** The folder of the registry, relative to it. */
  registry: string;
  /** What the import is called, and its folder below `hooks`. */
  name: string;
  /** The settings file, as it was named. */
  source: string;
  /** Replaces files that were edited. */
  overwrite: boolean;
}

/** A hook with its whole definition. */
export interface WrittenDraft {
  draft: HookDraft;
  definition: JsonObject;
}

/** The file of a phase below the folder of an import. */
export function hookFileOf({ registry, name }: Pick<HookSite, 'registry' | 'name'>, phase: string): string {
  return `${registry}/hooks/${name}/${phase}.yaml`;
}

/**
 * Plans the files of an import, one a phase; a phase that has no hooks any more gets an empty list.
 *
 * @throws AbilityError `import.not_ours` for a file that people wrote or edited, or that was taken over from other settings:
 * to replace it would take those guards away.
 */
export function planHookFiles(site: HookSite, hooks: readonly WrittenDraft[]): PlannedFile[] {
  return PHASES.flatMap((phase) => {
    const path = hookFileOf(site, phase);
    const file = join(site.root, path);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const own = hooks.filter(({ draft }) => draft.phase === phase).map(({ definition }) => definition);
    if (own.length === 0 && before === undefined) return [];
    const content = renderHooks(path, site.registry, site.source, own);
    if (content === before) return [];
    if (before !== undefined && !site.overwrite) {
      if (!isAsImported(before)) throw edited(path);
      if (!isFrom(site.source, before)) throw ofOthers(path, site.source);
    }
    return [{ path, content, ...(before !== undefined && { before }) }];
  });
}

function ofOthers(path: string, source: string): AbilityError {
  return new AbilityError({
    code: 'import.not_ours',
    message: `${path} was taken over from other settings than ${source}; nothing was written`,
    location: { file: path },
    suggestion: 'Give this import a name of its own with --name, or replace the file and its hooks with --overwrite.',
  });
}

function edited(path: string): AbilityError {
  return new AbilityError({
    code: 'import.not_ours',
    message: `${path} was edited since it was imported; nothing was written`,
    location: { file: path },
    suggestion: 'Move your hooks to a file of your own beside that folder, or replace the file with --overwrite.',
  });
}
