import type { Json, JsonObject } from '../../contracts/json.js';

/** Who relies on a schema: callers send what an input takes and read what an output gives. */
export type Direction = 'input' | 'output';

/** Keywords that let through less the greater, or the smaller, they are. */
const LIMITS: Readonly<Record<string, 'least' | 'most'>> = {
  minimum: 'least',
  exclusiveMinimum: 'least',
  minLength: 'least',
  minItems: 'least',
  minProperties: 'least',
  maximum: 'most',
  exclusiveMaximum: 'most',
  maxLength: 'most',
  maxItems: 'most',
  maxProperties: 'most',
};

/** The limits of one value that became narrower in an input or wider in an output, with what to say of them. */
export function* compareLimits(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
): Generator<{ key: string; what: string }> {
  const isInput = direction === 'input';
  const [less, more] = isInput ? [after, before] : [before, after];
  for (const [key, kind] of Object.entries(LIMITS)) {
    const [bound, other] = [less[key], more[key]];
    if (typeof bound !== 'number' || isWithin(other, bound, kind)) continue;
    yield { key, what: `has the \`${key}\` ${said(after[key])} now, where it had ${said(before[key])}` };
  }
  if (isInput && after.additionalProperties === false && before.additionalProperties !== false) {
    yield { key: 'additionalProperties', what: 'takes no other fields now than those it names' };
  }
}

function isWithin(other: Json | undefined, bound: number, kind: 'least' | 'most'): boolean {
  return typeof other === 'number' && (kind === 'least' ? other >= bound : other <= bound);
}

function said(limit: Json | undefined): string {
  return limit === undefined ? 'none' : JSON.stringify(limit);
}
