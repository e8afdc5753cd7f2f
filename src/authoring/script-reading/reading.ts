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
  /** What stands in front: parameters, and the words of the command where they belong. */
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
  /** What could not be read, each with its line: somebody has to decide. */
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
