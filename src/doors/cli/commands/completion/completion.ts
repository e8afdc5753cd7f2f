import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { oneLine } from '../../../../rules/shown-text.js';
import type { Context } from '../../program/context.js';
import { type Candidate, findExpected } from './find-candidates.js';
import { lookUpNames } from './look-up-names.js';
import { FILES, SCRIPTS, type Shell } from './scripts.js';

/**
 * `ability completion SHELL` prints the script of a shell; with words after `--`, as that script calls it, one
 * candidate a line. Reads only files, and reports no errors, which would land in the line being typed.
 */
export async function run(context: Context, [shell, words]: [Shell, string[]]): Promise<ExitCode> {
  const { terminal, flags } = context;
  if (words.length === 0) {
    const script = SCRIPTS[shell].trimEnd();
    terminal.print(flags.json ? JSON.stringify({ shell, script }, null, 2) : script);
    return EXIT.ok;
  }
  const lines = await completionsOf(context, shell, words);
  if (lines.length > 0) terminal.print(lines.join('\n'));
  return EXIT.ok;
}

async function completionsOf(context: Context, shell: Shell, words: string[]): Promise<string[]> {
  const { buildProgram } = await import('../../program/program.js');
  const program = buildProgram(context, { exit: EXIT.ok });
  const expected = findExpected(program, words);
  if ('files' in expected) return [FILES];
  const { prefix, before } = expected;
  const all = 'names' in expected ? await namesOrNone(expected.names, words, context) : expected.candidates;
  return all.filter(({ value }) => value.startsWith(prefix)).map((candidate) => lineOf(candidate, before, shell));
}

async function namesOrNone(
  kind: Parameters<typeof lookUpNames>[0],
  words: readonly string[],
  context: Context,
): Promise<Candidate[]> {
  const at = words.indexOf('--project');
  const project = at >= 0 ? words[at + 1] : undefined;
  try {
    return await lookUpNames(kind, { ...context, flags: { ...context.flags, ...(project && { project }) } });
  } catch {
    // A missing or broken project: the command itself reports it.
    return [];
  }
}

function lineOf({ value, description }: Candidate, before: string, shell: Shell): string {
  const text = before + value;
  if (shell === 'bash' || description === undefined) return shell === 'zsh' ? text.replaceAll(':', '\\:') : text;
  const words = oneLine(description);
  return shell === 'fish' ? `${text}\t${words}` : `${text.replaceAll(':', '\\:')}:${words}`;
}
