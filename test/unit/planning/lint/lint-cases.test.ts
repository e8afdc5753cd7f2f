import { describe, expect, test } from 'vitest';
import { LINT_CODES, LINT_ERRORS } from '../../../../src/contracts/lint-codes.js';
import { formatLocation } from '../../../../src/contracts/problem.js';
import { LINT_CASES } from './cases/index.js';
import { findingsOf, type LintCase, markedPlaces } from './lint-case.js';

const isMarked = ({ files }: LintCase): boolean => markedPlaces(files).length > 0;

describe.each([...Object.keys(LINT_CODES), ...LINT_ERRORS])('%s', (code) => {
  const cases = LINT_CASES.filter((own) => own.code === code);

  test.each(cases.filter(isMarked))('is raised, at its place: $name', ({ files, options }) => {
    const found = findingsOf({ files, options }).filter((finding) => finding.code === code);
    expect(found.map(({ location }) => formatLocation(location)).sort()).toEqual(markedPlaces(files).sort());
  });

  test.each(cases.filter((own) => !isMarked(own)))(
    'is not raised, and nothing else is: $name',
    ({ files, options }) => {
      expect(findingsOf({ files, options })).toEqual([]);
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
