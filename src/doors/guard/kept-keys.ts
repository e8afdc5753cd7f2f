import { join, resolve } from 'node:path';
import { type Finding, forPeople } from './finding.js';
import { keysOf } from './listed-files.js';
import { programOf } from './programs.js';
import type { Places } from './protected-places.js';
import { hasLetters, isKnown, patternOf, waysTo } from './shell/marks.js';

const KEPT_KEYS = '.system/keys and .system/tokens hold what proves who decides';
/** Programs that take a folder with all its content. */
const GATHERERS = /^(cp|mv|ln|rsync|scp|tar|bsdtar|zip|7z|cpio|pax|rclone)$/;
const SECRETS = /[\uE003\uE004]ABILITY_SEAL_KEYS\uE005|^ABILITY_SEAL_KEYS$/;

/** Finds a key of the runtime that a command names by its path: through folders, links and patterns. */
export function findKept(words: readonly string[], folders: readonly string[], places: Places): Finding | undefined {
  const program = programOf(words[0] ?? '');
  const gathers =
    GATHERERS.test(program) ||
    (/^[ef]?grep$/.test(program) && words.some((word) => /^-\w*[rR]|^--(deref.*-)?recursive/.test(word))) ||
    program === 'rg';
  for (const [at, word] of words.entries()) {
    if (at === 0 || /^--(exclude|ignore|filter)/.test(words[at - 1] ?? '')) continue;
    for (const part of new Set([word, ...word.split(/[=:,@]/)])) {
      if (part === '' || part.length > 4096) continue;
      const isKept = isKnown(part)
        ? folders.some((folder) => isKey(places, resolve(folder, part), gathers && part === word))
        : fitsKey(part, folders, places);
      if (isKept) return forPeople(KEPT_KEYS);
    }
  }
  return undefined;
}

/** A command may print variables that it sets itself. @param words as written. */
export function findKeyVariable(words: readonly string[]): Finding | undefined {
  const isShown = words.length > 1 && words.some((word) => SECRETS.test(word));
  return isShown ? forPeople('ABILITY_SEAL_KEYS proves what the runtime has said') : undefined;
}

function isKey(places: Places, path: string, gathers: boolean): boolean {
  const way = places.inProject(places.real(path));
  return way !== undefined && (/^\.system\/(keys|tokens)(\/|$)/.test(way) || (gathers && way === '.system'));
}

/** Matches as a shell does: `*` and `?` do not match the leading dot of a name. */
function fitsKey(word: string, folders: readonly string[], places: Places): boolean {
  if (!hasLetters(word) && !/[\uE001\uE002]/.test(word)) return false;
  if (/(^|\/)[\uE001\uE002][^/]*\/.*\/|^[\uE001\uE002]+$/.test(word) && !word.includes('.')) return false;
  const pattern = patternOf(word.replace(/^(\.\/)+/, ''));
  const state = join(places.root, '.system');
  return [join(state, 'keys'), join(state, 'tokens'), ...keysOf(places.root)].some((key) =>
    waysTo(key, folders).some((way) => pattern.test(way) && !(way.startsWith('.') && /^[\uE001\uE002]/.test(word))),
  );
}
