import { readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gitCall, programOf } from './programs.js';
import { isKnown, MARK } from './shell/marks.js';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs that write to, move or remove their files. */
const WRITERS = set(
  'tee cp mv rm rmdir unlink shred truncate touch ln install rsync dd sponge patch ed ex vi vim nvim nano emacs trash scp rimraf del-cli split',
);
/** Programs whose subcommands share such names, but concern packages, containers and clouds. */
const OTHERS = set(
  'npm pnpm yarn bun pip pip2 pip3 pipx uv poetry cargo go gem bundle brew apt apt-get apk dnf yum make docker podman helm terraform conda composer dotnet rustup nix gh git',
);
/** Programs that copy to and from other machines; their last word may be a local file. */
const CLOUDS = set('aws gsutil gcloud kubectl oc docker podman az rclone');
const EDITORS = /^(g?sed|perl|ruby|yq)$/;

interface Written {
  path: string;
  /** True: with everything in it. */
  whole: boolean;
}

/** The files that a command writes to, judged by its words; ignores paths inside code. */
export function writtenFiles(words: readonly string[]): Written[] {
  const program = programOf(words[0] ?? '');
  const at = words.findIndex((word) => WRITERS.has(programOf(word)));
  const isOther = words.slice(0, Math.max(at, 0)).some((word) => OTHERS.has(programOf(word)));
  const isModule = words[1] === '-m' && /^python/.test(program);
  const editor = words.findIndex((word) => EDITORS.test(programOf(word)));
  return [
    ...(at >= 0 && !isOther && !isModule ? writtenByWriter(programOf(words[at] ?? ''), words.slice(at + 1)) : []),
    ...(at >= 0 && CLOUDS.has(program) ? plainOf(words).slice(-1).map(single) : []),
    ...(editor >= 0 && inPlace(words) ? plainOf(words.slice(editor + 1)).map(single) : []),
    ...(/^(g|m)?awk$/.test(program) && words.includes('inplace') ? plainOf(words.slice(1)).map(single) : []),
    ...(program === 'git' ? writtenByGit(words) : []),
    ...(/^(curl|wget2?)$/.test(program) ? downloadedTo(program, words).map(single) : []),
    ...(program === 'sort' ? outputsOf(words).map(single) : []),
    ...(program === 'find' ? behind(words, /^-(fprint|fprintf|fls)$/).map(single) : []),
    ...(/^(bsd)?tar$/.test(program) && extracts(words) ? behind(words, /^(-C|--directory)$/).map(single) : []),
    ...(program === 'unzip' ? behind(words, /^-d$/).map(single) : []),
  ].filter(({ path }) => !path.startsWith('-'));
}

function writtenByWriter(program: string, rest: readonly string[]): Written[] {
  const plain = plainOf(rest);
  const into = [
    ...behind(rest, /^(-t|--target-directory)$/),
    ...rest.flatMap((word) => /^--target-directory=(.*)/.exec(word)?.[1] ?? []),
  ];
  const sources = into.length > 0 ? plain.filter((word) => !into.includes(word)) : plain.slice(0, -1);
  const targets = into.length > 0 ? into : plain.slice(-1);
  if (program === 'dd') return rest.flatMap((word) => /^of=(.*)/.exec(word)?.[1] ?? []).map(single);
  if (program === 'split') return plain.slice(1).map(single);
  if (/^(cp|install|rsync|scp|mv|ln)$/.test(program)) {
    const copied = targets.flatMap((target) => [single(target), ...sources.map((from) => copyOf(from, target))]);
    if (program !== 'mv' && program !== 'ln') return copied;
    const moved = program === 'mv' ? sources.map(all) : [];
    return [...moved, ...copied, ...(/(^|\s)-\w*n/.test(rest.join(' ')) ? targets.map(all) : [])];
  }
  const isSingle = /^(tee|touch|truncate|sponge|patch)$/.test(program);
  return plain.map(isSingle ? single : all);
}

