import type { ShellItem } from './shell/shell-script.js';

const MOST_COMMANDS = 2000;
const MOST_WORDS = 10_000;
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
    if (this.commands > MOST_COMMANDS) throw tooMany(MOST_COMMANDS, 'commands');
    if (this.words > MOST_WORDS) throw tooMany(MOST_WORDS, 'words');
  }
}

function tooMany(most: number, what: string): Error {
  return new Error(`the text for the shell has more than ${most} ${what}; split it`);
}
