import { isDeepStrictEqual } from 'node:util';
import { hook as format } from '../../../definitions/formats/hooks.js';
import type { Registry } from '../../../definitions/registry.js';
import { type HookSite, hookFileOf, type WrittenDraft } from './plan-hook-files.js';

/** Hooks of an earlier import that this one does not leave as they are. */
export interface LostHooks {
  /** Ids of those that are not there any more. */
  removed: string[];
  /** Ids of those whose definition is another one. */
  changed: string[];
}

/** What an import takes from the hooks that are there: a guard must not go away without a word. */
export function lostHooks(
  { hooks: there }: Pick<Registry, 'hooks'>,
  site: Pick<HookSite, 'registry' | 'name'>,
  hooks: readonly WrittenDraft[],
): LostHooks {
  const lost: LostHooks = { removed: [], changed: [] };
  for (const [phase, before] of there) {
    for (const { value } of before.filter(({ file }) => file === hookFileOf(site, phase))) {
      const now = hooks.find(({ draft }) => draft.phase === phase && draft.id === value.id);
      if (!now) lost.removed.push(value.id);
      else if (!isDeepStrictEqual(value, format.parse(now.definition))) lost.changed.push(value.id);
    }
  }
  return lost;
}