/** The target of a copy into a folder; for `x/.`, and for `x/` with rsync, the target of its contents. */
function copyOf(from: string, target: string): Written {
  if (/(^|\/)\.?$/.test(from)) return all(target);
  const name = basename(from);
  return { path: join(target, name === '' ? MARK.star : name), whole: true };
}

function writtenByGit(words: readonly string[]): Written[] {
  const { verb, rest, folder } = gitCall(words);
  const within = (path: string): string => (folder === undefined || path.startsWith('/') ? path : join(folder, path));
  const plain = plainOf(rest).map(within);
  if (/^(rm|mv|checkout|restore)$/.test(verb)) return plain.map(all);
  // Without -x, `git clean` keeps ignored files, such as the runtime's state.
  if (verb !== 'clean') return [];
  const named = plain.length > 0 ? plain : rest.some((word) => /^-\w*[xX]/.test(word)) ? [within('.')] : [];
  return named.map(all);
}

/** Where a download is written: a file that is named, or the last part of the address in a folder. */
function downloadedTo(program: string, words: readonly string[]): string[] {
  const outputs = outputsOf(words);
  const folders = [
    ...behind(words, program === 'curl' ? /^--output-dir$/ : /^(-P|--directory-prefix)$/),
    ...words.flatMap((word) => /^(?:--output-dir|--directory-prefix)=(.+)/.exec(word)?.[1] ?? []),
  ];
  const isNamed = program !== 'curl' || words.some((word) => /^(-\w*[OJ]|--remote-name(-all)?)$/.test(word));
  if (!isNamed || (program !== 'curl' && outputs.length > 0)) return [...outputs, ...folders];
  const names = words.slice(1).flatMap((word) => (word.includes('/') ? [basename(word.replace(/[?#].*$/, ''))] : []));
  return [
    ...outputs,
    ...folders,
    ...(folders[0] === undefined ? names : names.map((name) => join(folders[0] ?? '', name))),
  ];
}

function outputsOf(words: readonly string[]): string[] {
  const joined = words.flatMap(
    (word) => /^(?:--output=|--output-document=|-[oO](?=[^-\w]|\w+[./]))(.+)/.exec(word)?.[1] ?? [],
  );
  const isCurl = programOf(words[0] ?? '') === 'curl';
  const flag = isCurl ? /^(-o|--output|-\w*o)$/ : /^(-o|-\w*O|--output|--output-document)$/;
  return [...joined, ...behind(words, flag)];
}

function extracts(words: readonly string[]): boolean {
  return /^-?[a-zA-Z]*x/.test(words[1] ?? '') || words.some((word) => /^(-\w*x\w*|--extract|--get)$/.test(word));
}

function behind(words: readonly string[], flag: RegExp): string[] {
  return words.filter((_, at) => flag.test(words[at - 1] ?? ''));
}

function plainOf(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function inPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*i/.test(word) || word.startsWith('--in-place') || word === '--inplace');
}

function single(path: string): Written {
  return { path, whole: false };
}

function all(path: string): Written {
  return { path, whole: true };
}

const MAX_BYTES = 1024 * 1024;

/** What `git apply`, `git am` and `patch` write, if the patch is readable: a file, or text of the command. */
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
  return found?.isFile() && found.size < MAX_BYTES ? readFileSync(path, 'utf8') : '';
}

/** Paths as the patch names them, and without their first folder. */
function patchedFiles(text: string): string[] {
  const named = [...text.matchAll(/^(?:\+\+\+|---|rename (?:from|to)|copy to) ([^\t\n]+)/gm)].flatMap(
    ([, path]) => path ?? [],
  );
  const git = [...text.matchAll(/^diff --git (\S+) (\S+)$/gm)].flatMap(([, from, to]) => [from ?? '', to ?? '']);
  const paths = [...named, ...git].map((path) => path.trim()).filter((path) => path !== '' && path !== '/dev/null');
  return [...new Set(paths.flatMap((path) => [path, path.replace(/^[^/]*\//, '')]))];
}
