import type { Token } from './code-tokens.js';
import { type Call, callsOf, is, isTrue, textOf, type Value } from './code-values.js';
import { type Command, type Found, inputName, type Parameter } from './reading.js';

interface Decorated {
  name: string;
  decorators: Call[];
  summary?: string;
}

/** Python's `click`: decorators with literals. Each function of a group becomes a command. */
export function readClick(calls: readonly Call[], tokens: readonly Token[]): Found | undefined {
  if (!imports(tokens, 'click')) return undefined;
  const todos: string[] = [];
  const functions = decoratedIn(tokens).filter(({ decorators }) => decorators.some(isCommand));
  const groups = new Map<string, { words: string[]; parts: (Parameter | string)[] }>();
  const commands: Command[] = [];
  for (const { name, decorators, summary } of functions) {
    const made = decorators.find(isCommand);
    const parent = made ? groups.get(made.on) : undefined;
    if (!made || (made.on !== 'click' && made.on !== '' && !parent)) {
      todos.push(`line ${made?.line ?? 1}: add this command; the group it is in is not plain`);
      continue;
    }
    const word = textOf(made.plain[0]) ?? textOf(made.named.get('name')) ?? name.toLowerCase().replaceAll('_', '-');
    const own = decorators.flatMap((call) => parameterOf(call, todos));
    const parts = [...(parent?.parts ?? []), ...(parent ? [word] : []), ...own];
    const words = parent ? [...parent.words, word] : [];
    if (made.method === 'group') groups.set(name, { words, parts });
    else commands.push({ words, parts, knowsEnd: true, ...(summary !== undefined && { summary }) });
  }
  for (const { method, on, line } of calls) {
    if (method === 'add_command' && groups.has(on)) {
      todos.push(`line ${line}: put the words of the group in front of the arguments of this command`);
    }
  }
  return commands.length === 0 ? undefined : { commands, todos };
}

export function imports(tokens: readonly Token[], module: string): boolean {
  return tokens.some(
    ({ kind, text }, at) =>
      kind === 'name' && (text === 'import' || text === 'from' || text === ',') && tokens[at + 1]?.text === module,
  );
}

function isCommand({ method }: Call): boolean {
  return method === 'command' || method === 'group';
}

function decoratedIn(tokens: readonly Token[]): Decorated[] {
  const bare = withParentheses(tokens);
  const calls = new Map(callsOf(bare).map((call) => [call.start, call]));
  const found: Decorated[] = [];
  let decorators: Call[] = [];
  for (const [at, token] of bare.entries()) {
    const call = is(bare[at - 1], '@') ? calls.get(at) : undefined;
    if (call) decorators.push(call);
    if (token.kind !== 'name' || token.text !== 'def') continue;
    if (decorators.length > 0) {
      found.push({ name: bare[at + 1]?.text ?? '', decorators, ...docstringOf(bare, at) });
    }
    decorators = [];
  }
  return found;
}

/** Adds the parentheses of `@click.command()` where `@click.command` omits them. */
function withParentheses(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at) => {
    const isEnd =
      token.kind === 'name' && isCommandWord(token.text) && is(tokens[at - 1], '.') && is(tokens[at - 3], '@');
    if (!isEnd || is(tokens[at + 1], '(')) return [token];
    const { line } = token;
    return [token, { kind: 'mark' as const, text: '(', line }, { kind: 'mark' as const, text: ')', line }];
  });
}

function isCommandWord(word: string): boolean {
  return word === 'command' || word === 'group';
}

function docstringOf(tokens: readonly Token[], def: number): { summary?: string } {
  let depth = 0;
  for (let at = def; at < tokens.length; at += 1) {
    if (is(tokens[at], '(')) depth += 1;
    if (is(tokens[at], ')')) depth -= 1;
    if (depth > 0 || !is(tokens[at], ':')) continue;
    const next = tokens[at + 1];
    return next?.kind === 'text' ? { summary: next.text } : {};
  }
  return {};
}

function parameterOf(call: Call, todos: string[]): Parameter[] {
  if (!/^(option|argument)$/.test(call.method) || !/^(click)?$/.test(call.on)) return [];
  const names = call.plain.map(textOf).filter((name) => name !== undefined);
  if (names.length === 0 || names.length < call.plain.length) {
    todos.push(`line ${call.line}: add what this decorator takes; the script computes it`);
    return [];
  }
  return [call.method === 'argument' ? placeOf(names[0] ?? '', call.named) : optionOf(names, call.named)];
}

