import { expect, test, vi } from 'vitest';
import { AbilityError } from '../../../src/contracts/problem.js';
import { DefinitionErrors } from '../../../src/planning/steps/check-names.js';

test('an error from another copy of the module is one of ours, and nothing else is', async () => {
  vi.resetModules();
  const other = await import('../../../src/contracts/problem.js');
  expect(other.AbilityError).not.toBe(AbilityError);
  const foreign = new other.AbilityError({ code: 'input.invalid', message: 'no' });
  expect(foreign instanceof AbilityError).toBe(true);
  for (const value of [new Error('no'), { code: 'input.invalid', message: 'no' }, null, 'no', new TypeError('no')]) {
    expect(value instanceof AbilityError).toBe(false);
  }
});

test('a derived class keeps the usual `instanceof`', () => {
  const plain = new AbilityError({ code: 'input.invalid', message: 'no' });
  const several = new DefinitionErrors([plain]);
  expect(several instanceof AbilityError).toBe(true);
  expect(several instanceof DefinitionErrors).toBe(true);
  expect(plain instanceof DefinitionErrors).toBe(false);
});

test('the marker of an error appears neither in JSON nor among its keys', () => {
  const error = new AbilityError({ code: 'input.invalid', message: 'no' });
  expect(Object.getOwnPropertySymbols(error)).toEqual([]);
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'AbilityError', code: 'input.invalid' });
});
