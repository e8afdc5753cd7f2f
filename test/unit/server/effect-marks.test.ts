import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoredMarks } from '../../../src/server/effect-marks.js';

const CALL = { project: 'acme', environment: 'dev', call: 't-1/add', groups: [] };
const FIRST = { run: 'r-1', activity: '5' };
let store: string;
let marks: StoredMarks;

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'ability-marks-'));
  marks = new StoredMarks(store);
});
afterEach(() => rmSync(store, { recursive: true, force: true }));

const files = (): string[] => {
  const paths = readdirSync(store, { recursive: true, encoding: 'utf8' }).map((path) => join(store, path));
  return paths.filter((path) => statSync(path).isFile());
};

describe('a mark', () => {
  test('is made once, and tells whoever comes later who made it', async () => {
    expect(await marks.make(CALL, FIRST)).toBe('made');
    expect(await new StoredMarks(store).make(CALL, { run: 'r-2', activity: '5' })).toMatchObject(FIRST);
  });

  test('is made by one of many who try at the same time', async () => {
    const runs = Array.from({ length: 50 }, (_, n) => ({ run: `r-${n}`, activity: '5' }));
    const made = await Promise.all(runs.map((by) => marks.make(CALL, by)));
    expect(made.filter((answer) => answer === 'made')).toHaveLength(1);
  });

  test.each([
    ['another path', { call: 't-1/other' }],
    ['another attempt of a group', { groups: [2] }],
    ['the same attempts in another order', { groups: [1, 2] }],
    ['another environment', { environment: 'prod' }],
    ['another project', { project: 'other' }],
  ])('of %s is another one', async (_, other) => {
    await marks.make({ ...CALL, groups: [2, 1] }, FIRST);
    await marks.make(CALL, FIRST);
    expect(await marks.make({ ...CALL, ...other }, FIRST)).toBe('made');
  });

  test('that was taken back can be made again', async () => {
    await marks.make(CALL, FIRST);
    await marks.remove(CALL);
    expect(await marks.make(CALL, { run: 'r-2', activity: '5' })).toBe('made');
  });

  test('that cannot be read is that of an earlier start', async () => {
    await marks.make(CALL, FIRST);
    for (const file of files()) writeFileSync(file, '');
    expect(await marks.make(CALL, FIRST)).toMatchObject({ run: expect.stringContaining('cannot be read') });
  });

  test('that cannot be kept is store.full, and is not there', async () => {
    writeFileSync(join(store, 'marks'), 'in the way');
    await expect(marks.make(CALL, FIRST)).rejects.toMatchObject({ code: 'store.full' });
    rmSync(join(store, 'marks'));
    expect(files()).toEqual([]);
  });
});
