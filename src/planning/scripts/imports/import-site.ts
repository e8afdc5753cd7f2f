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
