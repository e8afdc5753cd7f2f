import { resolve } from 'node:path';
import { isKnown } from './shell/marks.js';
import type { ShellCommand } from './shell/shell-script.js';

/** Texts that a shell has written to files, which a later command of it may run. */
export class WrittenTexts {
  private readonly files = new Map<string, string>();

  keep(path: string, folders: readonly string[], text: string): void {
    if (!isKnown(path)) return;
    const file = resolve(folders[0] ?? '/', path);
    this.files.set(file, `${this.files.get(file) ?? ''}\n${text}`);
  }

  /** The text of a file that a word names; each text once. */
  at(word: string, folders: readonly string[]): string[] {
    if (this.files.size === 0 || !isKnown(word)) return [];
    return folders.flatMap((folder) => {
      const file = resolve(folder, word);
      const text = this.files.get(file);
      this.files.delete(file);
      return text ?? [];
    });
  }
}

/** Whether all that a command prints is text that its own command line has. */
export function isTextOnly(words: readonly string[]): boolean {
  return /^(echo|printf)$/.test(words[0] ?? '') || (words[0] === 'cat' && words.length === 1);
}

/** What a command prints of its own: words, and here-documents. */
export function printedBy(
  words: readonly string[],
  targets: readonly { operator: string; target: string }[],
  pipe: readonly ShellCommand[],
): string[] {
  const documents = targets.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
  const before = pipe.flatMap((each) => (isTextOnly(each.words) ? [each.words.slice(1).join(' ')] : []));
  const own = isTextOnly(words) ? [words.slice(1).join(' ').replaceAll('\\n', '\n')] : [];
  return [...own, ...documents, ...before];
}
