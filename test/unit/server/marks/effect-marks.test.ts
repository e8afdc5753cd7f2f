import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EffectMarks } from '../../../../src/activities/call/effect-mark.js';
import { ListedMarks, StoredMarks } from '../../../../src/server/marks/listed-marks.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';

const CALL = { project: 'acme', environment: 'dev', call: 't-1/add', groups: [] };
const FIRST = { run: 'r-1', activity: '5' };
let store: string;

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'ability-marks-'));
});
afterEach(() => rmSync(store, { recursive: true, force: true }));

const files = (): string[] => {
  const paths = readdirSync(store, { recursive: true, encoding: 'utf8' }).map((path) => join(store, path));
  return paths.filter((path) => statSync(path).isFile());
};

describe.each<[string, () => EffectMarks]>([
  ['a mark in a folder', () => new StoredMarks(store)],
  ['a mark in a store that creates nothing exclusively', () => new ListedMarks(new FolderStore(store))],
])('%s', (_, open) => {
  let marks: EffectMarks;

  beforeEach(() => {
    marks = open();
  });

  test('is made once, and tells later callers who made it', async () => {
    expect(await marks.make(CALL, FIRST)).toBe('made');
    expect(await open().make(CALL, { run: 'r-2', activity: '5' })).toMatchObject(FIRST);
  });

  test.each([
    ['another path', { call: 't-1/other' }],
    ['another attempt of a group', { groups: [2] }],
    ['the same attempts in another order', { groups: [1, 2] }],
    ['another environment', { environment: 'prod' }],
    ['another project', { project: 'other' }],
  ])('for %s is a different one', async (_name, other) => {
    await marks.make({ ...CALL, groups: [2, 1] }, FIRST);
    await marks.make(CALL, FIRST);
    expect(await marks.make({ ...CALL, ...other }, FIRST)).toBe('made');
  });

  test('can be made again after it was removed', async () => {
    await marks.make(CALL, FIRST);
    await marks.remove(CALL);
    expect(await marks.make(CALL, { run: 'r-2', activity: '5' })).toBe('made');
  });

  test('that cannot be read counts as that of an earlier start', async () => {
    await marks.make(CALL, FIRST);
    for (const file of files()) writeFileSync(file, '');
    expect(await marks.make(CALL, FIRST)).toMatchObject({ run: expect.stringContaining('cannot be read') });
  });

  test('is made by at most one of many that try at the same time, and by the next one if by none', async () => {
    const runs = Array.from({ length: 50 }, (_each, n) => ({ run: `r-${n}`, activity: '5' }));
    const made = await Promise.all(runs.map((by) => open().make(CALL, by)));
    const begun = made.filter((answer) => answer === 'made').length;
    expect(begun).toBeLessThanOrEqual(1);
    expect((await marks.make(CALL, FIRST)) === 'made').toBe(begun === 0);
  });
});

describe('a mark in a folder', () => {
  test('is made by one of many that try at the same time', async () => {
    const runs = Array.from({ length: 50 }, (_, n) => ({ run: `r-${n}`, activity: '5' }));
    const made = await Promise.all(runs.map((by) => new StoredMarks(store).make(CALL, by)));
    expect(made.filter((answer) => answer === 'made')).toHaveLength(1);
  });

  test('that cannot be stored fails with store.full, and leaves no file', async () => {
    writeFileSync(join(store, 'marks'), 'in the way');
    await expect(new StoredMarks(store).make(CALL, FIRST)).rejects.toMatchObject({ code: 'store.full' });
    rmSync(join(store, 'marks'));
    expect(files()).toEqual([]);
  });
});

/** A point that all callers reach before any of them continues. */
function meeting(size: number): () => Promise<void> {
  let here = 0;
  let open = (): void => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    here += 1;
    if (here === size) open();
    return all;
  };
}

describe('marks in a store that creates nothing exclusively', () => {
  test('leave those of others in place when they are removed', async () => {
    const inner = new FolderStore(store);
    const own = new ListedMarks(inner);
    await own.make(CALL, FIRST);
    const [made] = await inner.listNamed('effect-marks/');
    const other = `${made?.name.slice(0, made.name.lastIndexOf('/'))}/other`;
    await inner.putNamed(other, Buffer.from('{}'));
    await own.remove(CALL);
    expect((await inner.listNamed('effect-marks/')).map(({ name }) => name)).toEqual([other]);
  });

  test('are removed if two are written before either caller looks again, and neither call begins', async () => {
    const inner = new FolderStore(store);
    const [looked, written, seen] = [meeting(2), meeting(2), meeting(2)];
    const inStep = {
      where: inner.where,
      getNamed: (name: string) => inner.getNamed(name),
      removeNamed: (name: string) => inner.removeNamed(name),
      putNamed: async (name: string, bytes: Uint8Array) => {
        await inner.putNamed(name, bytes);
        await written();
      },
      listNamed: async (name: string) => {
        const found = await inner.listNamed(name);
        await (found.length === 0 ? looked() : seen());
        return found;
      },
    };
    const answers = await Promise.all(
      ['r-1', 'r-2'].map((run) => new ListedMarks(inStep).make(CALL, { run, activity: '5' })),
    );
    expect(answers).not.toContain('made');
    expect(await inner.listNamed('effect-marks/')).toEqual([]);
  });

  test('that cannot be stored report that the call was not started', async () => {
    writeFileSync(join(store, 'effect-marks'), 'in the way');
    await expect(new ListedMarks(new FolderStore(store)).make(CALL, FIRST)).rejects.toMatchObject({
      code: 'store.full',
      message: expect.stringContaining('was not started'),
    });
  });
});
