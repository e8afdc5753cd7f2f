import { dirname, join } from 'node:path/posix';
import type { ScriptFile } from '../script-files.js';
import type { Language } from './import-site.js';
import { withoutComments } from './javascript.js';
import { shellLines } from './shell.js';

export interface OwnPlace {
  /** From 1. */
  line: number;
  /** The file or folder it refers to, relative to the project root; undefined if only known at run time. */
  reaches: string | undefined;
}

/** Finds where a script uses its own location: `$0`, `__dirname`, `import.meta.url`, `__file__`. */
export function ownPlaces(file: ScriptFile, language: Language, main: ScriptFile): OwnPlace[] {
  const text = file.bytes?.toString('utf8') ?? '';
  switch (language) {
    case 'javascript':
      return readPlaces(withoutComments(text), JAVASCRIPT, dirname(file.real));
    case 'python':
      return readPlaces(text.replaceAll(/(^|\s)#.*$/gm, '$1'), PYTHON, dirname(file.real));
    case 'shell':
      return shellPlaces(text, dirname(main.path), dirname(file.path));
  }
}

/** How a language expresses the folder of a file, and files in it. */
interface Idioms {
  /** Patterns for the file and its folder with their replacements, applied in order. */
  forms: readonly Form[];
  /** An assignment of the folder to a variable; groups: the variable, the folder. */
  alias: RegExp;
  /** Uses of its own location that refer to no file. */
  harmless: RegExp;
}

/** Joins the quoted texts with `/`. */
const quoted = (text: string): string =>
  [...text.matchAll(/(['"`])((?:(?!\1)[^\n])*)\1/g)].map(([, , part]) => part).join('/');
const reached = (folder: string, path: string): string => `@at(${join(folder.slice(4), path)})`;

type Form = readonly [RegExp, string | ((...groups: string[]) => string)];

/** @param pattern whose groups are a folder and the quoted parts of a path in it. */
function inFolder(pattern: string): Form {
  return [new RegExp(pattern, 'g'), (_, folder = '', rest = '') => reached(folder, quoted(rest))];
}

/** @param pattern whose group is a quoted path, relative to the folder of the file. */
function besideFile(pattern: string): Form {
  return [new RegExp(pattern, 'g'), (_, path = '') => reached('@dir', quoted(path))];
}

const LITERAL = String.raw`(?:'[^'\n]*'|"[^"\n]*"|\x60[^\x60$\n]*\x60)`;
const DIR = String.raw`(@dir[\w./]*)`;

const JAVASCRIPT: Idioms = {
  forms: [
    [/(?:\w+\.)?createRequire\(\s*(?:import\.meta\.(?:url|filename)|__filename)\s*\)/g, ''],
    [/(?:\w+\.)?fileURLToPath\(\s*import\.meta\.url\s*\)|import\.meta\.filename|\b__filename\b/g, '@file'],
    [/(?:\w+\.)?dirname\(\s*@file\s*\)|import\.meta\.dirname|\b__dirname\b/g, '@dir'],
    besideFile(String.raw`new URL\(\s*(${LITERAL})\s*,\s*import\.meta\.url\s*\)`),
    inFolder(String.raw`(?:\w+\.)?(?:join|resolve)\(\s*${DIR}((?:\s*,\s*${LITERAL})+)\s*,?\s*\)`),
    [
      new RegExp(String.raw`\x60\$\{${DIR}\}([^\x60$\n]*)\x60`, 'g'),
      (_, folder = '', rest = '') => reached(folder, rest),
    ],
    inFolder(String.raw`${DIR}\s*\+\s*(${LITERAL})`),
  ],
  alias: /\b(?:const|let|var)\s+(\w+|@dir|@file)\s*=\s*(@dir|@file)\s*(?:;|$)/gm,
  // Tests whether the file is the main program.
  harmless: /process\.argv\[1\]|require\.main|import\.meta\.main/,
};

const PYTHON: Idioms = {
  forms: [
    [/(?:os\.)?path\.(?:abspath|realpath)\(\s*__file__\s*\)/g, '__file__'],
    [/(?:pathlib\.)?Path\(\s*__file__\s*\)(?:\.(?:resolve|absolute)\(\))?/g, '@file'],
    [/(?:os\.)?path\.dirname\(\s*__file__\s*\)|@file\.parents\[0\]|@file\.parent\b/g, '@dir'],
    [/(?:os\.)?path\.dirname\(\s*@dir\s*\)|@dir\.parent\b|@file\.parents\[1\]/g, '@dir/..'],
    inFolder(String.raw`(?:os\.)?path\.join\(\s*${DIR}((?:\s*,\s*${LITERAL})+)\s*,?\s*\)`),
    inFolder(String.raw`${DIR}((?:\s*/\s*${LITERAL})+)`),
    besideFile(String.raw`@file\.with_name\(\s*(${LITERAL})\s*\)`),
    [
      new RegExp(String.raw`\bf(['"])\{${DIR}\}([^'"{\n]*)\1`, 'g'),
      (_, __, folder = '', rest = '') => reached(folder, rest),
    ],
  ],
  alias: /^\s*(\w+)\s*=\s*(?:str\()?(@dir[/.]*|@file)\)?\s*$/gm,
  harmless: /\bsys\.path\.(?:insert\(\s*\d+\s*,|append\()\s*(?:str\()?@dir\)?\s*\)/,
};

function readPlaces(text: string, { forms, alias, harmless }: Idioms, folder: string): OwnPlace[] {
  let code = reduced(text, forms);
  for (const [, name = '', place = ''] of code.matchAll(alias)) {
    if (/^\w/.test(name)) code = code.replaceAll(new RegExp(String.raw`(?<![\w.])${name}\b(?!\s*=[^=])`, 'g'), place);
  }
  code = reduced(code, forms)
    .replaceAll(alias, blank)
    .replaceAll(/^\s*\w+\s*=\s*@(?:dir[/.]*|file)\s*$/gm, blank);
  return code.split('\n').flatMap((line, index): OwnPlace[] => {
    if (harmless.test(line)) return [];
    const reaching = [...line.matchAll(/@at\(([^)\n]*)\)/g)].map(([, path = '']) => path);
    if (reaching.length > 0) return reaching.map((path) => ({ line: index + 1, reaches: tidy(join(folder, path)) }));
    return /@dir|@file|import\.meta\.(?:url|dirname)|\b__file__\b/.test(line)
      ? [{ line: index + 1, reaches: undefined }]
      : [];
  });
}

/** Applies the replacements; keeps line breaks, so that line numbers stay correct. */
function reduced(text: string, forms: Idioms['forms']): string {
  return forms.reduce(
    (code, [pattern, put]) =>
      code.replaceAll(pattern, (...found: string[]) => {
        const lines = found[0]?.match(/\n/g)?.join('') ?? '';
        return (typeof put === 'string' ? put : put(...found)) + lines;
      }),
    text,
  );
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, '');
}

function tidy(path: string): string {
  return path === '.' ? '' : path.replace(/\/$/, '');
}

function shellPlaces(text: string, main: string, own: string): OwnPlace[] {
  const folders: Record<string, string> = { main, file: own };
  return shellLines(text).flatMap(({ line, text: code, isAlias }) => {
    if (isAlias) return [];
    return [...code.matchAll(/@(main|file)@([^\s;&|<>()]*)/g)].map(([, base = 'main', rest = '']): OwnPlace => {
      const isKnown = /^\/[^$`*?[]+$/.test(rest);
      return { line, reaches: isKnown ? tidy(join(folders[base] ?? '', rest)) : undefined };
    });
  });
}
