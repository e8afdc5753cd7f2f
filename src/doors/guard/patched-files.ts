import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { gitCall } from './git-call.js';
import { programOf } from './programs.js';
import { isKnown } from './shell/marks.js';

const MOST_BYTES = 1024 * 1024;

/** What `git apply`, `git am` and `patch` write to, as far as the patch can be read: a file, or a text of the command. */
export function patchedBy(
  words: readonly string[],
  pipe: readonly { words: readonly string[] }[],
  redirects: readonly { target: string }[],
  folder: string,
): string[] {
  const program = programOf(words[0] ?? '');
  const isGit = program === 'git' && /^(apply|am)$/.test(gitCall(words).verb);
  if (!isGit && program !== 'patch') return [];
  const files = [...words.slice(1), ...pipe.flatMap((each) => each.words), ...redirects.map(({ target }) => target)];
  return files.flatMap((file) => patchedFiles(file.includes('\n') ? file : textOf(resolve(folder, file))));
}

function textOf(path: string): string {
  const found = isKnown(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return found?.isFile() && found.size < MOST_BYTES ? readFileSync(path, 'utf8') : '';
}

/** The files that a patch changes, as it names them and without its first folders. */
function patchedFiles(text: string): string[] {
  const named = [...text.matchAll(/^(?:\+\+\+|---|rename (?:from|to)|copy to) ([^\t\n]+)/gm)].flatMap(
    ([, path]) => path ?? [],
  );
  const git = [...text.matchAll(/^diff --git (\S+) (\S+)$/gm)].flatMap(([, from, to]) => [from ?? '', to ?? '']);
  const paths = [...named, ...git].map((path) => path.trim()).filter((path) => path !== '' && path !== '/dev/null');
  return [...new Set(paths.flatMap((path) => [path, path.replace(/^[^/]*\//, '')]))];
}
