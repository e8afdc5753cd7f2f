import { describe, expect, test } from 'vitest';
import { LINT_CODES, LINT_ERRORS } from '../../../src/contracts/lint-codes.js';
import { formatLocation } from '../../../src/contracts/problem.js';
import { LINT_CASES } from './cases/index.js';
import { findingsOf, type LintCase, markedPlaces } from './lint-case.js';

/** Notes that many of these cases would have; they have cases of their own. */
const COMMON = ['lint.guard_without_example', 'lint.script_not_boxed'];

const isMarked = (own: LintCase): boolean => markedPlaces(placesIn(own)).length > 0;

/** What was removed is marked in the files before the change. */
const placesIn = ({ files, before }: LintCase): LintCase['files'] => ({ ...before, ...files });

describe.each([...Object.keys(LINT_CODES), ...LINT_ERRORS])('%s', (code) => {
  const cases = LINT_CASES.filter((own) => own.code === code);

  test.each(cases.filter(isMarked))('is raised at its location: $name', ({ files, options, before }) => {
    const found = findingsOf({ files, options, before }).filter((finding) => finding.code === code);
    const places = new Set(found.map(({ location }) => formatLocation(location)));
    expect([...places].sort()).toEqual(markedPlaces(placesIn({ files, before, code, name: '' })).sort());
  });

  test.each(cases.filter((own) => !isMarked(own)))(
    'is not raised, nor is any other finding: $name',
    ({ files, options, before }) => {
      const others = findingsOf({ files, options, before }).filter(
        (finding) => finding.code === code || !COMMON.some((common) => JSON.stringify(finding).includes(common)),
      );
      expect(others).toEqual([]);
    },
  );

  test('has two cases that raise it and one near miss', () => {
    expect(cases.filter(isMarked).length).toBeGreaterThanOrEqual(2);
    expect(cases.filter((own) => !isMarked(own)).length).toBeGreaterThanOrEqual(1);
  });
});

test('a sound project has no findings', () => {
  expect(findingsOf({ files: {} })).toEqual([]);
});

test('a text in which tokens seem to begin again and again is read only once', () => {
  const vars = `environments: { dev: { vars: { text: "${'eyJ-'.repeat(200_000)}" } } }`;
  expect(findingsOf({ files: { 'ability.yaml': `format: 1\nproject: linted\n${vars}\n` } })).toEqual([]);
});
