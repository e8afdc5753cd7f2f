import { resolve } from 'node:path';
import type { Finding } from './finding.js';
import { findKept } from './kept-keys.js';
import { isFolder } from './listed-files.js';
import { findDecision, findDecisionInCode, findDecisionInText } from './own-commands.js';
import { programOf, runsCode, runsShell } from './programs.js';
import type { Places } from './protected-places.js';
import { type Bases, judgeWrite, placesIn } from './protected-places.js';
import type { RegisteredEndpoints } from './registered-endpoints.js';
import type { RegisteredScripts } from './registered-scripts.js';

export interface Registered {
  places: Places;
  scripts: RegisteredScripts;
  endpoints: RegisteredEndpoints;
  env: NodeJS.ProcessEnv;
}

/** Ignores redirects. @param shows whether it only prints its files, to no program: then only keys matter. */
export function judgeArgv(words: readonly string[], bases: Bases, registered: Registered, shows: boolean): Finding[] {
  const { scripts, endpoints, places } = registered;
  const program = programOf(words[0] ?? '');
  const found: (Finding | undefined)[] = [
    words.map((word) => findDecisionInText(word)).find((finding) => finding?.what.startsWith('.system')),
    findKept(words, bases.folders, places),
  ];
  if (!shows || program === 'ability') found.push(findDecision(words, bases.folders));
  if (!shows && program !== 'ability') {
    const searches = words.some((word) => /^(fd|fdfind|locate)$/.test(programOf(word)));
    const extra = words.filter((_, at) => /^(-C|--chdir|--directory|--prefix|--cwd)$/.test(words[at - 1] ?? ''));
    const folders = [...bases.folders, ...extra.map((folder) => resolve(bases.folders[0] ?? '/', folder))];
    const isRun = runsCode(words);
    found.push(endpoints.findAmong(words, program));
    for (const [at, word] of words.entries()) {
      found.push(scripts.find(word, { ...bases, folders, isRun: isRun || at === 0 || runsShell(words) }));
      if (searches) found.push(scripts.findName(word));
      if (isRun && words[at - 1] === '-m') found.push(scripts.findModule(word, folders));
      found.push(endpoints.find(word, program), findDecisionInText(word));
      if (isRun && /\s|\(/.test(word)) found.push(...judgeCode(word, { ...bases, folders }, registered));
    }
  }
  return found.filter((finding) => finding !== undefined);
}

/** Finds bypasses of the runtime in a text that an interpreter runs. */
export function judgeCode(code: string, bases: Bases, { scripts, endpoints, places }: Registered): Finding[] {
  const folders = foldersOfCode(code, bases.folders);
  const quoted = quotedIn(code);
  const found = [
    endpoints.findInCode(code),
    findDecisionInCode(code),
    ...quoted.map((text) => scripts.findImport(text, folders)),
  ].filter((finding) => finding !== undefined);
  if (!mayChange(code)) return found;
  const written = [...placesIn(code, places), ...quoted.filter((text) => /\.(ya?ml|json)$/.test(text))];
  return [...found, ...written.flatMap((path) => judgeWrite(path, true, { ...bases, folders }, places))];
}

const CHANGES =
  /write|append|unlink|remove|rmdir|rmtree|\brm\b|rename|replace\(|copy|move|truncate|link|mkdir|chmod|dump|save|put|open\w{0,9}\s?\(?[^)]{0,200},\s*(mode\s*=\s*)?["'`]?[+]?[rb]*[wax>+]|open\s*\(?\w*,?\s*["'`]\s*[+]?>|exec|spawn|system|subprocess|popen|eval|compile|getattr|__import__|atob|fromCharCode|b64|->\s*\w|\bwq?\b/i;

const MAX = 500;

function mayChange(code: string): boolean {
  return CHANGES.test(code);
}

function quotedIn(code: string): string[] {
  return [...code.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].flatMap(([, , text]) => (text ? [text] : []));
}

/** The folders in which code may run programs: those it names, if it sets a working directory. */
function foldersOfCode(code: string, folders: readonly string[]): string[] {
  if (!/chdir|cwd/i.test(code)) return [...folders];
  const named = quotedIn(code)
    .slice(0, MAX)
    .flatMap((text) => folders.map((folder) => resolve(folder, text)));
  return [...new Set([...named.filter(isFolder), ...folders])];
}
