import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';

export interface Candidate {
  value: string;
  description?: string;
}

export type NameKind = 'ability' | 'environment' | 'task' | 'code' | 'schedule' | 'token';

/** What may come next: candidates, project names to look up, or a file. */
export type Expected = { candidates: Candidate[] } | { names: NameKind } | { files: true };

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
