import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Finding, forPeople } from './finding.js';
import { keysOf } from './listed-files.js';
import { isBuilder, isReader, printsNames, searchesFolders } from './programs.js';
import type { Places } from './protected-places.js';
import { isKnown, patternOf, waysTo } from './shell/marks.js';
import { partsOf } from './words.js';

const KEPT_KEYS =
  '.system/keys, .system/tokens, what `ability login` keeps, and the socket of the runtime are for people: they prove who decides';
const SECRETS = /[\uE003\uE004]ABILITY_((SEAL|PAYLOAD)_KEYS|DOOR_KEY)\uE005|^ABILITY_((SEAL|PAYLOAD)_KEYS|DOOR_KEY)$/;
const EXCLUDES = /^--?(exclude|ignore|filter)(-\w+)*$/;

/**
 * Finds a key or the socket of the runtime that a command names by its path, through folders, links and patterns, or
 * gathers with a folder around it.
 */
export function findKept(words: readonly string[], folders: readonly string[], places: Places): Finding | undefined {
  if (printsNames(words)) return undefined;
  const [, ...rest] = words;
  const isExcluded = rest.map((word, at) =>
    [rest[at - 1] ?? '', word.split('=')[0] ?? ''].some((flag) => EXCLUDES.test(flag)),
  );
  const keeps = rest.some((word, at) => isExcluded[at] && /(^|=|\/)\.system\/?$/.test(word));
  const gathers = !keeps && (isReader(words) ? searchesFolders(words) : !isBuilder(words));
  if (rest.length > 0 && isKey(places, folders[0] ?? '/', false)) return forPeople(KEPT_KEYS);
  // Without a file or folder, a search begins where it is.
  const isThere = (word: string): boolean => folders.some((folder) => existsSync(resolve(folder, word)));
  const searched = gathers && isReader(words) && !rest.some(isThere) ? [...rest, '.'] : rest;
  for (const [at, word] of searched.entries()) {
    if (isExcluded[at]) continue;
    for (const part of partsOf(word)) {
      const isKept = isKnown(part)
        ? folders.some((folder) => isKey(places, resolve(folder, part), gathers))
        : fitsKey(part, folders, places, gathers);
      if (isKept) return forPeople(KEPT_KEYS);
    }
  }
  return undefined;
}

/** A command may print variables that it sets itself. @param words as written. */
export function findKeyVariable(words: readonly string[]): Finding | undefined {
  const isShown = words.length > 1 && words.some((word) => SECRETS.test(word));
  return isShown
    ? forPeople('ABILITY_SEAL_KEYS, ABILITY_PAYLOAD_KEYS and ABILITY_DOOR_KEY keep and prove what the runtime has said')
    : undefined;
}

function isKey(places: Places, path: string, gathers: boolean): boolean {
  const real = places.real(path);
  const isAbove = (key: string): boolean => key.startsWith(real === '/' ? real : `${real}/`) && existsSync(key);
  return places.kept.some((key) => real === key || real.startsWith(`${key}/`) || (gathers && isAbove(key)));
}

/** Matches as a shell does: `*` and `?` do not match the leading dot of a name. */
function fitsKey(word: string, folders: readonly string[], places: Places, gathers: boolean): boolean {
  if (/^[^\w.]*$/.test(word)) return false;
  const pattern = patternOf(word.replace(/^(\.\/)+/, ''));
  const state = gathers ? [join(places.root, '.system')] : [];
  return [...places.kept, ...places.kept.map((key) => join(key, 'proof')), ...keysOf(places), ...state].some((key) =>
    waysTo(key, folders).some((way) => pattern.test(way) && !(way.startsWith('.') && /^[\uE001\uE002]/.test(word))),
  );
}
