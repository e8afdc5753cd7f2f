import { compileExpression } from '../../rules/expressions/evaluate.js';
import type { Command, Parameter } from './reading.js';

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
