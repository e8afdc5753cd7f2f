import { argumentOf } from './argparse-argument.js';
import type { Call } from './code-calls.js';
import { textOf } from './code-values.js';
import type { Found, Parameter } from './reading.js';

/** A parser: that of the script, or that of one of its commands. */
interface Parser {
  words: string[];
  parent?: Parser;
  summary?: string;
  parameters: Parameter[];
  commands: Parser[];
}

/** What a variable holds: a parser, or what adds to one. */
interface Subject {
  parser: Parser;
  /** Of these only one may be given, so none has a default. */
  isExclusive?: boolean;
}

/** Python's `argparse`: each `add_argument` whose names are literals, and each command of `add_subparsers`. */
export function readArgparse(calls: readonly Call[]): Found | undefined {
  const made = calls.filter(({ method }) => method === 'ArgumentParser');
  if (made.length === 0) return undefined;
  const todos: string[] = [];
  const subjects = new Map<string, Subject>();
  const results = new Map<Call, Subject>();
  const roots: Parser[] = [];
  const subjectOf = ({ receiver, on }: Call): Subject | undefined => {
    const known = receiver ? results.get(receiver) : subjects.get(on);
    // A function is given the parser under a name of its own.
    return known ?? (roots.length === 1 && roots[0]?.commands.length === 0 ? { parser: roots[0] } : undefined);
  };
  for (const call of calls) {
    const result = call.method === 'ArgumentParser' ? newRoot(call) : follow(call);
    if (!result) continue;
    results.set(call, result);
    if (call.assigned !== undefined) subjects.set(call.assigned, result);
  }
  const parsed = calls.find(({ method }) => /^parse_(known_)?(intermixed_)?args$/.test(method));
  const root = (parsed && subjectOf(parsed)?.parser) ?? roots.at(-1);
  if (!root) return undefined;
  const leaves = leavesOf(root);
  return {
    commands: leaves.map((leaf) => ({
      words: leaf.words,
      parts: partsOf(leaf),
      knowsEnd: true,
      ...(leaf.summary !== undefined && { summary: leaf.summary }),
    })),
    ...(root.summary !== undefined && { summary: root.summary }),
    todos,
  };

  function newRoot(call: Call): Subject {
    const parser: Parser = { words: [], parameters: parentsOf(call), commands: [], ...describedBy(call) };
    roots.push(parser);
    return { parser };
  }

  function parentsOf({ named, line }: Call): Parameter[] {
    const parents = named.get('parents');
    if (!parents) return [];
    const known = parents.kind === 'list' ? parents.items : [];
    const found = known.map((item) => (item.kind === 'name' ? subjects.get(item.name) : undefined));
    if (known.length === 0 || found.includes(undefined)) {
      todos.push(`line ${line}: add what the \`parents\` of this parser take`);
    }
    return found.flatMap((subject) => subject?.parser.parameters ?? []);
  }

  function follow(call: Call): Subject | undefined {
    const { method, plain, line } = call;
    const isOfParser =
      /^add_(argument|parser|subparsers|argument_group|mutually_exclusive_group)$/.test(method) &&
      (call.on !== '' || call.receiver);
    if (!isOfParser) return undefined;
    const subject = subjectOf(call);
    if (!subject) {
      if (method === 'add_argument')
        todos.push(`line ${line}: add this argument; it is not plain which command takes it`);
      return undefined;
    }
    if (method === 'add_mutually_exclusive_group') return { ...subject, isExclusive: true };
    if (method === 'add_parser') return newCommand(call, subject.parser, textOf(plain[0] ?? call.named.get('name')));
    if (method === 'add_argument') addArgument(call, subject);
    return subject;
  }

  function newCommand(call: Call, parent: Parser, word: string | undefined): Subject {
    const words = [...parent.words, word ?? ''];
    const parser: Parser = { words, parent, parameters: parentsOf(call), commands: [], ...describedBy(call) };
    if (word !== undefined) parent.commands.push(parser);
    else todos.push(`line ${call.line}: add this command, whose name the script computes`);
    return { parser };
  }

  function addArgument(call: Call, { parser, isExclusive = false }: Subject): void {
    const read = argumentOf(call, isExclusive);
    if (read === 'none') return;
    if ('todo' in read) todos.push(read.todo);
    if ('parameter' in read) parser.parameters.push(read.parameter);
  }
}

function describedBy({ named }: Call): { summary?: string } {
  const summary = textOf(named.get('description')) ?? textOf(named.get('help'));
  return summary === undefined ? {} : { summary };
}

function leavesOf(parser: Parser): Parser[] {
  return parser.commands.length === 0 ? [parser] : parser.commands.flatMap(leavesOf);
}

/** What the parsers above take stands in front of the word of the command. */
function partsOf({ parent, words, parameters }: Parser): (Parameter | string)[] {
  const before = parent ? [...partsOf(parent), words.at(-1) ?? ''] : [];
  return [...before, ...parameters];
}
