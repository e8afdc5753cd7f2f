import { compileExpression } from '../../rules/expressions/evaluate.js';

/** What a script says of how it is called. */

/** One thing that a script takes. */
export interface Parameter {
  /** What the input calls it: a name that an expression can read. */
  name: string;
  /** The flag in front of it, dashes included; absent: its place says what it is. */
  flag?: string;
  /** Whether `--flag=VALUE` is how it is given, not two arguments. */
  isJoined?: boolean;
  /** `each`: the flag again for each value; `several`: the values behind one flag, or places up to the end. */
  takes: 'nothing' | 'one' | 'several' | 'each' | 'count';
  type: 'string' | 'integer' | 'number';
  choices?: (string | number)[];
  default?: string | number;
  isRequired: boolean;
  /** Fewest and most values, where it takes several. */
  items?: { least?: number; most?: number };
  help?: string;
}

/** A way to call a script: itself, or one of its commands. */
export interface Command {
  /** Parameters, and the words of the command among them where they belong. */
  parts: (Parameter | string)[];
  /** The words alone, which name the ability. */
  words: string[];
  summary?: string;
  /** Whether the script reads `--` as the end of its options. */
  knowsEnd: boolean;
}

/** How what it prints is read. */
export type Printed = 'json' | 'csv' | 'text';

/** What can be read of a script without running it. */
export interface Reading {
  commands: Command[];
  summary?: string;
  prints: Printed;
  /** It takes `--input FILE --output FILE` and both hold JSON. */
  keepsFiles?: boolean;
  /** It reads a text on stdin. */
  readsStdin?: boolean;
  /** What could not be read, each with its line: a person has to decide. */
  todos: string[];
  /** What its author should know, and what runs without. */
  remarks: string[];
}

/** What a reader of one way to take arguments found; undefined: the script does not take them this way. */
export interface Found {
  commands: Command[];
  summary?: string;
  todos: string[];
}

/** What an input is called after a flag or a variable: `--dry-run` is `dry_run`, `HOST` is `host`. */
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

/** The parameters of a command, each with a name of its own. */
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

/** The parameters among the parts of a command. */
export function parametersOf({ parts }: Command): Parameter[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** A word of CEL cannot be read as a member. */
function isReadable(name: string): boolean {
  try {
    compileExpression(`input.${name}`);
    return true;
  } catch {
    return false;
  }
}

/** A parser while it is read: that of the script, or that of one of its commands. */
export interface CommandTree {
  words: string[];
  parent?: CommandTree;
  summary?: string;
  parameters: Parameter[];
  commands: CommandTree[];
}

/**
 * What a tree of commands takes; what the parsers above a command take is in front of its word.
 *
 * @param arrange puts the parameters of one parser in the order in which they are given. @param rest comes last.
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

/** The parsers that have no commands of their own. */
export function leavesOf(tree: CommandTree): CommandTree[] {
  return tree.commands.length === 0 ? [tree] : tree.commands.flatMap(leavesOf);
}
