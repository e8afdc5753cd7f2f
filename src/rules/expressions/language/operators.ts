import { orderBytes, orderNumbers, orderTexts } from './compare.js';
import { fail, itemsOf, List, type Moment, type Span, Uint } from './kinds.js';
import { momentOf, spanOf } from './moments.js';
import { type Callable, type Overload, overload } from './overloads.js';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** @throws Failure beyond 64 bits. */
export function asInt(value: bigint): bigint {
  return value >= MIN_INT && value <= MAX_INT ? value : fail('the number is too large for an int');
}

/** @throws Failure beyond unsigned 64 bits. */
export function asUint(value: bigint): Uint {
  return value >= 0n && value <= MAX_UINT ? new Uint(value) : fail('the number does not fit a uint');
}

type Whole = (a: bigint, b: bigint) => bigint;
type Real = (a: number, b: number) => number;

/** Mixed with a double, an int is converted. Source: docs/workflow-language.md#expressions. */
function arithmetic(whole: Whole, real?: Real): Overload[] {
  return [
    overload<[bigint, bigint]>('int int -> int', ([a, b]) => asInt(whole(a, b))),
    overload<[Uint, Uint]>('uint uint -> uint', ([a, b]) => asUint(whole(a.value, b.value))),
    ...(real === undefined
      ? []
      : ['double double', 'int double', 'double int'].map((kinds) =>
          overload<[number, number]>(`${kinds} -> double`, ([a, b]) => real(Number(a), Number(b))),
        )),
  ];
}

function divided(by: Whole): Whole {
  return (a, b) => (b === 0n ? fail('division by zero') : by(a, b));
}

function order(holds: (order: number) => boolean): Overload[] {
  const numbers = ['int', 'uint', 'double'];
  return [
    overload<[bigint, bigint]>('int int -> bool', ([a, b]) => holds(a < b ? -1 : a > b ? 1 : 0)),
    ...numbers
      .flatMap((left) => numbers.map((right) => `${left} ${right}`))
      .filter((kinds) => kinds !== 'int int')
      .map((kinds) => overload(`${kinds} -> bool`, ([a, b]) => holds(orderNumbers(a, b)))),
    overload<[string, string]>('string string -> bool', ([a, b]) => holds(orderTexts(a, b))),
    overload<[boolean, boolean]>('bool bool -> bool', ([a, b]) => holds(Number(a) - Number(b))),
    overload<[Uint8Array, Uint8Array]>('bytes bytes -> bool', ([a, b]) => holds(orderBytes(a, b))),
    ...['timestamp', 'duration'].map((kind) =>
      overload<[Moment, Moment]>(`${kind} ${kind} -> bool`, ([a, b]) => holds(orderNumbers(a.nanos, b.nanos))),
    ),
  ];
}

const ADDED: Overload[] = [
  ...arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  overload<[string, string]>('string string -> string', ([a, b]) => a + b),
  overload<[object, object]>('list list -> list', ([a, b]) => new List([...itemsOf(a), ...itemsOf(b)])),
  overload<[Uint8Array, Uint8Array]>('bytes bytes -> bytes', ([a, b]) => Uint8Array.from([...a, ...b])),
  overload<[Moment, Span]>('timestamp duration -> timestamp', ([a, b]) => momentOf(a.nanos + b.nanos)),
  overload<[Span, Moment]>('duration timestamp -> timestamp', ([a, b]) => momentOf(a.nanos + b.nanos)),
  overload<[Span, Span]>('duration duration -> duration', ([a, b]) => spanOf(a.nanos + b.nanos)),
];

const SUBTRACTED: Overload[] = [
  ...arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  overload<[Moment, Moment]>('timestamp timestamp -> duration', ([a, b]) => spanOf(a.nanos - b.nanos)),
  overload<[Moment, Span]>('timestamp duration -> timestamp', ([a, b]) => momentOf(a.nanos - b.nanos)),
  overload<[Span, Span]>('duration duration -> duration', ([a, b]) => spanOf(a.nanos - b.nanos)),
];

const MULTIPLIED = arithmetic(
  (a, b) => a * b,
  (a, b) => a * b,
);
const DIVIDED = arithmetic(
  divided((a, b) => a / b),
  (a, b) => a / b,
);

const NEGATED: Overload[] = [
  overload<[bigint]>('int -> int', ([a]) => asInt(-a)),
  overload<[number]>('double -> double', ([a]) => -a),
];

const DENIED: Overload[] = [overload<[boolean]>('bool -> bool', ([a]) => !a)];

/** Operators that evaluate all operands first, but for equality and `in`, which take operands of any kind. */
export const OPERATORS: ReadonlyMap<string, Callable> = new Map(
  (
    [
      ['+', ADDED, 'members'],
      ['-', SUBTRACTED, 'nothing'],
      ['*', MULTIPLIED, 'nothing'],
      ['/', DIVIDED, 'nothing'],
      ['%', arithmetic(divided((a, b) => a % b)), 'nothing'],
      ['<', order((n) => n < 0), 'members'],
      ['<=', order((n) => n <= 0), 'members'],
      ['>', order((n) => n > 0), 'members'],
      ['>=', order((n) => n >= 0), 'members'],
      ['-_', NEGATED, 'nothing'],
      ['!_', DENIED, 'nothing'],
    ] as [string, Overload[], Callable['reads']][]
  ).map(([op, overloads, reads]) => [op, { name: op.replace('_', ''), overloads, reads }]),
);
