import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CEL, CEL_READ, ENGINE } from '../../../../src/contracts/names.js';
import { whyNotThisBuild } from '../../../../src/rules/plans/engine-version.js';

describe('a plan', () => {
  test.each([
    ['of this build', { engine: ENGINE, cel: CEL }],
    ['that was made before plans named their CEL', { engine: ENGINE }],
    ['of the engine before this one', { engine: ENGINE - 1, cel: CEL }],
  ])('%s is run', (_, planned) => {
    expect(whyNotThisBuild(planned)).toBeUndefined();
  });

  test.each([
    ['for another engine', { engine: ENGINE + 1, cel: CEL }, `engine ${ENGINE + 1}`],
    ['for another CEL', { engine: ENGINE, cel: '0.0.1' }, 'CEL 0.0.1'],
    ['that names neither', {}, 'engine none'],
    ['that is missing', undefined, 'engine none'],
  ])('%s is refused, and both versions are reported', (_, planned, message) => {
    expect(whyNotThisBuild(planned)).toContain(message);
  });
});

test('plans state exactly the CEL version that is installed', () => {
  const dependencies = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
  expect(dependencies('../../../../package.json').dependencies['@marcbachmann/cel-js']).toBe(CEL.split('+', 1)[0]);
  expect(dependencies('../../../../node_modules/@marcbachmann/cel-js/package.json').version).toBe(CEL.split('+', 1)[0]);
  expect(CEL_READ).toContain(CEL);
});
