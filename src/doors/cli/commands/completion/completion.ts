import { readdirSync } from 'node:fs';
import { CODES } from '../../../../contracts/codes.js';
import { LINT_CODES } from '../../../../contracts/lint-codes.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { loadedComposites } from '../../../../definitions/find-ability.js';
import { findStated } from '../../../../planning/schedules/stated-schedules.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { openTokens } from '../../input/read-token.js';
import { type Context, openRegistry, printAnswer } from '../../program/context.js';
import { type Candidate, findExpected, type NameKind } from './find-candidates.js';
import { FILES, SCRIPTS, type Shell } from './scripts.js';

/**
 * `ability completion SHELL` prints the script of a shell; with words after `--`, as that script calls it, one
 * candidate a line. Reads only files, and reports no errors, which would land in the line being typed.
 */
export async function run(context: Context, [shell, words]: [Shell, string[]]): Promise<ExitCode> {
  if (words.length === 0) {
    const script = SCRIPTS[shell].trimEnd();
    printAnswer(context, { shell, script }, () => script);
    return EXIT.ok;
  }
  const lines = await completionsOf(context, shell, words);
  if (lines.length > 0) context.terminal.print(lines.join('\n'));
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

async function namesOrNone(kind: NameKind, words: readonly string[], context: Context): Promise<Candidate[]> {
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

/** More candidates would not help to complete a key. */
const MAX_TASKS = 50;

/** Project names of one kind, read from files only. */
async function lookUpNames(kind: NameKind, context: Context): Promise<Candidate[]> {
  if (kind === 'code') return [...Object.keys(CODES), ...Object.keys(LINT_CODES)].map((value) => ({ value }));
  if (kind === 'task') {
    const { findProjectRoot } = await import('../../../../definitions/find-project.js');
    return taskKeys(findProjectRoot(context.cwd, context.flags.project));
  }
  const registry = await openRegistry(context);
  if (kind === 'token') {
    return openTokens(registry)
      .list()
      .tokens.map(({ id, person, agent }) => {
        return { value: id, description: agent === undefined ? person : `${agent}, for ${person}` };
      });
  }
  if (kind === 'schedule') {
    // Only those in definitions: querying the server would take too long.
    return [...findStated(registry)].map(({ spec: { id, cron, ability } }) => {
      return { value: id, description: `${cron}, ${ability}` };
    });
  }
  const { operations, project } = registry;
  if (kind === 'environment') return Object.keys(project.environments).map((value) => ({ value }));
  const abilities = [...loadedComposites(registry), ...operations];
  return abilities.map(([id, { value }]) => ({ value: id, description: value.summary }));
}

/** Tasks with a local record, newest generated keys first: querying the server would take too long. */
function taskKeys(root: string): Candidate[] {
  const keys = readdirSync(pathsOf(root).records).filter((name) => /^[A-Za-z0-9]/.test(name));
  return keys
    .sort()
    .reverse()
    .slice(0, MAX_TASKS)
    .map((value) => ({ value }));
}
