import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';

/** Something that may be typed next. */
export interface Candidate {
  value: string;
  /** Shown beside it by shells that can. */
  description?: string;
}

/** What names of a project may be typed where. */
export type NameKind = 'ability' | 'environment' | 'task' | 'code' | 'schedule' | 'token';

/** What may come next: candidates, or names that somebody has to look up, or a file. */
export type Expected = { candidates: Candidate[] } | { names: NameKind } | { files: true };

/** Where a command line stands before the word that is being typed. */
interface Place {
  command: Command;
  /** How many arguments of the command are there already. */
  taken: number;
  /** The option whose value is being typed. */
  option: Option | undefined;
}

/**
 * What may come next on a command line.
 *
 * @param words what follows the name of the program; the last one is being typed, and may be empty.
 * @returns what begins with the last word, and what to put before each.
 */
export function findExpected(
  program: Command,
  words: readonly string[],
): Expected & { prefix: string; before: string } {
  const [typed, attached] = splitAttached(joinAssignments(words));
  const current = typed.at(-1) ?? '';
  const place = placeOf(program, [...typed.slice(0, -1), ...attached]);
  const before = attached.map((name) => `${name}=`).join('');
  if (place.option) return { ...valuesOf(place.option), prefix: current, before };
  if (current.startsWith('-')) return { candidates: optionsOf(place.command), prefix: current, before };
  return { ...argumentsOf(place), prefix: current, before };
}

/** Bash splits at `=`; the option before it then stands as if a blank came between. */
function joinAssignments(words: readonly string[]): string[] {
  if (words.at(-1) === '=') return [...words.slice(0, -1), ''];
  return words.filter((word) => word !== '=');
}

/** `--env=de` in one word: the option, and what is typed of its value. */
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

/** Options whose values are names of the project, or files. */
const NAMED_OPTIONS: Record<string, NameKind> = { '--env': 'environment', '--expose': 'ability' };
const FILE_OPTIONS = new Set([
  '--project',
  '--junit',
  '--force',
  '--input',
  '--out',
  '--scope',
  '--skill',
  '--tls-cert',
  '--tls-key',
]);

function valuesOf({ long = '', argChoices, flags }: Option): Expected {
  if (argChoices) return { candidates: argChoices.map((value) => ({ value })) };
  const names = NAMED_OPTIONS[long ?? ''];
  if (names) return { names };
  // `--from` of a retry names a step.
  return FILE_OPTIONS.has(long ?? '') || flags === '--from <file>' ? { files: true } : { candidates: [] };
}

/** What the arguments of commands name; one that a scaffold is to make has no name yet. */
function argumentsOf({ command, taken }: Place): Expected {
  if (command.commands.length > 0 && taken === 0) {
    const inner = command.commands.map((one) => ({ value: one.name(), description: one.description() }));
    return { candidates: inner };
  }
  const declared = command.registeredArguments;
  const argument = declared[taken] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  if (!argument) return { candidates: [] };
  if (argument.argChoices) return { candidates: argument.argChoices.map((value) => ({ value })) };
  const group = command.parent?.name();
  const isNew = group === 'scaffold';
  switch (argument.name()) {
    case 'id':
      if (group === 'token') return { names: 'token' };
      return isNew ? { candidates: [] } : { names: 'ability' };
    case 'key':
      return isNew ? { candidates: [] } : { names: 'task' };
    case 'code':
      return { names: 'code' };
    case 'name':
      return group === 'schedule' ? { names: 'schedule' } : { candidates: [] };
    case 'what':
    case 'dir':
    case 'paths':
    case 'files':
    case 'source':
      return { files: true };
    default:
      return { candidates: [] };
  }
}
