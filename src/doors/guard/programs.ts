import { basename } from 'node:path';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs that only print their files. */
const READERS = set(
  'cat head tail nl wc grep egrep fgrep rg ls stat file diff cmp sort uniq cut tr column jq md5sum sha1sum sha256sum echo printf true false test [ [[ pwd which type basename dirname realpath readlink du tree chmod alias unalias',
);
/** Programs that check or format their files. */
const CHECKERS = set(
  'eslint prettier biome tsc ruff black isort mypy flake8 pylint shellcheck shfmt gofmt rubocop standard markdownlint',
);
const GIT_READERS = set(
  'add diff log show blame status commit ls-files ls-tree cat-file grep shortlog describe branch tag rev-list rev-parse check-ignore reset stash restore checkout',
);
const GH_READERS = set('pr issue release search status');
const SHELLS = set(
  'sh bash zsh dash ksh mksh fish ash busybox eval source . ssh su watch parallel script xargs entr tmux screen expect at batch flock',
);
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|awk|gawk|mawk|ed|ex|vim?|nvim|emacs|osascript|pwsh|powershell)$/;
/** A `sed` that starts programs or writes files: its commands `e` and `w`, and these flags of `s`. */
const SED_RUNS = /(^|[;{}\n]|\d|\$|\/)\s*[eEwW](\s|$)|^s(\W).*\3.*\3[gpimM\d]*[ew]/;
/** An `awk` that starts programs or writes files. */
const AWK_RUNS = /system|getline|[|>]|@load|@include/;

/** Longer scripts are assumed to run something: people write none, and matching them is costly. */
const LONGEST_SED = 1000;

function isSedThatRuns(word: string): boolean {
  return word.length > LONGEST_SED || /^(-f|--file)/.test(word) || SED_RUNS.test(word);
}

export function programOf(word: string): string {
  return basename(word);
}

/** Whether a command only prints the files it names, so that its words may be paths of scripts. */
export function isReader(words: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = words;
  const program = programOf(first);
  if (program === 'rg' && words.some((word) => word.startsWith('--pre'))) return false;
  if (READERS.has(program) || CHECKERS.has(program)) return !first.includes('/') || first.startsWith('/');
  if (program === 'npx' || program === 'pnpm') return CHECKERS.has(second === 'exec' ? third : second);
  if (program === 'ability') return true;
  if (/^g?sed$/.test(program)) return !words.some((word) => isSedThatRuns(word));
  if (/^[gm]?awk$/.test(program))
    return !words.some((word) => AWK_RUNS.test(word) || /^(-f|--file|-i|-l|-E)/.test(word));
  if (program === 'find')
    return !words.some((word) => /^-(delete|fprint|fprintf|fls|exec|execdir|ok|okdir)$/.test(word));
  if (program === 'gh') return GH_READERS.has(second);
  if (program === 'git') {
    const { verb, rest, configures } = gitCall(words);
    const harmful = rest.some((word) => /^(--(ext-diff|output|exec|textconv|open-files)|-O)/.test(word));
    return GIT_READERS.has(verb) && !configures && !harmful;
  }
  if (/^python[\d.]*$/.test(program)) return second === '-m' && third === 'py_compile';
  return /^(node|bash|sh)$/.test(program) && /^(--check|-n)$/.test(second);
}

export function runsShell(words: readonly string[]): boolean {
  return words.some((word) => SHELLS.has(programOf(word)));
}

export function runsCode(words: readonly string[]): boolean {
  return words.some((word) => INTERPRETERS.test(programOf(word)));
}

interface GitCall {
  verb: string;
  rest: readonly string[];
  /** The value of `-C`. */
  folder: string | undefined;
  /** True if it changes settings for this call, which may start programs. */
  configures: boolean;
}

const VALUED = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/;

/** @param words of a command whose first is `git`. */
export function gitCall(words: readonly string[]): GitCall {
  let at = 1;
  let folder: string | undefined;
  let configures = false;
  for (; at < words.length && words[at]?.startsWith('-'); at += 1) {
    const word = words[at] as string;
    if (/^(-c|--config-env|--exec-path)(=|$)/.test(word)) configures = true;
    if (word === '-C') folder = words[at + 1];
    if (VALUED.test(word)) at += 1;
  }
  return { verb: words[at] ?? '', rest: words.slice(at + 1), folder, configures };
}
