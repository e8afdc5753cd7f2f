import { compileExpression } from '../../rules/expressions/evaluate.js';

export interface Parameter {
  /** Its name in the input, valid in expressions. */
  name: string;
  /** The flag with its dashes; absent: a positional argument. */
  flag?: string;
  /** Whether it is passed as `--flag=VALUE`, not as two arguments. */
  isJoined?: boolean;
  /** `each`: the flag repeats for each value; `several`: one flag, or no flag, with all values. */
  takes: 'nothing' | 'one' | 'several' | 'each' | 'count';
  type: 'string' | 'integer' | 'number';
  choices?: (string | number)[];
  default?: string | number;
  isRequired: boolean;
  /** Minimum and maximum number of values. */
  items?: { min?: number; max?: number };
  help?: string;
}

export interface Command {
  /** Parameters and command words in the order in which they are passed. */
  parts: (Parameter | string)[];
  /** The command words only; they become part of the ability's id. */
  words: string[];
  summary?: string;
  /** Whether `--` ends the options. */
  knowsEnd: boolean;
}

export type Printed = 'json' | 'csv' | 'text';

export interface Reading {
  commands: Command[];
  summary?: string;
  prints: Printed;
  /** Whether it takes `--input FILE --output FILE`, both with JSON. */
  keepsFiles?: boolean;
  readsStdin?: boolean;
  /** What could not be read, with line numbers: a person has to complete it. */
  todos: string[];
  /** Hints for the author; the script runs without changes. */
  remarks: string[];
}

/** The result of a reader; undefined: the script does not use its library. */
export interface Found {
  commands: Command[];
  summary?: string;
  todos: string[];
}

/** The input field for a flag or a variable: `--dry-run` is `dry_run`, `HOST` is `host`. */
export function inputName(written: string): string {
  const words = written
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const name = /[a-z]/.test(words) || words.length === 1 ? words : words.toLowerCase();
  if (name === '') return 'value';
  const begun = /^\d/.test(name) ? `n${name}` : name;
  return isReadable(begun) ? begun : `${begun}_value`;
}

/** Makes the names of a command's parameters unique. */
export function withOwnNames(command: Command): Command {
  const taken = new Set<string>();
  const parts = command.parts.map((part) => {
    if (typeof part === 'string') return part;
    let name = part.name;
    for (let next = 2; taken.has(name); next += 1) name = `${part.name}_${next}`;
    taken.add(name);
    return { ...part, name };
  });
  return { ...command, parts };
}

export function parametersOf({ parts }: Command): Parameter[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** False for reserved words of CEL, which `input.NAME` cannot contain. */
function isReadable(name: string): boolean {
  try {
    compileExpression(`input.${name}`);
    return true;
  } catch {
    return false;
  }
}

export interface CommandTree {
  words: string[];
  parent?: CommandTree;
  summary?: string;
  parameters: Parameter[];
  commands: CommandTree[];
}

/**
 * What a tree of commands takes; parameters of outer parsers precede the command's word.
 * @param arrange orders the parameters of one parser as they are given. @param rest comes last.
 */
export function foundIn(
  root: CommandTree,
  todos: string[],
  arrange: (parameters: readonly Parameter[]) => readonly Parameter[] = (parameters) => parameters,
  rest: readonly Parameter[] = [],
): Found {
  const partsOf = ({ parent, words, parameters }: CommandTree): (Parameter | string)[] => [
    ...(parent ? [...partsOf(parent), words.at(-1) ?? ''] : []),
    ...arrange(parameters),
  ];
  const commands = leavesOf(root).map((leaf) => ({
    words: leaf.words,
    parts: [...partsOf(leaf), ...rest],
    knowsEnd: true,
    ...(leaf.summary !== undefined && { summary: leaf.summary }),
  }));
  return { commands, ...(root.summary !== undefined && { summary: root.summary }), todos };
}

export function leavesOf(tree: CommandTree): CommandTree[] {
  return tree.commands.length === 0 ? [tree] : tree.commands.flatMap(leavesOf);
}
