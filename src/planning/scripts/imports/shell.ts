import type { ImportSite, ShellBase } from './import-site.js';

/** A line of a shell script in which `@main@`, `@file@`, `@root@` and `@pinned@` stand for known folders. */
export interface ShellLine {
  line: number;
  text: string;
  /** Whether the line only assigns a folder to a variable. */
  isAlias: boolean;
}

const SOURCE = /(?:^|[;&|({!]|\b(?:then|do|else|elif|if|while)\s)\s*(?:\.|source)[ \t]+([^\s;&|<>)]+)/g;

/** Finds files read with `.` or `source`. */
export function shellImports(text: string): ImportSite[] {
  return shellLines(text).flatMap(({ line, text: code }) =>
    [...code.matchAll(SOURCE)].map(([, word = '']) => {
      const [, base = 'root', path = ''] = /^@(main|file|root|pinned)@\/?(.*)$/.exec(word) ?? [
        undefined,
        undefined,
        word,
      ];
      const isComputed = /[$`*?[]/.test(path) || word.startsWith('/dev/');
      return { line, text: word, wanted: isComputed ? { kind: 'computed' } : sourced(base, path) };
    }),
  );
}

function sourced(base: string, path: string): ImportSite['wanted'] {
  return { kind: 'sourced', base: base as ShellBase, path };
}

const SELF = String.raw`(?:\$0|\$\{0\})`;
const BASH = String.raw`(?:\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?\})`;

/** Shell expressions for known folders, without quotes, replaced in this order. */
const PLACES: [RegExp, string][] = [
  [new RegExp(String.raw`\$\((?:realpath|readlink -[fe])(?: --)? (${SELF}|${BASH})\)`, 'g'), '$1'],
  [new RegExp(String.raw`\$\(dirname(?: --)? ${SELF}\)|\$\{0%/\*\}`, 'g'), '@main@'],
  [new RegExp(String.raw`\$\(dirname(?: --)? ${BASH}\)|\$\{BASH_SOURCE(?:\[0\])?%/\*\}`, 'g'), '@file@'],
  [/\$\{?ABILITY_PINNED\}?/g, '@pinned@'],
  [/\$\{?(?:ABILITY_ROOT|PWD)\}?|\$\(pwd\)/g, '@root@'],
  [/\$\(cd (?:-P )?(?:-- )?(@\w+@[^\s)]*)[^)]*&& ?pwd(?: -P)?\)/g, '$1'],
  [/\$\((?:realpath|readlink -[fe])(?: --)? (@\w+@[^\s)]*)\)/g, '$1'],
  [/\$\(dirname(?: --)? (@\w+@)\)/g, '$1/..'],
];

const ASSIGNMENT =
  /^\s*(?:(?:export|readonly|local|declare|typeset)\s+(?:-\w+\s+)?)?([A-Za-z_]\w*)=(@\w+@[^\s;$`]*)\s*;?\s*$/;

/** The lines without comments and quotes, with known folders replaced, also in variables. */
export function shellLines(text: string): ShellLine[] {
  const places = new Map<string, string>();
  return text.split('\n').map((raw, index) => {
    let code = raw.replace(/(^|\s)#.*$/, '').replaceAll(/["']/g, '');
    for (const [pattern, place] of PLACES) code = code.replaceAll(pattern, place);
    code = code.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (all, a?: string, b?: string) => {
      return places.get(a ?? b ?? '') ?? all;
    });
    for (const [pattern, place] of PLACES.slice(-3)) code = code.replaceAll(pattern, place);
    const [, name, place] = ASSIGNMENT.exec(code) ?? [];
    if (name !== undefined && place !== undefined) places.set(name, place);
    return { line: index + 1, text: code, isAlias: name !== undefined };
  });
}
