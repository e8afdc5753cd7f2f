import { formatLocation, type Problem } from '../../../contracts/problem.js';
import { oneLine } from '../../../rules/shown-text.js';
import { asTyped, type Typist } from '../../../shown/typed-command.js';
import { plainText } from './plain-text.js';
import type { Style, Terminal } from './terminal/terminal.js';

/** No text can imitate its lines. @param label blank below a line that already reports the failure. */
export function describeProblem(
  problem: Problem,
  style: Style = (_, text) => text,
  label = style('red', 'error'),
): string {
  const { code, message, location, suggestion } = problem;
  return [
    `${label} ${style('dim', code)} ${plainText(message)}`,
    ...(location ? [`  at ${oneLine(formatLocation(location))}`] : []),
    ...(suggestion ? [`  ${plainText(suggestion)}`] : []),
  ].join('\n');
}

/** Rewrites the commands in a suggestion as the user types them. */
export function typedBy(typist: Typist, problem: Problem): Problem {
  const { suggestion } = problem;
  return suggestion === undefined ? problem : { ...problem, suggestion: asTyped(suggestion, typist) };
}

export function noteWarnings(
  { terminal }: { terminal: Pick<Terminal, 'note' | 'style'> },
  { warnings }: { warnings: readonly string[] },
): void {
  for (const warning of warnings) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(warning, '  ')}`);
}
