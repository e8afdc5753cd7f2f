import { type Call, isTrue, textOf, type Value } from './code-values.js';
import { type CommandTree, type Found, foundIn, inputName, type Parameter } from './reading.js';

interface Subject {
  parser: CommandTree;
  /** Whether its arguments exclude each other; then none has a default. */
  isExclusive?: boolean;
}

/** Python's `argparse`: each `add_argument` whose names are literals, and each command of `add_subparsers`. */
export function readArgparse(calls: readonly Call[]): Found | undefined {
  const made = calls.filter(({ method }) => method === 'ArgumentParser');
  if (made.length === 0) return undefined;
  const todos: string[] = [];
  const subjects = new Map<string, Subject>();
  const results = new Map<Call, Subject>();
  const roots: CommandTree[] = [];
  const subjectOf = ({ receiver, on }: Call): Subject | undefined => {
    const known = receiver ? results.get(receiver) : subjects.get(on);
    // A function may receive the parser under another name.
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
  return foundIn(root, todos);

  function newRoot(call: Call): Subject {
    const parser: CommandTree = { words: [], parameters: parentsOf(call), commands: [], ...describedBy(call) };
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

  function newCommand(call: Call, parent: CommandTree, word: string | undefined): Subject {
    const words = [...parent.words, word ?? ''];
    const parser: CommandTree = { words, parent, parameters: parentsOf(call), commands: [], ...describedBy(call) };
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

/** `none`: an option that no call needs, such as `--help`. */
type ArgumentRead = 'none' | { parameter: Parameter } | { todo: string };

/** Reads one `add_argument`. @param isExclusive whether its group allows only one argument. */
function argumentOf({ plain, named, hasSpread, line }: Call, isExclusive: boolean): ArgumentRead {
  const names = plain.map(textOf);
  const written = names.filter((name) => name !== undefined);
  const flags = written.filter((name) => name.startsWith('-'));
  if (hasSpread || written.length === 0 || names.includes(undefined)) {
    const like = written[0] === undefined ? '' : ` ${written[0]}`;
    return { todo: `line ${line}: add this argument${like}; the script computes what it is` };
  }
  const action = textOf(named.get('action')) ?? (named.has('action') ? nameOf(named.get('action')) : 'store');
  if (action === 'help' || action === 'version') return 'none';
  const flag = flags.find((name) => name.startsWith('--')) ?? flags[0];
  const shared = {
    name: inputName(flag ?? written[0] ?? ''),
    ...(flag !== undefined && { flag, isJoined: flag.startsWith('--') }),
    ...helpOf(named.get('help')),
  };
  const isRequired = isTrue(named.get('required'));
  if (/^(store_true|store_false|store_const|append_const|.*BooleanOptionalAction)$/.test(action)) {
    return { parameter: { ...shared, takes: 'nothing', type: 'string', isRequired: false } };
  }
  if (action === 'count') return { parameter: { ...shared, takes: 'count', type: 'integer', isRequired: false } };
  if (!['store', 'append', 'extend'].includes(action)) {
    return { todo: `line ${line}: add ${flag ?? written[0]}; \`action=${action}\` is the script's own` };
  }
  return valued(named, shared, { action, isRequired, isExclusive, line });
}

type Shared = Pick<Parameter, 'name' | 'flag' | 'isJoined' | 'help'>;

function valued(
  named: ReadonlyMap<string, Value>,
  shared: Shared,
  how: { action: string; isRequired: boolean; isExclusive: boolean; line: number },
): ArgumentRead {
  const nargs = named.get('nargs');
  const isFlag = shared.flag !== undefined;
  const count = nargs?.kind === 'number' ? nargs.number : undefined;
  const word = textOf(nargs);
  if (nargs && count === undefined && (word === undefined || !/^[?*+]$/.test(word))) {
    const name = shared.flag ?? shared.name;
    return {
      todo: `line ${how.line}: add ${name}; \`nargs\` says that it takes what is left, or what the script computes`,
    };
  }
  const takes =
    how.action === 'append' ? 'each' : count !== undefined || word === '*' || word === '+' ? 'several' : 'one';
  if (how.action === 'append' && nargs) {
    return { todo: `line ${how.line}: add ${shared.flag}, which takes several values each time it is given` };
  }
  const items = {
    ...(count !== undefined && { min: count, max: count }),
    ...((word === '+' || (how.isRequired && takes !== 'one' && count === undefined)) && { min: 1 }),
  };
  const choices = choicesOf(named.get('choices'));
  const fallback = takes === 'one' && !how.isExclusive ? defaultOf(named.get('default')) : undefined;
  const parameter: Parameter = {
    ...shared,
    takes,
    type: typeOf(named.get('type')),
    isRequired: isFlag ? how.isRequired : word !== '?' && word !== '*',
    ...(choices && { choices }),
    ...(fallback !== undefined && { default: fallback }),
    ...(Object.keys(items).length > 0 && { items }),
  };
  return { parameter: fitting(parameter) };
}

/** Drops a default that does not fit the type or choices: only the script understands it. */
function fitting(parameter: Parameter): Parameter {
  const { default: fallback, type, choices, ...rest } = parameter;
  const isOfType = type === 'string' ? typeof fallback === 'string' : typeof fallback === 'number';
  const asText = type === 'string' && typeof fallback === 'number' ? String(fallback) : fallback;
  const isChoice = !choices || (asText !== undefined && choices.includes(asText));
  const given = fallback !== undefined && (isOfType || type === 'string') && isChoice ? { default: asText } : {};
  return { ...rest, type, ...(choices && { choices }), ...given } as Parameter;
}

function typeOf(value: Value | undefined): Parameter['type'] {
  const name = nameOf(value);
  return name === 'int' ? 'integer' : name === 'float' ? 'number' : 'string';
}

function choicesOf(value: Value | undefined): (string | number)[] | undefined {
  if (value?.kind === 'call' && value.name === 'range') {
    const [first, second] = value.values.plain.map((item) => (item.kind === 'number' ? item.number : undefined));
    const [from, to] = second === undefined ? [0, first] : [first, second];
    const isShort = from !== undefined && to !== undefined && to > from && to - from <= 50;
    return isShort && value.values.plain.length < 3
      ? Array.from({ length: to - from }, (_, at) => from + at)
      : undefined;
  }
  const items =
    value?.kind === 'list' ? value.items : value?.kind === 'map' ? [...value.entries.keys()].map(asText) : [];
  const plain = items.map((item) =>
    item.kind === 'text' ? item.text : item.kind === 'number' ? item.number : undefined,
  );
  const known = plain.filter((item) => item !== undefined);
  return known.length > 0 && known.length === plain.length ? known : undefined;
}

function asText(text: string): Value {
  return { kind: 'text', text };
}

function defaultOf(value: Value | undefined): string | number | undefined {
  return value?.kind === 'text' ? value.text : value?.kind === 'number' ? value.number : undefined;
}

function nameOf(value: Value | undefined): string {
  return value?.kind === 'name' || value?.kind === 'call' ? value.name : '';
}

function helpOf(value: Value | undefined): { help?: string } {
  const help = textOf(value);
  return help === undefined
    ? {}
    : { help: help.replaceAll('%%', '%').replaceAll(/\s*\(?default:?\s*%\(default\)s\)?/gi, '') };
}
