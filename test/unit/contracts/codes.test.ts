import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CODES, familyOf, meaningOf, OUR_FAMILIES } from '../../../src/contracts/codes.js';
import { LINT_CODES, LINT_ERRORS, lintMeaningOf } from '../../../src/contracts/lint-codes.js';
import {
  END_STATES,
  EXIT,
  EXIT_OF_STATE,
  isEndState,
  isStepEnd,
  OPEN_STATES,
  STEP_STATUSES,
} from '../../../src/contracts/states.js';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

describe.each(Object.entries(CODES))('%s', (code, { exit, means, next }) => {
  test('is dotted, has a known exit code, and states what happened and what to do', () => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    expect(Object.values(EXIT)).toContain(exit);
    expect(means).toMatch(/^[A-Z].+\.$/);
    expect(next).toMatch(/^\S.{10,}[.`]$/);
  });
});

test('codes are in alphabetical order, so that they are easy to find', () => {
  expect(Object.keys(CODES)).toEqual(Object.keys(CODES).sort());
});

describe.each(Object.entries(LINT_CODES))('%s', (code, { means, why, fix }) => {
  test('is a code of lint, and states what is wrong, why, and what to do', () => {
    expect(code).toMatch(/^lint\.[a-z]+(_[a-z]+)*$/);
    for (const text of [means, why, fix]) expect(text).toMatch(/^\S.{10,}[.`]$/);
  });
});

test('the codes of lint are in alphabetical order, and the errors that it reports are errors', () => {
  expect(Object.keys(LINT_CODES)).toEqual(Object.keys(LINT_CODES).sort());
  expect(LINT_ERRORS.filter((code) => meaningOf(code) === undefined)).toEqual([]);
});

test('every code in the sources is in the table', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const written = files.flatMap((name) =>
    [...readFileSync(join(SRC, name), 'utf8').matchAll(/\bcode: '([a-z_]+\.[a-z_.]+)'/g)].map(
      ([, code]) => `${code} (${name})`,
    ),
  );
  expect(written.length).toBeGreaterThan(50);
  const isKnown = (code = ''): boolean => (meaningOf(code) ?? lintMeaningOf(code)) !== undefined;
  expect(written.filter((code) => !isKnown(code.split(' ')[0]))).toEqual([]);
});

test.each([
  ['input.invalid', EXIT.usage],
  ['task.key_conflict', EXIT.usage],
  ['ability.not_found', EXIT.usage],
  ['definition.invalid', EXIT.usage],
  ['scope.environment', EXIT.unavailable],
  ['config.missing_credential', EXIT.unavailable],
  ['guard.denied', EXIT.denied],
  ['hook.failed', EXIT.denied],
  ['approval.expired', EXIT.denied],
  ['timeout.task', EXIT.timedOut],
  ['wait.timeout', EXIT.timedOut],
  ['placement.no_worker', EXIT.outOfOrder],
  ['worker.unavailable', EXIT.outOfOrder],
  ['engine.stuck', EXIT.outOfOrder],
  ['outcome.unknown', EXIT.unknown],
  ['wait.interrupted', EXIT.interrupted],
  ['timeout.step', EXIT.failed],
] as const)('%s ends a command with %i', (code, exit) => {
  expect(meaningOf(code)?.exit).toBe(exit);
});

test('every status of a service has the same meaning, and a code of an author has none', () => {
  expect(meaningOf('http.404')).toBe(CODES['http.error']);
  expect(meaningOf('http.503')).toBe(CODES['http.error']);
  for (const code of ['http.teapot', 'shop.sold_out', 'toString', 'constructor', ''])
    expect(meaningOf(code)).toBeUndefined();
});

test('every family of the table is ours, and so are those with a meaning of their own', () => {
  for (const code of Object.keys(CODES)) expect(OUR_FAMILIES.has(familyOf(code))).toBe(true);
  for (const family of ['unavailable', 'timeout', 'invalid', 'denied', 'http'])
    expect(OUR_FAMILIES.has(family)).toBe(true);
  expect(OUR_FAMILIES.has('shop')).toBe(false);
});

describe('states', () => {
  test('are those of the design, each with an exit code', () => {
    expect(OPEN_STATES).toEqual(['created', 'guarding', 'waiting_approval', 'waiting', 'running', 'finishing']);
    const formed = ['succeeded', 'failed', 'denied', 'cancelled', 'timed_out', 'unknown', 'expired'];
    expect(END_STATES).toEqual([...formed, 'unavailable']);
    expect(Object.keys(EXIT_OF_STATE).sort()).toEqual([...OPEN_STATES, ...END_STATES].sort());
  });

  test.each([
    ['succeeded', 0],
    ['failed', 1],
    ['cancelled', 1],
    ['expired', 1],
    ['unavailable', 3],
    ['denied', 4],
    ['waiting_approval', 5],
    ['timed_out', 6],
    ['unknown', 8],
  ] as const)('%s exits with %i', (state, exit) => {
    expect(EXIT_OF_STATE[state]).toBe(exit);
  });

  test('an end state is distinguished from an open one', () => {
    expect(END_STATES.every(isEndState)).toBe(true);
    expect([...OPEN_STATES, 'toString'].some(isEndState)).toBe(false);
    expect(STEP_STATUSES.filter((status) => !isStepEnd(status))).toEqual(['pending', 'running', 'waiting']);
  });
});
