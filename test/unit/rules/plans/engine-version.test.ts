import { describe, expect, test } from 'vitest';
import { CEL, ENGINE } from '../../../../src/contracts/names.js';
import { whyNotThisBuild } from '../../../../src/rules/plans/child-plan.js';

describe('a plan', () => {
  test('of this build is run', () => {
    expect(whyNotThisBuild({ engine: ENGINE, cel: CEL })).toBeUndefined();
  });

  test.each([
    ['for a later engine', { engine: ENGINE + 1, cel: CEL }, /engine 2, this build has engine 1$/],
    ['for an earlier engine', { engine: ENGINE - 1, cel: CEL }, /engine 0, this build has engine 1$/],
    ['for a later CEL', { engine: ENGINE, cel: CEL + 1 }, /CEL 2, this build has CEL 1$/],
    ['for an earlier CEL', { engine: ENGINE, cel: CEL - 1 }, /CEL 0, this build has CEL 1$/],
    ['that names no CEL', { engine: ENGINE }, /CEL none, this build has CEL 1$/],
    ['that names neither', {}, /engine none, this build has engine 1$/],
    ['that is missing', undefined, /engine none, this build has engine 1$/],
  ])('%s is refused, and both versions are reported', (_, planned, message) => {
    expect(whyNotThisBuild(planned)).toMatch(message);
  });
});
