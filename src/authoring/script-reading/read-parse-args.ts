import type { Token } from './code-tokens.js';
import { type Call, is, isTrue, readLiteral, textOf, type Value } from './code-values.js';
import { type Found, inputName, type Parameter } from './reading.js';

type Entries = ReadonlyMap<string, Value>;

/** `parseArgs` of `node:util`, where its options are literals. */
export function readParseArgs(calls: readonly Call[], tokens: readonly Token[]): Found | undefined {
  const call = calls.find(({ method }) => method === 'parseArgs');
  if (!call || !tokens.some(({ kind, text }) => kind === 'text' && /^(node:)?util$/.test(text))) return undefined;
  const todos: string[] = [];
  const given = mapOf(call.plain[0], tokens) ?? new Map<string, Value>();
  const options = given.has('options') ? mapOf(given.get('options'), tokens) : mapNamed('options', tokens);
  if (!options) todos.push(`line ${call.line}: add the options of \`parseArgs\`, which the script computes`);
  const parts = [...(options ?? [])].flatMap(([name, value]) => {
    const says = mapOf(value, tokens);
    if (says) return [optionOf(name, says)].filter((option) => !isAboutScript(option));
    todos.push(`line ${call.line}: add the option --${name}, which the script computes`);
    return [];
  });
  const places: Parameter[] = isTrue(given.get('allowPositionals'))
    ? [{ name: 'args', takes: 'several', type: 'string', isRequired: false }]
    : [];
  return { commands: [{ words: [], parts: [...parts, ...places], knowsEnd: true }], todos };
}

/** `--help`, and `--version` without a value. */
function isAboutScript({ name, takes }: Parameter): boolean {
  return name === 'help' || (name === 'version' && takes === 'nothing');
}

function optionOf(name: string, says: Entries): Parameter {
  const flag = `--${name}`;
  const shared = { name: inputName(name), flag, type: 'string' as const, isRequired: false };
  if (textOf(says.get('type')) === 'boolean') return { ...shared, takes: 'nothing' };
  if (isTrue(says.get('multiple'))) return { ...shared, isJoined: true, takes: 'each' };
  const fallback = textOf(says.get('default'));
  return { ...shared, isJoined: true, takes: 'one', ...(fallback !== undefined && { default: fallback }) };
}

/** `yargs`: `.option('name', {..})`, `.options({..})`, `.demandOption`. Its commands are not read. */
export function readYargs(calls: readonly Call[], tokens: readonly Token[]): Found | undefined {
  if (!tokens.some(({ kind, text }) => kind === 'text' && /^yargs(\/|$)/.test(text))) return undefined;
  const todos: string[] = [];
  const parameters = new Map<string, Parameter>();
  for (const { method, plain, line } of calls) {
    if (method === 'command') todos.push(`line ${line}: add the words and arguments of this command of yargs`);
    if (method === 'option' || method === 'options') {
      const [first, second] = plain;
      const name = textOf(first);
      const all = name === undefined ? mapOf(first, tokens) : new Map([[name, second ?? NONE]]);
      if (!all) todos.push(`line ${line}: add the options of this line, which the script computes`);
      for (const [key, value] of all ?? []) parameters.set(key, yargsOption(key, mapOf(value, tokens) ?? new Map()));
    }
    if (/^(demandOption|demand)$/.test(method)) {
      for (const name of namesIn(plain[0])) {
        const parameter = parameters.get(name);
        if (parameter) parameter.isRequired = true;
      }
    }
  }
  const reads = tokens.some(({ text, kind }, at) => kind === 'name' && text === '_' && is(tokens[at - 1], '.'));
  const rest: Parameter[] = reads ? [{ name: 'args', takes: 'several', type: 'string', isRequired: false }] : [];
  return { commands: [{ words: [], parts: [...parameters.values(), ...rest], knowsEnd: true }], todos };
}

const NONE: Value = { kind: 'map', entries: new Map() };

function yargsOption(name: string, says: Entries): Parameter {
  const help = textOf(says.get('describe')) ?? textOf(says.get('description')) ?? textOf(says.get('desc'));
  const required = says.get('demandOption') ?? says.get('demand') ?? says.get('required');
  const shared = {
    name: inputName(name),
    flag: name.length === 1 ? `-${name}` : `--${name}`,
    isRequired: isTrue(required) || required?.kind === 'text',
    ...(help !== undefined && { help }),
  };
  const type = textOf(says.get('type'));
  if (type === 'boolean' || isTrue(says.get('boolean'))) {
    return { ...shared, takes: 'nothing', type: 'string', isRequired: false };
  }
  if (type === 'count') return { ...shared, takes: 'count', type: 'integer', isRequired: false };
  const isNumber = type === 'number' || isTrue(says.get('number'));
  const valued = { ...shared, isJoined: name.length > 1, type: isNumber ? ('number' as const) : ('string' as const) };
  if (type === 'array' || isTrue(says.get('array'))) return { ...valued, takes: 'each' };
  const choices = namesIn(says.get('choices'));
  const fallback = says.get('default');
  const isOwn = !valued.isRequired && fallback?.kind === (isNumber ? 'number' : 'text');
  return {
    ...valued,
    takes: 'one',
    ...(choices.length > 0 && { choices }),
    ...(isOwn && fallback.kind === 'text' && { default: fallback.text }),
    ...(isOwn && fallback.kind === 'number' && { default: fallback.number }),
  };
}

function namesIn(value: Value | undefined): string[] {
  const items = value?.kind === 'list' ? value.items : value ? [value] : [];
  return items.map(textOf).filter((text) => text !== undefined);
}

/** An object literal, given directly or by the name of its variable. */
function mapOf(value: Value | undefined, tokens: readonly Token[]): Entries | undefined {
  if (value?.kind === 'map') return value.entries;
  return value?.kind === 'name' ? mapNamed(value.name, tokens) : undefined;
}

function mapNamed(name: string, tokens: readonly Token[]): Entries | undefined {
  const at = tokens.findIndex(
    ({ kind, text }, place) => kind === 'name' && text === name && is(tokens[place + 1], '='),
  );
  const value = at < 0 ? undefined : readLiteral(tokens, at + 2);
  return value?.kind === 'map' ? value.entries : undefined;
}
