/** One simple command of a shell: its words, and where its output goes. Texts hold marks of `marks.ts`. */
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

/** The texts of the here-documents and here-strings among redirects. */
export function documentsOf(redirects: readonly ShellRedirect[]): string[] {
  return redirects.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
}

/** What a shell would go through, in order; a folder that a subshell enters is left at its end. */
export type ShellItem = ShellCommand | { kind: 'open' } | { kind: 'close' };

/** A text as a shell reads it. */
export interface ShellScript {
  items: ShellItem[];
  /** Why the text could not be read to its end; undefined: all of it was read. */
  fault?: string;
}

const MAX_COMMANDS = 2000;
const MAX_WORDS = 10_000;
const MOST_IN_PIPE = 100;

/**
 * How much one call of an agent gives to judge. More than any command that people or agents write is refused unread: some
 * tools let pass what their guard takes too long for.
 */
export class ShellExtent {
  private commands = 0;
  private words = 0;

  /** Counts the commands of a text, those in the texts that it hands to other shells included. @throws Error past a limit. */
  add(items: readonly ShellItem[]): void {
    const inPipe = new Map<number, number>();
    for (const item of items) {
      if (item.kind !== 'command') continue;
      this.commands++;
      this.words += item.words.length;
      const length = (inPipe.get(item.pipeline) ?? 0) + 1;
      inPipe.set(item.pipeline, length);
      if (length > MOST_IN_PIPE) throw tooMany(MOST_IN_PIPE, 'commands in one pipe');
    }
    if (this.commands > MAX_COMMANDS) throw tooMany(MAX_COMMANDS, 'commands');
    if (this.words > MAX_WORDS) throw tooMany(MAX_WORDS, 'words');
  }
}

function tooMany(max: number, what: string): Error {
  return new Error(`the text for the shell has more than ${max} ${what}; split it`);
}
