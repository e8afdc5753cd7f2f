import { offsetOf } from '../zones/zone-offset.js';
import { CONVERSIONS } from './conversions.js';
import { fail, itemsOf, kindOf, lengthOf, Maybe, Moment, type Span, sizeOfMap } from './kinds.js';
import { type Civil, civilOf, SECOND, splitMoment } from './moments.js';
import { OPERATORS } from './operators.js';
import { type Callable, type CallContext, callWith, type Overload, overload } from './overloads.js';
import { lettersIn, matches, TEXT_METHODS } from './texts.js';

/** A method of timestamps, in UTC or in a given time zone. */
function read(part: (civil: Civil) => number): Overload[] {
  const shown = (moment: Moment, zone: string): bigint => {
    const { seconds } = splitMoment(moment);
    return BigInt(part(civilOf(seconds + offsetOf(zone, seconds))));
  };
  return [
    overload<[Moment]>('timestamp -> int', ([moment]) => shown(moment, 'UTC')),
    overload<[Moment, string]>('timestamp string -> int', ([moment, zone]) => shown(moment, zone)),
  ];
}

function whole(unit: bigint): Overload {
  return overload<[Span]>('duration -> int', ([{ nanos }]) => nanos / unit);
}

const MILLISECONDS: Overload[] = [
  overload<[Moment]>('timestamp -> int', ([moment]) => milliseconds(moment)),
  overload<[Moment, string]>('timestamp string -> int', ([moment, zone]) => {
    offsetOf(zone, splitMoment(moment).seconds);
    return milliseconds(moment);
  }),
  // Only the part below a second; hours, minutes and seconds count the whole duration.
  overload<[Span]>('duration -> int', ([{ nanos }]) => (nanos % SECOND) / 1_000_000n),
];

function milliseconds(moment: Moment): bigint {
  return BigInt(Math.floor(splitMoment(moment).rest / 1_000_000));
}

/** Methods of timestamps and durations. Months, and days other than `getDate`, begin at 0. */
export const TIME_METHODS: Record<string, readonly Overload[]> = {
  getFullYear: read(({ year }) => year),
  getMonth: read(({ month }) => month - 1),
  getDate: read(({ day }) => day),
  getDayOfMonth: read(({ day }) => day - 1),
  getDayOfWeek: read(({ weekday }) => weekday),
  getDayOfYear: read(({ dayOfYear }) => dayOfYear),
  getHours: [...read(({ hour }) => hour), whole(3600n * SECOND)],
  getMinutes: [...read(({ minute }) => minute), whole(60n * SECOND)],
  getSeconds: [...read(({ second }) => second), whole(SECOND)],
  getMilliseconds: MILLISECONDS,
};

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
