import type { Token } from './code-tokens.js';
import { type Call, textOf, type Value } from './code-values.js';
import { type CommandTree, type Found, foundIn, inputName, leavesOf, type Parameter } from './reading.js';

/** Node's `commander`: options, arguments and commands whose flags are literals. */
export function readCommander(calls: readonly Call[], tokens: readonly Token[]): Found | undefined {
  if (!tokens.some(({ kind, text }) => kind === 'text' && /^(npm:)?commander(@|$)/.test(text))) return undefined;
  const todos: string[] = [];
  const root: CommandTree = { words: [], parameters: [], commands: [] };
  const subjects = new Map<string, CommandTree>();
  const results = new Map<Call, CommandTree>();
  for (const call of calls) {
    const subject = call.receiver ? results.get(call.receiver) : (subjects.get(call.on) ?? rootOf(call.on));
    const result = /^(Command|createCommand)$/.test(call.method) ? root : subject && follow(call, subject);
    if (!result) continue;
    results.set(call, result);
    if (call.assigned !== undefined) subjects.set(call.assigned, result);
  }
  const leaves = leavesOf(root);
  const rest = leaves.length === 1 && root.parameters.every(({ flag }) => flag) && readsRest(tokens) ? [REST] : [];
  return foundIn(root, todos, optionsFirst, rest);

  function rootOf(on: string): CommandTree | undefined {
    return /^(program|commander|cli|cmd)(\.program)?$/.test(on) ? root : undefined;
  }

  function follow(call: Call, program: CommandTree): CommandTree | undefined {
    const { method, plain, line } = call;
    const [first, second] = plain;
    switch (method) {
      case 'command':
        return newCommand(call, program);
      case 'description':
      case 'summary':
        if (program.summary === undefined && textOf(first) !== undefined) program.summary = textOf(first) ?? '';
        return program;
      case 'option':
      case 'requiredOption':
        add(program, optionOf(textOf(first), plain.slice(1), method === 'requiredOption'), `this option`, line);
        return program;
      case 'argument':
        add(program, placeOf(textOf(first), textOf(second), plain[2]), 'this argument', line);
        return program;
      case 'arguments':
        for (const word of (textOf(first) ?? '?').split(/\s+/)) {
          add(program, placeOf(word, undefined, undefined), 'these arguments', line);
        }
        return program;
      case 'addOption':
      case 'addArgument':
        todos.push(...configured(call, program));
        return program;
      default:
        return program;
    }
  }

  function newCommand({ plain, line }: Call, parent: CommandTree): CommandTree | undefined {
    const [word, ...places] = (textOf(plain[0]) ?? '').split(/\s+/).filter((part) => part !== '');
    if (word === undefined || plain[1]?.kind === 'text') {
      todos.push(
        `line ${line}: add this command, ${word ? 'which is a script of its own' : 'whose name the script computes'}`,
      );
      return undefined;
    }
    const program: CommandTree = { words: [...parent.words, word], parent, parameters: [], commands: [] };
    for (const place of places) add(program, placeOf(place, undefined, undefined), 'this argument', line);
    parent.commands.push(program);
    return program;
  }

  function add(program: CommandTree, parameter: Parameter | undefined, what: string, line: number): void {
    if (parameter) program.parameters.push(parameter);
    else todos.push(`line ${line}: add ${what}; the script computes what it is`);
  }

  /** `addOption(new Option(..).choices([..]))`: reads the calls inside the parentheses. */
  function configured(call: Call, program: CommandTree): string[] {
    const inner = calls.filter(({ start, end }) => start > call.start && end < call.end);
    const made = inner.find(({ method }) => method === 'Option' || method === 'Argument');
    const flags = textOf(made?.plain[0]);
    const isOption = made?.method === 'Option';
    const help = made?.plain[1];
    const parameter = isOption
      ? optionOf(
          flags,
          help ? [help] : [],
          inner.some(({ method }) => method === 'makeOptionMandatory'),
        )
      : placeOf(flags, textOf(help), undefined);
    if (!parameter) return [`line ${call.line}: add what this line adds; the script computes what it is`];
    for (const { method, plain } of inner) {
      const [value] = plain;
      if (method === 'choices' && value?.kind === 'list') {
        const choices = value.items.map(textOf).filter((text) => text !== undefined);
        if (choices.length === value.items.length) parameter.choices = choices;
      }
      if (method === 'default') Object.assign(parameter, defaultFor(parameter, value));
      if (method === 'argParser') parameter.type = typeOf(value) ?? parameter.type;
    }
    program.parameters.push(parameter);
    return [];
  }
}

