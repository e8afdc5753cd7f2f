import { basename } from 'node:path';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

// Each table says what a program does not do. One that is in no table may do anything with what it names.

/** Programs that neither print nor change their files. */
const SILENT = set(
  'ls stat file wc echo printf true false test [ [[ pwd which type basename dirname realpath readlink du tree alias unalias',
);
/** Programs that only print their files. */
const READERS = set(
  'chmod cat head tail nl less more grep egrep fgrep rg diff cmp sort uniq cut tr column jq comm join paste md5sum sha1sum sha256sum',
);
/** Programs that check or format their files. */
const CHECKERS = set(
  'eslint prettier biome tsc ruff black isort mypy flake8 pylint shellcheck shfmt gofmt rubocop standard markdownlint yamllint',
);
/**
 * Programs that, given a folder or a text as a whole, neither print nor carry away what the runtime keeps in it, nor run
 * the text. An interpreter runs a text, but no folder.
 */
const BUILDERS =
  /^(npm|npx|pnpm|yarn|bunx?|deno|node|nodejs|tsx|ts-node|python[\d.]*|pip\d?|pipx|uv|uvx|poetry|pytest|ruby|bundle|rake|cargo|go|g?make|cmake|ctest|just|mvn|gradle|gradlew|dotnet|swift|bazel|composer|php|jest|vitest|mocha|terraform|helm|kubectl|git|gh|code|brew|apt|apt-get|mkdir|kill|sleep|export|set|unset|local|declare|cd|pushd|chdir|exit|return|shift|read|find|fd|fdfind|xargs|parallel|unzip|xxd|od|hexdump|rev|base64|gzip|gunzip|zcat|bc|pbcopy|xclip|ability)$/;
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|awk|gawk|mawk|ed|ex|vim?|nvim|emacs|osascript|pwsh|powershell)$/;
const GIT_READERS = set(
  'add diff log show blame status commit ls-files ls-tree cat-file grep shortlog describe branch tag rev-list rev-parse check-ignore reset stash restore checkout',
);
const GH_READERS = set('pr issue release search status');
/** A `sed` that starts programs or writes files: its commands `e` and `w`, and these flags of `s`. */
const SED_RUNS = /(^|[;{}\n]|\d|\$|\/)\s*[eEwW](\s|$)|^s(\W).*\3.*\3[gpimM\d]*[ew]/;
/** An `awk` that starts programs or writes files. */
const AWK_RUNS = /system|getline|[|>]|@load|@include/;

/** Longer scripts are assumed to run something: people write none, and matching them is costly. */
const LONGEST_SED = 1000;

export function programOf(word: string): string {
  return basename(word);
}

/** Whether a command only prints the files it names, so that its words may be paths of scripts. */
export function isReader(words: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = words;
  const program = programOf(first);
  if (first.includes('/') && !first.startsWith('/')) return false;
  if (program === 'rg' && words.some((word) => word.startsWith('--pre'))) return false;
  if (/^(less|more)$/.test(program) && words.some((word) => word.startsWith('+'))) return false;
  if (program === 'sort' && words.some((word) => /^(-\w*o|--output|--compress-program)/.test(word))) return false;
  if (SILENT.has(program) || READERS.has(program) || CHECKERS.has(program)) return true;
  if (program === 'npx' || program === 'pnpm') return CHECKERS.has(second === 'exec' ? third : second);
  if (program === 'ability') return true;
  if (/^g?sed$/.test(program))
    return !words.some((word) => word.length > LONGEST_SED || /^(-f|--file)/.test(word) || SED_RUNS.test(word));
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

/** Whether a command does nothing with the content of files, or of a folder that it names as a whole. */
export function isBuilder(words: readonly string[]): boolean {
  const [first = '', second = ''] = words;
  const program = programOf(first);
  return BUILDERS.test(program) || (/^(docker|podman)$/.test(program) && !/^(run|cp|create|exec|save)$/.test(second));
}

/** Whether a command neither prints what is in files nor changes it. */
export function printsNames(words: readonly string[]): boolean {
  return SILENT.has(programOf(words[0] ?? ''));
}

/** Whether it cannot matter which files a command names, as it neither runs, prints nor changes them. */
export function isSilent(words: readonly string[]): boolean {
  const program = programOf(words[0] ?? '');
  return printsNames(words) || program === 'git' || program === 'gh' || (isBuilder(words) && !runsCode(words));
}

export function runsCode(words: readonly string[]): boolean {
  return words.some((word) => INTERPRETERS.test(programOf(word)));
}

/** Whether a command runs what it reads from a pipe: it names no file, and is not known to do something else. */
export function takesCommands(words: readonly string[]): boolean {
  const named = words.slice(1).some((word) => word !== '-' && !word.startsWith('-'));
  return !named && !words.includes('-c') && (!isBuilder(words) || runsCode(words));
}

/** Whether a command prints contents of files in the folders it names, hidden ones included. */
export function searchesFolders(words: readonly string[]): boolean {
  const program = programOf(words[0] ?? '');
  if (program === 'rg')
    return words.some((word) => /^(-\w*(\.|u{2,})|--hidden|--no-ignore.*|--unrestricted)$/.test(word));
  // The files of a kind that the runtime keeps nothing in.
  const kinds = words.filter((word) => word.startsWith('--include'));
  if (kinds.length > 0 && kinds.every((word) => /^--include=\*\.(?!key$|json$)\w+$/.test(word))) return false;
  return /^([ef]?grep|diff)$/.test(program) && words.some((word) => /^-\w*[rR]|^--(deref.*-)?recursive/.test(word));
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
