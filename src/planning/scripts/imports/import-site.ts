import { basename, extname } from 'node:path';
import type { ScriptFile } from '../script-files.js';

export type Wanted =
  /** A JavaScript module: `./lib.mjs`, `#lib`, `pg`. */
  | { kind: 'module'; specifier: string; by: 'import' | 'require' }
  /** A Python module; `level` counts the leading dots, `names` may be submodules. */
  | { kind: 'python'; level: number; module: string; names: string[] }
  | { kind: 'sourced'; base: ShellBase; path: string }
  /** Only known at run time. */
  | { kind: 'computed' };

/** The base of a path: folder of the main script, of the current file, project root, or pinned copy. */
export type ShellBase = 'main' | 'file' | 'root' | 'pinned';

export interface ImportSite {
  /** From 1. */
  line: number;
  /** The source text, for messages. */
  text: string;
  wanted: Wanted;
}

/** Returns the line of an offset; ascending queries cost one pass in total. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    return line;
  };
}

export type Language = 'javascript' | 'python' | 'shell';

const BY_EXTENSION: Record<string, Language> = {
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.ts': 'javascript',
  '.mts': 'javascript',
  '.cts': 'javascript',
  '.tsx': 'javascript',
  '.py': 'python',
  '.sh': 'shell',
  '.bash': 'shell',
  '.zsh': 'shell',
  '.ksh': 'shell',
};

const BY_PROGRAM: [RegExp, Language][] = [
  [/^(node|nodejs|deno|bun|tsx|ts-node)[\d.]*$/, 'javascript'],
  [/^(python|pypy)[\d.]*$/, 'python'],
  [/^(sh|bash|dash|ash|ksh|mksh|zsh)$/, 'shell'],
];

/** The language of the interpreter, else of the first line, else of the extension. */
export function languageOf(file: ScriptFile, interpreter: readonly string[]): Language | undefined {
  const words = interpreter.length > 0 ? interpreter : wordsOf(file);
  return languageOfProgram(words) ?? languageOfName(file.path);
}

export function languageOfName(path: string): Language | undefined {
  return BY_EXTENSION[extname(path)];
}

function languageOfProgram(words: readonly string[]): Language | undefined {
  for (const word of words) {
    const found = BY_PROGRAM.find(([pattern]) => pattern.test(basename(word)));
    if (found) return found[1];
  }
  return undefined;
}

function wordsOf({ start }: ScriptFile): string[] {
  return start && 'words' in start ? start.words.flatMap((word) => word.split(/\s+/)) : [];
}
