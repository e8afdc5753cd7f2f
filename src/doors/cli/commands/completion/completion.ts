import { readdirSync } from 'node:fs';
import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { CODES } from '../../../../contracts/codes.js';
import { LINT_CODES } from '../../../../contracts/lint-codes.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { loadedComposites } from '../../../../definitions/find-ability.js';
import { findStated } from '../../../../planning/schedules/stated-schedules.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { openTokens } from '../../input/read-token.js';
import { type Context, openRegistry, printAnswer } from '../../program/context.js';
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

interface Candidate {
  value: string;
  description?: string;
}

type NameKind = 'ability' | 'environment' | 'task' | 'code' | 'schedule' | 'token';

/** What may come next: candidates, project names to look up, or a file. */
type Expected = { candidates: Candidate[] } | { names: NameKind } | { files: true };

/** The position in a command line before the word being typed. */
interface Place {
  command: Command;
  taken: number;
  option: Option | undefined;
}

/**
 * @param words what follows the program's name; the last one is being typed, and may be empty.
 * @returns what may come next, `prefix`, the part of it that is typed, and `before`, to put in front of each.
 */
export function findExpected(
  program: Command,
  words: readonly string[],
): Expected & { prefix: string; before: string } {
  const [typed, attached] = splitAttached(joinAssignments(words));
  const current = typed.at(-1) ?? '';
  const place = placeOf(program, [...typed.slice(0, -1), ...attached]);
  const typedPart = { prefix: current, before: attached.map((name) => `${name}=`).join('') };
  if (place.option) return { ...valuesOf(place.option), ...typedPart };
  if (current.startsWith('-')) return { candidates: optionsOf(place.command), ...typedPart };
  return { ...argumentsOf(place), ...typedPart };
}

/** Bash splits at `=`; treats the option before it as if a blank followed. */
function joinAssignments(words: readonly string[]): string[] {
  if (words.at(-1) === '=') return [...words.slice(0, -1), ''];
  return words.filter((word) => word !== '=');
}

/** Splits `--env=de` into the option and the typed part of its value. */
function splitAttached(words: readonly string[]): [typed: string[], attached: string[]] {
  const [, name, value] = /^(--[a-z-]+)=(.*)$/s.exec(words.at(-1) ?? '') ?? [];
  if (name === undefined || value === undefined) return [[...words], []];
  return [[...words.slice(0, -1), value], [name]];
}

function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, taken: 0, option: undefined };
  for (const word of words) {
    if (place.option) {
      place.option = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = place.command.options.find(({ long, short }) => word === long || word === short);
      if (option?.required) place.option = option;
      continue;
    }
    const inner = place.taken === 0 ? place.command.commands.find((command) => command.name() === word) : undefined;
    if (inner) place.command = inner;
    else place.taken += 1;
  }
  return place;
}

function optionsOf(command: Command): Candidate[] {
  const shown = command.options.filter(({ hidden, long }) => !hidden && long);
  return [
    ...shown.map(({ long, description }) => ({ value: long ?? '', description })),
    { value: '--help', description: 'display help for command' },
  ];
}

const NAMED_OPTIONS: Record<string, NameKind> = {
  ...{ '--env': 'environment', '--environments': 'environment' },
  ...{ '--expose': 'ability', '--abilities': 'ability' },
};
const FILE_OPTIONS = new Set('--project --junit --force --input --out --scope --skill --tls-cert --tls-key'.split(' '));

function valuesOf({ long = '', argChoices, flags }: Option): Expected {
  if (argChoices) return { candidates: argChoices.map((value) => ({ value })) };
  const names = NAMED_OPTIONS[long ?? ''];
  if (names) return { names };
  // `--from` takes a file, except in `retry`, where it names a step.
  return FILE_OPTIONS.has(long ?? '') || flags === '--from <file>' ? { files: true } : { candidates: [] };
}

function argumentsOf({ command, taken }: Place): Expected {
  if (command.commands.length > 0 && taken === 0) {
    const inner = command.commands.map((one) => ({ value: one.name(), description: one.description() }));
    return { candidates: inner };
  }
  const declared = command.registeredArguments;
  const argument = declared[taken] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  if (!argument) return { candidates: [] };
  if (argument.argChoices) return { candidates: argument.argChoices.map((value) => ({ value })) };
  const group = command.parent?.name() ?? '';
  const name = argument.name();
  if (FILE_ARGUMENTS.has(name)) return { files: true };
  const names = NAMED_ARGUMENTS[`${group} ${name}`] ?? (group === 'scaffold' ? undefined : NAMED_ARGUMENTS[name]);
  return names ? { names } : { candidates: [] };
}

const FILE_ARGUMENTS = new Set(['what', 'dir', 'paths', 'files', 'source']);

/** By argument, where its group decides with that; a scaffold names what is not there yet. */
const NAMED_ARGUMENTS: Record<string, NameKind> = {
  id: 'ability',
  key: 'task',
  code: 'code',
  'token id': 'token',
  'schedule name': 'schedule',
};
