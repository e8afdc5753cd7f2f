import { expect, test } from 'vitest';
import { refuseMasked, refuseMaskedInput } from '../../../../../src/doors/cli/input/parse-input.js';

test('an input whose secrets are masked is not passed on as the input', () => {
  const input = { region: 'eu', login: { token: 'Bearer ***' }, list: ['a', '***'] };
  expect(() => refuseMasked('k', input)).toThrow(
    expect.objectContaining({ code: 'record.masked', message: expect.stringMatching(/in login, list$/) }),
  );
  expect(() => refuseMasked('k', { '***': 1 })).toThrow(/masks secrets/);
});

test('an input without masks is passed on', () => {
  expect(() => refuseMasked('k', { region: 'eu', stars: '**', none: null, deep: { n: [1] } })).not.toThrow();
});

test('an input with masks is not stored for later', () => {
  expect(() => refuseMaskedInput({ region: 'eu', login: { token: '***' } })).toThrow(
    expect.objectContaining({ code: 'record.masked', message: expect.stringContaining('in login,') }),
  );
  expect(() => refuseMaskedInput({ region: 'eu', stars: '**' })).not.toThrow();
});
