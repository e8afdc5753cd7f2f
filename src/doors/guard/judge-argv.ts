import { basename } from 'node:path';
import { type Finding, unsure } from './finding.js';
import { findKept } from './kept-keys.js';
import { findDecision, findDecisionInCode, findDecisionInText } from './own-commands.js';
import { isBuilder, isReader, isSilent, programOf } from './programs.js';
import { type Bases, judgeWrite, type Places, placesIn } from './protected-places.js';
import type { RegisteredEndpoints } from './registered-endpoints.js';
import type { RegisteredScripts } from './registered-scripts.js';
import { PIPE } from './shell/marks.js';
import { foldersNamedBy, isBlind, partsOf, quotedIn } from './words.js';
import { isUnderstoodWriter, sourcesOf } from './written-files.js';

export interface Registered {
  places: Places;
  scripts: RegisteredScripts;
  endpoints: RegisteredEndpoints;
  env: NodeJS.ProcessEnv;
}

/**
 * Ignores redirects. @param shows whether the command only prints its files, to no program: then only keys matter.
 * Any other may run, change or carry away what any of its words names, in any folder that it names.
 */
export function judgeArgv(words: readonly string[], bases: Bases, registered: Registered, shows: boolean): Finding[] {
  const { scripts, endpoints, places } = registered;
  const program = programOf(words[0] ?? '');
  const named = shows ? [] : foldersNamedBy(words, bases.folders);
  const folders = [...bases.folders, ...named];
  const isUnderstood = isUnderstoodWriter(words) || isReader(words);
  const found: (Finding | undefined)[] = [
    words.map((word) => findDecisionInText(word)).find((finding) => finding?.what.startsWith('.system')),
    findKept(isUnderstoodWriter(words) ? sourcesOf(words) : words, folders, places),
  ];
  if (!shows || program === 'ability') found.push(findDecision(words, bases.folders));
  if (!isSilent(words))
    found.push(
      ...words
        .filter((word) => isBlind(word) || (word === PIPE && !isReader(words)))
        .map(() => unsure(`${program} has a word`)),
    );
  if (shows || program === 'ability') return found.filter((finding) => finding !== undefined);
  found.push(endpoints.findAmong(words, program));
  // Of a protected folder itself, one finding is enough.
  const open = named.filter((folder) => places.refuse(folder) === undefined);
  for (const [at, word] of words.entries()) {
    found.push(scripts.find(word, { ...bases, named }, words.slice(at + 1)));
    if (words[at - 1] === '-m') found.push(scripts.findModule(word, folders));
    found.push(endpoints.find(word, program), findDecisionInText(word));
    if (/\s|\(/.test(word)) found.push(...judgeCode(word, folders, registered));
    if (!isUnderstood) found.push(...judgeNamed(word, { ...bases, named: open }, !isBuilder(words), places));
  }
  // It may write to the folder that it runs in.
  const { folders: at } = bases;
  if (!isUnderstood && !isBuilder(words))
    found.push(...judgeWrite('./any', false, { ...bases, folders: at.slice(0, 1) }, places));
  return found.filter((finding) => finding !== undefined);
}

/** Whether a word names what may not be changed. @param whole also as a part of a folder. */
function judgeNamed(word: string, bases: Bases, whole: boolean, places: Places): Finding[] {
  const isText = /\s/.test(word);
  const paths = isText ? [...placesIn(word, places), ...quotedIn(word)] : partsOf(word);
  const saved = /^\w+:\/\/[^?#]*\//.test(word) ? [basename(word.replace(/[?#].*$/, ''))] : [];
  return [...paths, ...saved]
    .filter((path) => !isBlind(path))
    .flatMap((path) => judgeWrite(path, whole && !isText, bases, places));
}

/** Finds bypasses of the runtime in a text that an interpreter runs. */
function judgeCode(code: string, folders: readonly string[], { scripts, endpoints }: Registered): Finding[] {
  const found = [
    endpoints.findInCode(code),
    findDecisionInCode(code),
    ...quotedIn(code).map((text) => scripts.findImport(text, folders)),
  ];
  return found.filter((finding) => finding !== undefined);
}
