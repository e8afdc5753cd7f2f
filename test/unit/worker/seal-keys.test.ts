import { describe, expect, test } from 'vitest';
import { createSealKey, keysFromEnvironment } from '../../../src/worker/seal-keys.js';
import { errorOf } from '../error-of.js';

describe('a new seal key', () => {
  test('is accepted by workers, and is never the same twice', () => {
    const value = createSealKey('main');
    expect(keysFromEnvironment(value).keys.get('main')).toHaveLength(32);
    expect(createSealKey('main')).not.toBe(value);
  });

  test('is added after those in use, so that the first continues to sign', () => {
    const current = createSealKey('old');
    const both = createSealKey('new', ` ${current} ,`);
    expect(both.startsWith(`${current},new:`)).toBe(true);
    expect([...keysFromEnvironment(both).keys.keys()]).toEqual(['old', 'new']);
  });

  test.each<[string, () => unknown, string]>([
    ['an id that is none', () => createSealKey('a:b'), 'usage.invalid'],
    ['an id that is taken', () => createSealKey('old', createSealKey('old')), 'usage.invalid'],
    ['nothing to add it to', () => createSealKey('new', ' '), 'usage.invalid'],
    ['broken keys to add it to', () => createSealKey('new', 'old:short'), 'seal.no_key'],
  ])('is refused for %s', (_, make, code) => {
    expect(errorOf(make).code).toBe(code);
  });
});
