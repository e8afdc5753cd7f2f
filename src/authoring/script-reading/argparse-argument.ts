import type { Call } from './code-calls.js';
import { isTrue, textOf, type Value } from './code-values.js';
import { inputName } from './input-names.js';
import type { Parameter } from './reading.js';

/** What one `add_argument` says; `none` for flags that no call needs. */
export type ArgumentRead = 'none' | { parameter: Parameter } | { todo: string };

/** Reads one `add_argument`. @param isExclusive whether others of its group may be given instead. */
export function argumentOf({ plain, named, hasSpread, line }: Call, isExclusive: boolean): ArgumentRead {
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
    ...(count !== undefined && { least: count, most: count }),
    ...((word === '+' || (how.isRequired && takes !== 'one' && count === undefined)) && { least: 1 }),
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

/** A default that is no value of its type is one that only the script understands. */
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
