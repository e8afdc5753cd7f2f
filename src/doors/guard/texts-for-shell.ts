import { programOf, runsShell } from './programs.js';
import type { ShellCommand } from './shell/shell-script.js';

/** The texts among the words of a command that a shell would run. */
export function textsForShell(words: readonly string[]): string[] {
  const found: string[] = [];
  const at = words.findIndex((word) => runsShell([word]));
  if (at >= 0) {
    const rest = words.slice(at + 1);
    found.push(...rest.filter((word) => /\s|[;&|<>$`]/.test(word)));
    if (/^(eval|ssh|su|watch|parallel|xargs)$/.test(programOf(words[at] ?? ''))) {
      found.push(rest.filter((word) => !word.startsWith('-')).join(' '));
    }
  }
  for (const [index, word] of words.entries()) {
    if (/^(-c|-\w{1,3}c|--command|-S|--split-string)$/.test(words[index - 1] ?? '')) found.push(word);
    const joined = /^(?:-S|--split-string=|--command=)([\s\S]+)/.exec(word)?.[1];
    if (joined !== undefined) found.push(joined);
  }
  return found;
}

/** What a command before a shell prints, which the shell runs where it is read as that. */
export function textsPrinted({ words, redirects }: Pick<ShellCommand, 'words' | 'redirects'>): string[] {
  if (!/^(echo|printf|cat|tee)$/.test(words[0] ?? '')) return [];
  const documents = redirects.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
  return [words.slice(1).join(' ').replaceAll('\\n', '\n'), ...documents];
}