function placeOf(name: string, named: ReadonlyMap<string, Value>): Parameter {
  const nargs = named.get('nargs');
  const isMany = nargs?.kind === 'number' && nargs.number !== 1;
  const isAny = isMany && nargs.number < 0;
  const fallback = defaultOf(named.get('default'), named.get('type'));
  const required = named.get('required');
  const isRequired = required ? isTrue(required) : !isAny && !named.has('default');
  return {
    name: inputName(name),
    takes: isMany ? 'several' : 'one',
    ...typed(named.get('type'), named.get('default')),
    isRequired,
    ...(isMany && !isAny && { items: { min: nargs.number, max: nargs.number } }),
    ...(isAny && isRequired && { items: { min: 1 } }),
    ...(!isMany && fallback !== undefined && { default: fallback }),
  };
}

function optionOf(names: readonly string[], named: ReadonlyMap<string, Value>): Parameter {
  const flags = names.filter((name) => name.startsWith('-'));
  const longest = flags.find((name) => name.startsWith('--')) ?? flags[0] ?? '';
  const [on = '', off] = longest.split('/').map((part) => part.trim());
  const help = textOf(named.get('help'));
  // Of a pair (`--on/--off`), the flag that changes the default is the input.
  const flag = off !== undefined && isTrue(named.get('default')) ? off : on;
  const shared = { name: inputName(flag), flag, ...(help !== undefined && { help }) };
  const isCount = isTrue(named.get('count'));
  const fallback = named.get('default');
  const isSwitch =
    off !== undefined || isTrue(named.get('is_flag')) || (fallback?.kind === 'truth' && !named.has('type'));
  if (isCount) return { ...shared, takes: 'count', type: 'integer', isRequired: false };
  if (isSwitch) return { ...shared, takes: 'nothing', type: 'string', isRequired: false };
  const isRequired =
    isTrue(named.get('required')) || isTrue(named.get('prompt')) || named.get('prompt')?.kind === 'text';
  const nargs = named.get('nargs');
  const valued = { ...shared, isRequired, ...typed(named.get('type'), fallback) };
  if (nargs?.kind === 'number' && nargs.number > 1) {
    return { ...valued, takes: 'several', items: { min: nargs.number, max: nargs.number } };
  }
  const isJoined = flag.startsWith('--');
  if (isTrue(named.get('multiple'))) return { ...valued, isJoined, takes: 'each' };
  const given = isRequired ? undefined : defaultOf(fallback, named.get('type'));
  return { ...valued, isJoined, takes: 'one', ...(given !== undefined && { default: given }) };
}

/** Without a type, a numeric default implies `number`. */
function typed(value: Value | undefined, fallback?: Value): Pick<Parameter, 'type' | 'choices'> {
  if (!value && fallback?.kind === 'number') return { type: 'number' };
  const name = value?.kind === 'name' || value?.kind === 'call' ? value.name : '';
  if (/(^|\.)(int|INT|IntRange)$/.test(name)) return { type: 'integer' };
  if (/(^|\.)(float|FLOAT|FloatRange)$/.test(name)) return { type: 'number' };
  const [list] = value?.kind === 'call' && /(^|\.)Choice$/.test(name) ? value.values.plain : [];
  const items = list?.kind === 'list' ? list.items.map(textOf) : [];
  const choices = items.filter((item) => item !== undefined);
  const isInsensitive = value?.kind === 'call' && value.values.named.has('case_sensitive');
  const isPlain = choices.length > 0 && choices.length === items.length && !isInsensitive;
  return { type: 'string', ...(isPlain && { choices }) };
}

function defaultOf(value: Value | undefined, type: Value | undefined): string | number | undefined {
  const { type: wanted, choices } = typed(type, value);
  if (value?.kind === 'text' && wanted === 'string') {
    return !choices || choices.includes(value.text) ? value.text : undefined;
  }
  if (value?.kind !== 'number') return undefined;
  return wanted === 'string' ? String(value.number) : value.number;
}
