import { MARK } from './marks.js';
import type { ShellCommand } from './shell-script.js';

/** The output of the simplest commands; undefined if only the shell knows it. */
export function outputOf({ words, redirects }: ShellCommand): string | undefined {
  const [program, ...rest] = words;
  const [document, ...others] = redirects;
  if (words.length === 1 && program === 'cat' && document?.operator === '<<' && others.length === 0)
    return document.target;
  if (redirects.length > 0) return undefined;
  if (/^mktemp( -[dqu]+)*$/.test(words.join(' '))) return '/tmp/tmp.XXXXXXXXXX';
  if (program === 'pwd') return `${MARK.whole}PWD${MARK.end}`;
  if (words.join(' ') === 'git rev-parse --show-toplevel') return `${MARK.whole}PROJECT_ROOT${MARK.end}`;
  if (program === 'echo' && !rest[0]?.startsWith('-')) return rest.join(' ');
  if (program === 'printf' && rest.length === 1 && !/[%\\]/.test(rest[0] ?? '')) return rest[0];
  return program === 'printf' && rest[0] === '%s' ? rest.slice(1).join('') : undefined;
}
