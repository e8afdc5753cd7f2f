import type { Token } from './code-tokens.js';
import { is, readValues, type Values } from './code-values.js';

/** A call as it is written. */
export interface Call extends Values {
  /** What it is called on, with dots; empty for a plain function, and where the call before gives it. */
  on: string;
  /** The last word of its name. */
  method: string;
  /** The call whose result it is called on: `a().b()`. */
  receiver?: Call;
  /** The variable that holds what its chain gives. */
  assigned?: string;
  /** Whether an `@` stands in front. */
  isDecorator: boolean;
  line: number;
  /** Places of its first word, and of the parenthesis that closes it. */
  start: number;
  end: number;
}

/** All calls of a program in the order of their parentheses, those inside of others too. */
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
