/** A reference from a script to another file. */
export type Wanted =
  /** A module of JavaScript: `./lib.mjs`, `#lib`, `pg`. */
  | { kind: 'module'; specifier: string; by: 'import' | 'require' }
  /** A module of Python; `level` counts the leading dots, `names` may be modules themselves. */
  | { kind: 'python'; level: number; module: string; names: string[] }
  /** A file that a shell reads, from the folder of the script, of the file, or of the project, or of the copy. */
  | { kind: 'sourced'; base: ShellBase; path: string }
  /** Something that only running the script decides. */
  | { kind: 'computed' };

/** Where a path in a shell script begins. */
export type ShellBase = 'main' | 'file' | 'root' | 'pinned';

/** A place in a script where it names another file. */
export interface ImportSite {
  /** Line, from 1. */
  line: number;
  /** As it is written, for messages. */
  text: string;
  wanted: Wanted;
}

/** Line numbers of a text, by offset; ascending queries cost one pass in total. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    return line;
  };
}
