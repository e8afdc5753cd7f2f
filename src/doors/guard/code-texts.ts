import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** What code does that changes something, or that hides what it does. */
const CHANGES =
  /write|append|unlink|remove|rmdir|rmtree|\brm\b|rename|replace\(|copy|move|truncate|link|mkdir|chmod|dump|save|put|open\w{0,9}\s?\(?[^)]{0,200},\s*(mode\s*=\s*)?["'`]?[+]?[rb]*[wax>+]|open\s*\(?\w*,?\s*["'`]\s*[+]?>|exec|spawn|system|subprocess|popen|eval|compile|getattr|__import__|atob|fromCharCode|b64|->\s*\w|\bwq?\b/i;

/** So many texts of a code are looked at as folders. */
const MOST = 500;

/** Whether a code may do more with a file that it names than read it. */
export function mayChange(code: string): boolean {
  return CHANGES.test(code);
}

/** The texts that stand in quotes in a code. */
export function quotedIn(code: string): string[] {
  return [...code.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].flatMap(([, , text]) => (text ? [text] : []));
}

/** The folders that a code may go to or start programs in: those that it names, where it names some working directory. */
export function foldersOfCode(code: string, folders: readonly string[]): string[] {
  if (!/chdir|cwd/i.test(code)) return [...folders];
  const named = quotedIn(code)
    .slice(0, MOST)
    .flatMap((text) => folders.map((folder) => resolve(folder, text)));
  return [...new Set([...named.filter(isFolder), ...folders])];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
