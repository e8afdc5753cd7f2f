import { basename } from 'node:path';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** They show what they are given, and neither run it nor write anything. */
const READERS = set(
  'cat head tail nl wc grep egrep fgrep rg ls stat file diff cmp sort uniq cut tr column jq md5sum sha1sum sha256sum echo printf true false test [ [[ pwd which type basename dirname realpath readlink du tree chmod alias unalias',
);
/** They check or format what they are given. */
const CHECKERS = set(
  'eslint prettier biome tsc ruff black isort mypy flake8 pylint shellcheck shfmt gofmt rubocop standard markdownlint',
);
const GIT_READERS = set('add diff log show blame status commit ls-files reset stash restore checkout');
const SHELLS = set('sh bash zsh dash ksh mksh fish ash busybox eval source . ssh su watch parallel script xargs entr');
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|awk|gawk|mawk|ed|ex|vim?|nvim|emacs|osascript|pwsh|powershell)$/;
/** They write to, move or remove what they are given. */
const WRITERS = set(
  'tee cp mv rm rmdir unlink shred truncate touch ln install rsync dd sponge patch ed ex vi vim nvim nano emacs trash scp',
);

/** The name of a program, without its folder. */
export function programOf(word: string): string {
  return basename(word);
}

/** Whether a command only shows what it names, so that its words may be paths of scripts. */
export function isReader(words: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = words;
  const program = programOf(first);
  if (program === 'rg' && words.some((word) => word.startsWith('--pre'))) return false;
  if (READERS.has(program) || CHECKERS.has(program)) return !first.includes('/') || first.startsWith('/');
  if (program === 'npx' || program === 'pnpm') return CHECKERS.has(second === 'exec' ? third : second);
  if (program === 'ability') return true;
  if (program === 'sed')
    return words.includes('-n') && words.some((word) => /^[\d,$]+p$/.test(word)) && !inPlace(words);
  if (program === 'git') {
    const harmful = words.some((word) => /^--(ext-diff|output|exec|textconv)/.test(word));
    return GIT_READERS.has(second) && !harmful;
  }
  if (/^python[\d.]*$/.test(program)) return second === '-m' && third === 'py_compile';
  return /^(node|bash|sh)$/.test(program) && /^(--check|-n)$/.test(second);
}

/** Whether a command runs texts as a shell would. */
export function runsShell(words: readonly string[]): boolean {
  return words.some((word) => SHELLS.has(programOf(word)));
}

/** Whether a command runs code that it is given as a text. */
export function runsCode(words: readonly string[]): boolean {
  return words.some((word) => INTERPRETERS.test(programOf(word)));
}

/** A place that a command writes to. */
export interface Written {
  path: string;
  /** With all that is in it. */
  whole: boolean;
}

/** What a command writes to, by its words; a place in a text of code is none. */
export function writtenBy(words: readonly string[]): Written[] {
  const at = words.findIndex((word) => WRITERS.has(programOf(word)));
  const program = programOf(words[0] ?? '');
  const rest = at < 0 ? [] : words.slice(at + 1);
  const plain = rest.filter((word) => !word.startsWith('-'));
  const named = [
    ...(at < 0 ? [] : writtenByWriter(programOf(words[at] as string), rest, plain)),
    ...(['sed', 'perl', 'ruby', 'yq'].some((name) => words.some((word) => programOf(word) === name)) && inPlace(words)
      ? words.slice(1).filter((word) => !word.startsWith('-'))
      : []),
    ...(program === 'find' && changesFound(words) ? foundBy(words) : []),
    ...(program === 'git' && /^(rm|mv|checkout|restore|clean)$/.test(words[1] ?? '') ? words.slice(2) : []),
    ...(/^(curl|wget)$/.test(program) ? outputsOf(words) : []),
    ...(program === 'tar' || program === 'unzip' || program === 'bsdtar' ? behind(words, /^(-C|-d|--directory)$/) : []),
  ];
  const whole =
    named.length > 0 && !/^(tee|touch|truncate|sponge|curl|wget|patch)$/.test(programOf(words[Math.max(at, 0)] ?? ''));
  return named.filter((path) => !path.startsWith('-')).map((path) => ({ path, whole }));
}

function writtenByWriter(program: string, rest: readonly string[], plain: readonly string[]): readonly string[] {
  const into = [
    ...behind(rest, /^(-t|--target-directory)$/),
    ...rest.flatMap((word) => /^--target-directory=(.*)/.exec(word)?.[1] ?? []),
  ];
  if (/^(cp|install|rsync|scp)$/.test(program)) return [...into, ...plain.slice(-1)];
  if (program === 'dd') return rest.flatMap((word) => /^of=(.*)/.exec(word)?.[1] ?? []);
  return [...into, ...plain];
}

/** Whether `find` does more than show what it finds. */
function changesFound(words: readonly string[]): boolean {
  return words.some((word, at) => {
    if (/^-(delete|fprint|fprintf|fls)$/.test(word)) return true;
    return /^-(exec|execdir|ok|okdir)$/.test(word) && !isReader(words.slice(at + 1));
  });
}

function foundBy(words: readonly string[]): string[] {
  const end = words.findIndex((word, at) => at > 0 && word.startsWith('-'));
  const folders = words.slice(1, end < 0 ? undefined : end);
  return [...(folders.length === 0 ? ['.'] : folders), ...behind(words, /^-(fprint|fprintf|fls)$/)];
}

function outputsOf(words: readonly string[]): string[] {
  const joined = words.flatMap((word) => /^(?:--output=|--output-document=|-[oO](?=.))(.+)/.exec(word)?.[1] ?? []);
  return [...joined, ...behind(words, /^(-o|-O|--output|--output-document|--output-dir)$/)];
}

function behind(words: readonly string[], flag: RegExp): string[] {
  return words.filter((_, at) => flag.test(words[at - 1] ?? ''));
}

function inPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*i/.test(word) || word.startsWith('--in-place') || word === '--inplace');
}
