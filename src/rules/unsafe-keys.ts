import { AbilityError } from '../contracts/problem.js';

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** No real input is deeper, and recursive code can still walk it. */
const MAX_LEVELS = 200;

/**
 * Refuses keys that reach an object's prototype, values nested too deep, and non-finite numbers.
 * @throws AbilityError with the given code and the path, also in `details.path`. Source:
 * docs/operations.md#safety.
 */
export function refuseUnsafeKeys(value: unknown, code = 'input.invalid'): void {
  visit(value, [], code);
}

function visit(value: unknown, path: (string | number)[], code: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw refused(code, 'A number is too large for JSON', path, 'Write it as text.');
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
    visit(item, at, code);
  }
}

function refused(code: string, message: string, path: (string | number)[], suggestion: string): AbilityError {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  const where = path.length > 0 ? ` (at ${text.replace(/^\./, '')})` : '';
  return new AbilityError({ code, message: message + where, details: { path }, suggestion });
}
