/** A simple shell command. Texts contain the marks of `marks.ts`. */
export interface ShellCommand {
  kind: 'command';
  words: string[];
  /** `NAME=value` before the words. */
  assignments: { name: string; value: string }[];
  redirects: ShellRedirect[];
  /** Commands with the same number are joined by pipes. */
  pipeline: number;
  /** Its output becomes a part of another command. */
  substituted: boolean;
}

export interface ShellRedirect {
  /** As written, without the number before it: `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>`, `>|`, `<>`. */
  operator: string;
  /** A file, a descriptor, the text of `<<<`, or the body of a here-document. */
  target: string;
}

export function documentsOf(redirects: readonly ShellRedirect[]): string[] {
  return redirects.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
}

/** What a shell executes, in order; at the end of a subshell, the folder it entered is left. */
export type ShellItem = ShellCommand | { kind: 'open' } | { kind: 'close' };

export interface ShellScript {
  items: ShellItem[];
  /** Why the text could not be read to its end; undefined: all of it was read. */
  fault?: string;
}

const MAX_COMMANDS = 2000;
const MAX_WORDS = 10_000;
const MAX_IN_PIPE = 100;

/** Limits what one call may give to judge: some tools let a call pass if their guard takes too long. */
export class ShellExtent {
  private commands = 0;
  private words = 0;

  /** Counts commands, including those in texts passed to other shells. @throws Error above a limit. */
  add(items: readonly ShellItem[]): void {
    const inPipe = new Map<number, number>();
    for (const item of items) {
      if (item.kind !== 'command') continue;
      this.commands++;
      this.words += item.words.length;
      const length = (inPipe.get(item.pipeline) ?? 0) + 1;
      inPipe.set(item.pipeline, length);
      if (length > MAX_IN_PIPE) throw tooMany(MAX_IN_PIPE, 'commands in one pipe');
    }
    if (this.commands > MAX_COMMANDS) throw tooMany(MAX_COMMANDS, 'commands');
    if (this.words > MAX_WORDS) throw tooMany(MAX_WORDS, 'words');
  }
}

function tooMany(max: number, what: string): Error {
  return new Error(`the text for the shell has more than ${max} ${what}; split it`);
}