const REST: Parameter = { name: 'args', takes: 'several', type: 'string', isRequired: false };

function readsRest(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ text, kind }, at) =>
      kind === 'name' &&
      text === 'args' &&
      tokens[at - 1]?.text === '.' &&
      /^(program|commander)$/.test(tokens[at - 2]?.text ?? ''),
  );
}

/** `-p, --port <n>`, `--tags <tags...>`, `--color [when]`, `--no-cache`. */
function optionOf(flags: string | undefined, more: readonly Value[], isRequired: boolean): Parameter | undefined {
  const names = flags?.match(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g);
  if (!flags || !names) return undefined;
  const flag = names.find((name) => name.startsWith('--')) ?? names[0] ?? '';
  const [, open = '', , dots] = /([<[])([^>\].]+)(\.{3})?[>\]]/.exec(flags) ?? [];
  const help = textOf(more[0]);
  const shared = { name: inputName(flag), flag, ...(help !== undefined && { help }) };
  if (open === '') return { ...shared, takes: 'nothing', type: 'string', isRequired: false };
  const parser = more.find(({ kind }, at) => at > 0 && (kind === 'name' || kind === 'call' || kind === 'computed'));
  const fallback = more.slice(1).find(({ kind }) => kind === 'text' || kind === 'number');
  const type = typeOf(parser) ?? 'string';
  if (dots) {
    return { ...shared, takes: 'several', type, isRequired, items: { min: 1 } };
  }
  const parameter: Parameter = { ...shared, isJoined: flag.startsWith('--'), takes: 'one', type, isRequired };
  return { ...parameter, ...defaultFor(parameter, fallback) };
}

/** `<file>`, `[file]`, `<files...>`, `file`. */
function placeOf(
  written: string | undefined,
  help: string | undefined,
  fallback: Value | undefined,
): Parameter | undefined {
  const [, open = '', name, dots] = /^([<[]?)([^<>[\].]+)(\.{3})?[>\]]?$/.exec(written ?? '') ?? [];
  if (name === undefined) return undefined;
  const parameter: Parameter = {
    name: inputName(name),
    takes: dots ? 'several' : 'one',
    type: 'string',
    isRequired: open !== '[' && !fallback,
    ...(dots && open !== '[' && { items: { min: 1 } }),
    ...(help !== undefined && { help }),
  };
  return { ...parameter, ...defaultFor(parameter, fallback) };
}

function defaultFor({ takes, type, isRequired }: Parameter, value: Value | undefined): { default?: string | number } {
  if (takes !== 'one' || isRequired) return {};
  if (value?.kind === 'text' && type === 'string') return { default: value.text };
  if (value?.kind !== 'number') return {};
  return { default: type === 'string' ? String(value.number) : value.number };
}

function typeOf(value: Value | undefined): Parameter['type'] | undefined {
  if (value?.kind !== 'name') return undefined;
  return /^(Number\.)?parseInt$/.test(value.name)
    ? 'integer'
    : /^(Number|(Number\.)?parseFloat)$/.test(value.name)
      ? 'number'
      : undefined;
}

function optionsFirst(parameters: readonly Parameter[]): Parameter[] {
  return [
    ...parameters.filter(({ flag }) => flag !== undefined),
    ...parameters.filter(({ flag }) => flag === undefined),
  ];
}
