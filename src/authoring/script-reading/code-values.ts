import type { Token } from './code-tokens.js';

/** A value in the source, if it can be read without running the program; else `computed`. */
export type Value =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'truth'; isTrue: boolean }
  | { kind: 'nothing' }
  /** A name, with dots: `int`, `argparse.FileType`. */
  | { kind: 'name'; name: string }
  | { kind: 'list'; items: Value[] }
  | { kind: 'map'; entries: Map<string, Value> }
  | { kind: 'call'; name: string; values: Values }
  | { kind: 'computed' };

export interface Values {
  plain: Value[];
  named: Map<string, Value>;
  /** Whether the call also spreads a value whose content only a run can tell. */
  hasSpread: boolean;
}

const COMPUTED: Value = { kind: 'computed' };
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const WORDS: Record<string, Value> = {
  true: { kind: 'truth', isTrue: true },
  True: { kind: 'truth', isTrue: true },
  false: { kind: 'truth', isTrue: false },
  False: { kind: 'truth', isTrue: false },
  None: { kind: 'nothing' },
  null: { kind: 'nothing' },
  undefined: { kind: 'nothing' },
};

/** Reads the arguments after an opening parenthesis. `end` is the index of the closing one. */
export function readValues(tokens: readonly Token[], from: number): { values: Values; end: number } {
  const values: Values = { plain: [], named: new Map(), hasSpread: false };
  let at = from;
  while (at < tokens.length && !is(tokens[at], ')')) {
    const start = at;
    if (is(tokens[at], '*') || is(tokens[at], '**') || is(tokens[at], '...')) {
      values.hasSpread = true;
      at = endOfValue(tokens, at);
    } else if (tokens[at]?.kind === 'name' && is(tokens[at + 1], '=')) {
      const { value, end } = readValue(tokens, at + 2);
      values.named.set(tokens[at]?.text ?? '', value);
      at = end;
    } else {
      const { value, end } = readValue(tokens, at);
      values.plain.push(value);
      at = end;
    }
    if (is(tokens[at], ',')) at += 1;
    else if (at === start) at += 1;
  }
  return { values, end: at };
}

/** Reads one value. `end` is the index of the following comma or closing bracket. */
export function readValue(tokens: readonly Token[], from: number): { value: Value; end: number } {
  const end = endOfValue(tokens, from);
  const plain = readPlain(tokens, from);
  return { value: plain.end === end ? plain.value : COMPUTED, end };
}

function readPlain(tokens: readonly Token[], from: number): { value: Value; end: number } {
  const token = tokens[from];
  const one = (value: Value): { value: Value; end: number } => ({ value, end: from + 1 });
  if (!token) return one(COMPUTED);
  if (token.kind === 'text') return readTexts(tokens, from);
  if (token.kind === 'number') return one(numberOf(token.text));
  if (token.kind === 'name') return readName(tokens, from);
  if (token.text === '-' && tokens[from + 1]?.kind === 'number') {
    return { value: numberOf(`-${tokens[from + 1]?.text}`), end: from + 2 };
  }
  if (token.text === '[' || token.text === '(') return readList(tokens, from, CLOSING[token.text] ?? ']');
  if (token.text === '{') return readMap(tokens, from);
  return one(COMPUTED);
}

/** Joins adjacent texts, with `+` or (in Python) without it. */
function readTexts(tokens: readonly Token[], from: number): { value: Value; end: number } {
  let at = from;
  let text = '';
  while (tokens[at]?.kind === 'text') {
    text += tokens[at]?.text;
    at += 1;
    if (is(tokens[at], '+') && tokens[at + 1]?.kind === 'text') at += 1;
  }
  return { value: { kind: 'text', text }, end: at };
}

function readName(tokens: readonly Token[], from: number): { value: Value; end: number } {
  let at = from;
  if (tokens[at]?.text === 'new' && tokens[at + 1]?.kind === 'name') at += 1;
  let name = tokens[at]?.text ?? '';
  at += 1;
  while (is(tokens[at], '.') && tokens[at + 1]?.kind === 'name') {
    name += `.${tokens[at + 1]?.text}`;
    at += 2;
  }
  if (!is(tokens[at], '(')) return { value: WORDS[name] ?? { kind: 'name', name }, end: at };
  const { values, end } = readValues(tokens, at + 1);
  return { value: { kind: 'call', name, values }, end: end + 1 };
}

function readList(tokens: readonly Token[], from: number, closing: string): { value: Value; end: number } {
  const items: Value[] = [];
  let at = from + 1;
  while (at < tokens.length && !is(tokens[at], closing)) {
    const start = at;
    const { value, end } = readValue(tokens, at);
    items.push(value);
    at = is(tokens[end], ',') ? end + 1 : end;
    if (at === start) at += 1;
  }
  // Parentheses around a single value are not a list.
  const [only] = items;
  const isAlone = closing === ')' && items.length === 1 && !is(tokens[at - 1], ',') && only;
  return { value: isAlone ? only : { kind: 'list', items }, end: at + 1 };
}

