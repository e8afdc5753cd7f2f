import type { NumberRange } from '../contracts/loops.js';

const MAX_RANGES = 200;

/** Adds a number to ascending ranges. @returns undefined if there are more than {@link MAX_RANGES}. */
export function addNumber(ranges: readonly NumberRange[], number: number): NumberRange[] | undefined {
  const after = ranges.findIndex(([from]) => from > number);
  const at = after < 0 ? ranges.length : after;
  const before = ranges[at - 1];
  const next = ranges[at];
  if (before && before[1] >= number) return [...ranges];
  const start = before?.[1] === number - 1 ? before[0] : number;
  const end = next?.[0] === number + 1 ? next[1] : number;
  const joined: NumberRange[] = [
    ...ranges.slice(0, start === number ? at : at - 1),
    [start, end],
    ...ranges.slice(end === number ? at : at + 1),
  ];
  return joined.length > MAX_RANGES ? undefined : joined;
}

/** Undefined if there are more than {@link MAX_RANGES}. */
export function rangesOf(numbers: readonly number[]): NumberRange[] | undefined {
  const ranges: NumberRange[] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + 1) last[1] = Math.max(last[1], number);
    else ranges.push([number, number]);
  }
  return ranges.length > MAX_RANGES ? undefined : ranges;
}

export function isAmong(ranges: readonly NumberRange[], number: number): boolean {
  return ranges.some(([from, to]) => from <= number && number <= to);
}
