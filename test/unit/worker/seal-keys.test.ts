import { describe, expect, test } from 'vitest';
import { createKey, rotateKeys, SEAL_KEYS } from '../../../src/server/keys/key-list.js';
import { keysFromEnvironment } from '../../../src/worker/seal-keys.js';
import { errorOf } from '../error-of.js';

describe('a new seal key', () => {
  test('is accepted by workers, and is never the same twice', () => {
    const value = createKey('main', SEAL_KEYS);
    expect(keysFromEnvironment(value).keys.get('main')).toHaveLength(32);
    expect(createKey('main', SEAL_KEYS)).not.toBe(value);
  });

  test('is added after those in use, so that the first continues to sign', () => {
    const current = createKey('old', SEAL_KEYS);
    const both = createKey('new', SEAL_KEYS, ` ${current} ,`);
    expect(both.startsWith(`${current},new:`)).toBe(true);
    expect([...keysFromEnvironment(both).keys.keys()]).toEqual(['old', 'new']);
  });

  test.each<[string, () => unknown, string]>([
    ['an id that is none', () => createKey('a:b', SEAL_KEYS), 'usage.invalid'],
    ['an id that is taken', () => createKey('old', SEAL_KEYS, createKey('old', SEAL_KEYS)), 'usage.invalid'],
    ['nothing to add it to', () => createKey('new', SEAL_KEYS, ' '), 'usage.invalid'],
    ['broken keys to add it to', () => createKey('new', SEAL_KEYS, 'old:short'), 'seal.no_key'],
  ])('is refused for %s', (_, make, code) => {
    expect(errorOf(make).code).toBe(code);
  });
});

describe('rotating', () => {
  test('puts the key that all know by now first, and keeps the others', () => {
    const [one, two] = ['one', 'two'].map((id) => createKey(id, SEAL_KEYS));
    expect(rotateKeys(SEAL_KEYS, ` ${one} , ${two}`)).toBe(`${two},${one}`);
  });

  test.each([
    ['no keys', '', 'usage.invalid'],
    ['one key', createKey('one', SEAL_KEYS), 'usage.invalid'],
    ['two keys of one id', `${createKey('one', SEAL_KEYS)},${createKey('one', SEAL_KEYS)}`, 'seal.no_key'],
  ])('%s is refused', (_, current, code) => {
    expect(errorOf(() => rotateKeys(SEAL_KEYS, current)).code).toBe(code);
  });
});
