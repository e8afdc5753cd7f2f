import { itemsOf, lengthOf, sizeOfMap } from './collections.js';
import { CONVERSIONS } from './conversions.js';
import { fail, kindOf, Maybe, Moment } from './kinds.js';
import { OPERATORS } from './operators.js';
import { type Callable, type CallContext, callWith, type Overload, overload } from './overloads.js';
import { lettersIn, matches, TEXT_METHODS } from './texts.js';
import { TIME_METHODS } from './times.js';

const SIZE: readonly Overload[] = [
  overload<[string]>('string -> int', ([text]) => BigInt(lettersIn(text))),
  overload<[Uint8Array]>('bytes -> int', ([bytes]) => BigInt(bytes.length)),
  overload<[object]>('list -> int', ([list]) => BigInt(lengthOf(list))),
  overload<[object]>('map -> int', ([map]) => BigInt(sizeOfMap(map))),
];

/** Functions that do not read their operands, or count the cost themselves. */
const READING_NOTHING: ReadonlySet<string> = new Set([
  'dyn',
  'type',
  'matches',
  'of',
  'none',
  'now',
  'uuid',
  'hasValue',
  'value',
]);

export const FUNCTIONS: ReadonlyMap<string, Callable> = callables({
  ...CONVERSIONS,
  size: SIZE,
  matches: [
    overload<[string, string]>('string string -> bool', ([text, pattern], context) => matches(text, pattern, context)),
  ],
  sum: [overload<[object]>('list -> any', ([list], context) => sumOf(itemsOf(list), context))],
  now: [overload('-> timestamp', (_, { now }) => new Moment(now()))],
  uuid: [overload('-> string', (_, { uuid }) => uuid())],
});

const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

/** 0 for an empty list. @throws Failure for an item that is not a number. */
function sumOf(items: readonly unknown[], context: CallContext): unknown {
  const strange = items.find((item) => !NUMBERS.has(kindOf(item)));
  if (strange !== undefined) return fail(`sum adds numbers, and the list has a ${kindOf(strange)}`);
  const [first, ...others] = items;
  if (first === undefined) return 0n;
  return others.reduce((sum, item) => callWith(OPERATORS.get('+') as Callable, [sum, item], context), first);
}

/** Methods. `or` and `orValue` are compiled separately: they evaluate their operand only if needed. */
export const METHODS: ReadonlyMap<string, Callable> = callables({
  ...TEXT_METHODS,
  ...TIME_METHODS,
  size: SIZE,
  hasValue: [overload<[Maybe]>('optional -> bool', ([{ value }]) => value !== undefined)],
  value: [
    overload<[Maybe]>('optional -> any', ([{ value }]) =>
      value === undefined ? fail('the optional has no value') : value,
    ),
  ],
});

export const OPTIONAL_FUNCTIONS: ReadonlyMap<string, Callable> = callables({
  of: [overload('any -> optional', ([value]) => new Maybe(value))],
  none: [overload('-> optional', () => Maybe.none)],
});

function callables(named: Record<string, readonly Overload[]>): ReadonlyMap<string, Callable> {
  return new Map(
    Object.entries(named).map(([name, overloads]) => {
      const reads = name === 'join' ? 'all' : READING_NOTHING.has(name) ? 'nothing' : 'members';
      return [name, { name, overloads, reads }];
    }),
  );
}
