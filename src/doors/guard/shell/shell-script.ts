/** One simple command of a shell: what it is called with, where its output goes. Texts hold marks of `marks.ts`. */
export interface ShellCommand {
  kind: 'command';
  words: string[];
  /** `NAME=value` before the words. */
  assignments: { name: string; value: string }[];
  redirects: ShellRedirect[];
  /** Commands of the same number are joined by pipes. */
  pipeline: number;
  /** Its output becomes a part of another command. */
  substituted: boolean;
}

/** One redirect. */
export interface ShellRedirect {
  /** As written, without the number before it: `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>`, `>|`, `<>`. */
  operator: string;
  /** A file, a descriptor, the text of `<<<`, or the body of a here-document. */
  target: string;
}

/** What a shell would go through, in order; a folder that a subshell goes to is left at its end. */
export type ShellItem = ShellCommand | { kind: 'open' } | { kind: 'close' };

/** A text as a shell reads it. */
export interface ShellScript {
  items: ShellItem[];
  /** Why the text could not be read to its end; undefined: all of it was read. */
  fault?: string;
}
