/** A command of a settings file as words, or why it cannot be split. */
export type SplitCommand = { words: string[]; env: Record<string, string> } | { why: string };

/** Unquoted text that only a shell interprets. */
const SHELL: [RegExp, string][] = [
  [/^[|&;]/, 'it joins several commands'],
  [/^[<>]/, 'it redirects'],
  [/^`|^\$\(/, 'it runs a command inside of it'],
  [/^[*?[]/, 'it has a pattern for file names'],
  [/^\n/, 'it has several lines'],
];

/** Variables that Claude Code itself replaces, whether quoted or not. */
const OWN = /^\$\{?(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\b\}?/;

/**
 * Splits at blanks, with quotes, leading `VAR=value`, $CLAUDE_PROJECT_DIR and ${CLAUDE_PLUGIN_ROOT}; no shell
 * runs. Source: docs/hooks.md#importing-them. @param places paths of both variables, relative to the project
 * root.
 */
export function splitCommand(command: string, places: Record<string, string>): SplitCommand {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < command.length; ) {
    const rest = command.slice(at);
    const letter = rest.charAt(0);
    const own = quote === "'" ? null : OWN.exec(rest);
    if (own) {
      const place = places[own[1] as string];
      if (place === undefined) return { why: `nothing says where \${${own[1]}} is` };
      word = `${word ?? ''}${place}`;
      at += own[0].length;
      continue;
    }
    if (quote !== "'" && /^\$[A-Za-z_{@*#?0-9]/.test(rest)) {
      return { why: `a shell must replace ${/^\$\{?\w+\}?/.exec(rest)?.[0] ?? '$'}` };
    }
    if (quote === '"' && /^`|^\$\(/.test(rest)) return { why: 'a shell must run a command inside of it' };
    at += 1;
    if (quote !== '') {
      if (letter === quote) quote = '';
      else if (letter === '\\' && quote === '"' && /["\\$`]/.test(command.charAt(at))) word += command.charAt(at++);
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (letter === '\\') word = `${word ?? ''}${command.charAt(at++)}`;
    else {
      const shell = SHELL.find(([form]) => form.test(rest));
      if (shell) return { why: `it needs a shell: ${shell[1]}` };
      if (letter === '~' && word === undefined) return { why: 'it lies in the home folder; copy it into the project' };
      if (!/\s/.test(letter)) word = `${word ?? ''}${letter}`;
      else if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    }
  }
  if (quote !== '') return { why: 'a quote is not closed' };
  if (word !== undefined) words.push(word);
  return withVariables(words);
}

function withVariables(words: string[]): SplitCommand {
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < words.length; first += 1) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(words[first] ?? '') ?? [];
    if (name === undefined) break;
    env[name] = value ?? '';
  }
  return { words: words.slice(first), env };
}
