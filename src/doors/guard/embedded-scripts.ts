import { resolve } from 'node:path';
import { programOf } from './programs.js';
import { isKnown } from './shell/marks.js';
import { documentsOf, type ShellCommand, type ShellRedirect } from './shell/shell-script.js';

/**
 * The texts among the words of a command that may be commands themselves: what has a blank, or a sign of the shell;
 * where a sign stands alone, all words together.
 */
export function textsForShell([program = '', ...rest]: readonly string[]): string[] {
  const texts = rest
    .map((word) => word.replace(/^--?[\w-]+=/, '').replace(/^-S/, ''))
    .filter((word) => /[\s;&|<>$`]/.test(word));
  const isSplit =
    program === 'eval' ||
    (!/^(find|fdfind|fd)$/.test(programOf(program)) && rest.some((word) => /^[;&|<>]+$/.test(word)));
  return isSplit ? [...texts, rest.join(' ')] : texts;
}

/** Text that a command prints and a later shell may run. */
export function textsPrinted({ words, redirects }: Pick<ShellCommand, 'words' | 'redirects'>): string[] {
  if (!/^(echo|printf|cat|tee)$/.test(words[0] ?? '')) return [];
  return [words.slice(1).join(' ').replaceAll('\\n', '\n'), ...documentsOf(redirects)];
}

/** @param redirects of the decoding command. */
export function decodedIn(commands: readonly (readonly string[])[], redirects: readonly ShellRedirect[]): string[] {
  const decodes = commands.some((words) => {
    const program = programOf(words[0] ?? '');
    const isNamed = /^g?base64$/.test(program) && words.some((word) => /^(-d|-D|-di|--decode)$/.test(word));
    return isNamed || (program === 'openssl' && words.includes('-d') && words.some((word) => /base64|-a/.test(word)));
  });
  if (!decodes) return [];
  return [...commands.flatMap((words) => words.slice(1)), ...documentsOf(redirects)].flatMap(decode);
}

function decode(text: string): string[] {
  const plain = text.replace(/\\n|\s/g, '');
  if (plain.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return [];
  const decoded = Buffer.from(plain, 'base64').toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is no text is no command.
  return /[\u0000-\u0008\uFFFD]/.test(decoded) ? [] : [decoded];
}

export class WrittenTexts {
  private readonly files = new Map<string, string>();

  keep(path: string, folders: readonly string[], text: string): void {
    if (!isKnown(path)) return;
    const file = resolve(folders[0] ?? '/', path);
    this.files.set(file, `${this.files.get(file) ?? ''}\n${text}`);
  }

  /** The text of the file that a word names; returns each text once. */
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

/** Whether a command prints only text from its own command line. */
export function isTextOnly(words: readonly string[]): boolean {
  return /^(echo|printf)$/.test(words[0] ?? '') || (words[0] === 'cat' && words.length === 1);
}

/** The known output of a command and of those before it in the pipe: words, and here-documents. */
export function printedBy(
  words: readonly string[],
  targets: readonly ShellRedirect[],
  pipe: readonly ShellCommand[],
): string[] {
  const before = pipe.flatMap((each) => (isTextOnly(each.words) ? [each.words.slice(1).join(' ')] : []));
  const own = isTextOnly(words) ? [words.slice(1).join(' ').replaceAll('\\n', '\n')] : [];
  return [...own, ...documentsOf(targets), ...before];
}
