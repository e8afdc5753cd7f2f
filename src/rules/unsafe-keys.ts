import { AbilityError } from '../contracts/problem.js';

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** No real input is deeper, and recursive code can still walk it. */
const MAX_LEVELS = 200;

/**
 * Refuses keys that reach an object's prototype, values nested too deep, and non-finite numbers.
 * @param exact refuses integers beyond 2^53 - 1, too: they may have been others.
 * @throws AbilityError with the given code and the path, also in `details.path`.
 */
export function refuseUnsafeKeys(value: unknown, code = 'input.invalid', exact = false): void {
  visit(value, [], { code, exact });
}

/** JavaScript writes numbers from here on with an exponent: they are decimals, and no ids. */
const WITH_EXPONENT = 1e21;

function visit(value: unknown, path: (string | number)[], how: { code: string; exact: boolean }): void {
  const { code, exact } = how;
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
    throw refused(code, 'A number is too large for JSON', path, 'Write it as text.');
  }
  if (exact && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < WITH_EXPONENT) {
    const message = `The integer ${BigInt(value as number)} is beyond what a JSON number can safely represent`;
    throw refused(code, message, path, 'Write it as text, in quotes.');
  }
  if (value === null || typeof value !== 'object') return;
  if (path.length > MAX_LEVELS) {
    throw refused(
      code,
      `The value is nested more than ${MAX_LEVELS} levels deep`,
      path.slice(0, 3),
      'Make it flatter.',
    );
  }
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (UNSAFE.has(key)) {
      const suggestion = 'Rename it; this name reaches into the objects of JavaScript.';
      throw refused(code, `The key ${JSON.stringify(key)} is not allowed`, at, suggestion);
    }
    visit(item, at, how);
  }
}

function refused(code: string, message: string, path: (string | number)[], suggestion: string): AbilityError {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  const where = path.length > 0 ? ` (at ${text.replace(/^\./, '')})` : '';
  return new AbilityError({ code, message: message + where, details: { path }, suggestion });
}