function readMap(tokens: readonly Token[], from: number): { value: Value; end: number } {
  const entries = new Map<string, Value>();
  let at = from + 1;
  while (at < tokens.length && !is(tokens[at], '}')) {
    const start = at;
    const key = tokens[at];
    if (key && (key.kind === 'name' || key.kind === 'text') && is(tokens[at + 1], ':')) {
      const { value, end } = readValue(tokens, at + 2);
      entries.set(key.text, value);
      at = end;
    } else {
      at = endOfValue(tokens, at);
      entries.set('...', COMPUTED);
    }
    if (is(tokens[at], ',')) at += 1;
    else if (at === start) at += 1;
  }
  return { value: { kind: 'map', entries }, end: at + 1 };
}

function endOfValue(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at] ?? { kind: 'mark', text: '' };
    if (kind !== 'mark') continue;
    if (text in CLOSING) depth += 1;
    else if (/^[)\]}]$/.test(text)) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (text === ',' || text === ';')) return at;
  }
  return tokens.length;
}

function numberOf(written: string): Value {
  const number = Number(written.replaceAll('_', ''));
  return Number.isFinite(number) ? { kind: 'number', number } : COMPUTED;
}

/** Whether a token is this punctuation mark, not a text of the same characters. */
export function is(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

export function textOf(value: Value | undefined): string | undefined {
  return value?.kind === 'text' ? value.text : undefined;
}

export function isTrue(value: Value | undefined): boolean {
  return value?.kind === 'truth' && value.isTrue;
}

/** Reads the value at a token; ignores what follows it. */
export function readLiteral(tokens: readonly Token[], from: number): Value {
  return readPlain(tokens, from).value;
}

export interface Call extends Values {
  /** The dotted receiver; empty for a plain function or a call on the result of another call. */
  on: string;
  method: string;
  /** In a chain, the preceding call: `a()` for `b` in `a().b()`. */
  receiver?: Call;
  /** The variable that the result of the chain is assigned to. */
  assigned?: string;
  isDecorator: boolean;
  line: number;
  /** Token indices of its first word and of its closing parenthesis. */
  start: number;
  end: number;
}

/** All calls of a program, nested ones too, in the order of their opening parentheses. */
export function callsOf(tokens: readonly Token[]): Call[] {
  const byEnd = new Map<number, Call>();
  return tokens.flatMap((token, at): Call[] => {
    if (token.kind !== 'name' || !is(tokens[at + 1], '(') || isDefined(tokens, at)) return [];
    const { values, end } = readValues(tokens, at + 2);
    const { on, start, receiver } = calledOn(tokens, at, byEnd);
    const assigned = receiver ? receiver.assigned : assignedTo(tokens, start);
    const call: Call = {
      ...values,
      on,
      method: token.text,
      ...(receiver && { receiver }),
      ...(assigned !== undefined && { assigned }),
      isDecorator: is(tokens[start - 1], '@'),
      line: token.line,
      start,
      end,
    };
    byEnd.set(end, call);
    return [call];
  });
}

function isDefined(tokens: readonly Token[], at: number): boolean {
  return ['def', 'function', 'class'].includes(tokens[at - 1]?.text ?? '') && tokens[at - 1]?.kind === 'name';
}

function calledOn(tokens: readonly Token[], at: number, byEnd: ReadonlyMap<number, Call>) {
  const words: string[] = [];
  let start = at;
  while ((is(tokens[start - 1], '.') || is(tokens[start - 1], '?.')) && tokens[start - 2]?.kind === 'name') {
    words.unshift(tokens[start - 2]?.text ?? '');
    start -= 2;
  }
  const receiver = is(tokens[start - 1], '.') ? byEnd.get(start - 2) : undefined;
  return { on: words.join('.'), start: receiver ? receiver.start : start, receiver };
}

/** `x = call()`, `const x = await call()`, `self.x = call()`, `x: T = call()`. */
function assignedTo(tokens: readonly Token[], start: number): string | undefined {
  let at = start - 1;
  while (tokens[at]?.kind === 'name' && ['new', 'await'].includes(tokens[at]?.text ?? '')) at -= 1;
  if (!is(tokens[at], '=') || tokens[at - 1]?.kind !== 'name') return undefined;
  let name = tokens[at - 1]?.text ?? '';
  for (let back = at - 2; is(tokens[back], '.') && tokens[back - 1]?.kind === 'name'; back -= 2) {
    name = `${tokens[back - 1]?.text}.${name}`;
  }
  return name;
}
