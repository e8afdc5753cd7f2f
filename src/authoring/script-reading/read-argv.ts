import type { CodeLanguage, Token } from './code-tokens.js';
import { is } from './code-values.js';
import { type Found, inputName, type Parameter } from './reading.js';

/** Packages with their own ways to read arguments, which are not supported. */
const OTHERS: Record<CodeLanguage, RegExp> = {
  python: /^(typer|fire|docopt|optparse|getopt|plac|absl|tyro|cyclopts|simple_parsing|configargparse)$/,
  javascript:
    /^(minimist|meow|cac|arg|mri|sade|clipanion|citty|optimist|command-line-args|@oclif\/.*|oclif|caporal|@caporal\/.*|getopts|nopt)$/,
};

/** The positional arguments that a program reads from `sys.argv` or `process.argv`; none if it reads none. */
export function readArgv(tokens: readonly Token[], language: CodeLanguage): Found {
  const other = tokens.find(({ kind, text }, at) => {
    if (!OTHERS[language].test(text)) return false;
    const before = tokens[at - 1]?.text ?? '';
    return language === 'python'
      ? kind === 'name' && /^(import|from)$/.test(before)
      : kind === 'text' && /^(from|import|\()$/.test(before);
  });
  if (other)
    return only([`line ${other.line}: write the arguments; scaffold does not read those of \`${other.text}\``]);
  const owner = language === 'python' ? 'sys' : 'process';
  const first = language === 'python' ? 1 : 2;
  const mentions = tokens.flatMap((token, at) => {
    const isArgv = token.kind === 'name' && token.text === 'argv';
    const isOwn = is(tokens[at - 1], '.') && tokens[at - 2]?.text === owner;
    return isArgv && (isOwn || (language === 'python' && !is(tokens[at - 1], '.'))) && tokens[at - 1]?.text !== 'import'
      ? [at]
      : [];
  });
  const places = new Map<number, Parameter>();
  let rest: Parameter | undefined;
  for (const at of mentions) {
    const read = mentionAt(tokens, at, first, language);
    if (read === 'count') continue;
    if (read === 'computed')
      return only([`line ${tokens[at]?.line}: write the arguments; the script computes which it reads`]);
    if (read === 'all') rest = { name: 'args', takes: 'several', type: 'string', isRequired: false };
    else for (const [place, name] of read) if (!places.has(place)) places.set(place, placeOf(name, place));
  }
  const parts = [...places].sort(([one], [two]) => one - two).map(([, parameter]) => parameter);
  const isWhole = places.size > 0 ? [...places.keys()].every((place) => place <= places.size) : true;
  if (!isWhole)
    return only([
      `line ${tokens[mentions[0] ?? 0]?.line}: write the arguments; the script reads some of them by a place only`,
    ]);
  return { commands: [{ words: [], parts: rest && parts.length === 0 ? [rest] : parts, knowsEnd: false }], todos: [] };
}

function only(todos: string[]): Found {
  return { commands: [{ words: [], parts: [], knowsEnd: false }], todos };
}

function placeOf(name: string | undefined, place: number): Parameter {
  return { name: inputName(name ?? `arg${place}`), takes: 'one', type: 'string', isRequired: true };
}

type Mentioned = 'count' | 'computed' | 'all' | [number, string | undefined][];

function mentionAt(tokens: readonly Token[], at: number, first: number, language: CodeLanguage): Mentioned {
  const start = language === 'python' && !is(tokens[at - 1], '.') ? at : at - 2;
  if (tokens[start - 2]?.text === 'len' || (is(tokens[at + 1], '.') && tokens[at + 2]?.text === 'length'))
    return 'count';
  // The script's own name: `import.meta.url === pathToFileURL(process.argv[1])`, `sys.argv[0]`.
  if (is(tokens[at + 1], '[') && is(tokens[at + 3], ']') && tokens[at + 2]?.kind === 'number') {
    const place = Number(tokens[at + 2]?.text) - first + 1;
    return place < 1 ? 'count' : [[place, assignedName(tokens, start)]];
  }
  const isSlice =
    language === 'python'
      ? is(tokens[at + 1], '[') &&
        tokens[at + 2]?.text === String(first) &&
        is(tokens[at + 3], ':') &&
        is(tokens[at + 4], ']')
      : tokens[at + 2]?.text === 'slice' && tokens[at + 4]?.text === String(first) && is(tokens[at + 5], ')');
  if (language === 'javascript' && is(tokens[start - 1], '=') && is(tokens[start - 2], ']')) {
    return destructured(tokens, start - 2, isSlice ? 0 : first);
  }
  if (!isSlice) return 'computed';
  const after = tokens[at + (language === 'python' ? 5 : 6)];
  return is(after, '.') || is(after, '[') ? 'computed' : isPlainList(tokens, start) ? 'all' : 'computed';
}

/** Whether the list is only iterated: a script that mentions flags parses the list itself. */
function isPlainList(tokens: readonly Token[], start: number): boolean {
  const looksForFlags = tokens.some(({ kind, text }) => kind === 'text' && /^--?[a-z][\w-]*=?$/i.test(text));
  return !looksForFlags && start > 0;
}

function assignedName(tokens: readonly Token[], start: number): string | undefined {
  return is(tokens[start - 1], '=') && tokens[start - 2]?.kind === 'name' ? tokens[start - 2]?.text : undefined;
}

/** `const [, , file, out] = process.argv`, `const [file] = process.argv.slice(2)`. */
function destructured(tokens: readonly Token[], end: number, skipped: number): Mentioned {
  const found: [number, string | undefined][] = [];
  let start = end;
  while (start > 0 && !is(tokens[start], '[')) start -= 1;
  let place = 1 - skipped;
  for (let at = start + 1; at < end; at += 1) {
    const token = tokens[at];
    if (is(token, ',')) place += 1;
    else if (token?.kind === 'name' && (is(tokens[at + 1], ',') || at + 1 === end)) {
      if (place >= 1) found.push([place, token.text]);
    } else return 'computed';
  }
  return found;
}
