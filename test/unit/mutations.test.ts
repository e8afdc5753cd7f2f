import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Mutation {
  name: string;
  file: string;
  find: string;
  replace: string;
  tests: (string | { file: string; name: string })[];
}

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { MUTATIONS } = (await import(pathOf('test/mutations/mutations.mjs'))) as { MUTATIONS: Mutation[] };

describe('the mutations, which only `npm run test:mutations` plants', () => {
  test.each(MUTATIONS)('$name: can be planted', ({ file, find, replace }) => {
    const parts = existsSync(pathOf(file)) ? readFileSync(pathOf(file), 'utf8').split(find).length - 1 : 'no such file';
    expect([file, find, parts]).toEqual([file, find, 1]);
    expect(replace).not.toBe(find);
  });

  test.each(MUTATIONS)('$name: the tests that must notice it exist', ({ tests }) => {
    const missing = tests.filter((killer) => {
      const { file, name } = typeof killer === 'string' ? { file: killer, name: '' } : killer;
      return !existsSync(pathOf(file)) || !readFileSync(pathOf(file), 'utf8').includes(name);
    });
    expect(missing).toEqual([]);
    expect(tests).not.toHaveLength(0);
  });
});
