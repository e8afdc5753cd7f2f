import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlanFlag } from '../../../../../src/doors/cli/output/preview/explain-change.js';
import { digestOf } from '../../../../../src/rules/canonical.js';
import { errorOf } from '../../../error-of.js';
import { temporaryProject } from '../../../temporary-project.js';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

test('--plan takes the digest of a plan, with or without that of its input', () => {
  expect(readPlanFlag(A, '/').wanted).toEqual({ plan: A });
  expect(readPlanFlag(`${A}.${B}`, '/').wanted).toEqual({ plan: A, input: B });
});

test.each(['', 'abc', A.slice(1), `${A}.`, `${A}.${B}.${B}`, A.toUpperCase(), `${A} `])(
  '--plan %j is refused',
  (given) => {
    expect(errorOf(() => readPlanFlag(given, '/')).code).toBe('usage.invalid');
  },
);

test('--plan @file accepts the output of `ability plan --json`, but not after a change', () => {
  const plan = { operations: {} };
  const whole = { plan, input: { a: 1 }, digest: digestOf(plan), input_digest: digestOf({ a: 1 }) };
  const { root, write } = temporaryProject({ 'plan.json': JSON.stringify(whole) });
  expect(readPlanFlag('@plan.json', root)).toEqual({ wanted: { plan: whole.digest, input: whole.input_digest }, plan });
  for (const other of [
    { ...whole, input: { a: 2 } },
    { ...whole, plan: { operations: {}, more: 1 } },
    { ...whole, plan: { operations: { x: 1 } } },
    { ...whole, plan: null },
    [],
    7,
  ]) {
    write({ 'plan.json': JSON.stringify(other) });
    expect(errorOf(() => readPlanFlag('@plan.json', root)).code).toBe('usage.invalid');
  }
  expect(errorOf(() => readPlanFlag(`@${join(root, 'gone.json')}`, root)).code).toBe('usage.invalid');
});
