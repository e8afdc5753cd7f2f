import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectFiles, type TaskEnd } from '../../../../src/server/store/collect-files.js';
import { FileHolds } from '../../../../src/server/store/file-holds.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { TaskFileStore } from '../../../../src/server/store/task-file-store.js';

const DAY = 24 * 60 * 60_000;

let folder: string;
let store: FolderStore;
let files: TaskFileStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-holds-'));
  store = new FolderStore(folder);
  files = new TaskFileStore(store, 'shop');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => async () => Readable.from([Buffer.from(text)]);
const keep = async (text: string, task: string, own = files) => (await own.keep(bytes(text), task, 1000)).sha256;

describe('a file that tasks hold', () => {
  test('is removed with the last of them, in whichever project', async () => {
    const other = new TaskFileStore(store, 'other');
    const digest = await keep('a', 'one');
    expect(await keep('a', 'two')).toBe(digest);
    expect(await keep('a', 'one', other)).toBe(digest);
    expect(await files.release('one')).toBe(0);
    expect(await files.release('two')).toBe(0);
    expect(await store.sizeOfFile(digest)).toBeGreaterThan(0);
    expect(await other.release('one')).toBe(1);
    expect(await store.sizeOfFile(digest)).toBeUndefined();
    expect(await store.listNamed('file-holds/')).toEqual([]);
  });

  test('is held under keys with a colon and a slash', async () => {
    const digest = await keep('a', 'direct:1/2');
    expect(await files.holds.holdingTasks()).toMatchObject([{ task: 'direct:1/2', digests: [digest] }]);
    expect(await files.release('direct:1/2')).toBe(1);
  });

  test('is not held if it does not exist', async () => {
    await expect(files.hold('one', { $file: 'a'.repeat(64), name: 'a', bytes: 1 })).rejects.toMatchObject({
      code: 'store.not_shared',
    });
    expect(await store.listNamed('file-holds/')).toEqual([]);
  });
});

describe('tasks with the same file at the same time', () => {
  test('start and end without an error of the store', async () => {
    const turns = Array.from({ length: 4 }, async (_, number) => {
      for (let turn = 0; turn < 12; turn += 1) {
        const task = `task-${number}-${turn}`;
        const digest = await keep('same', task);
        expect(await store.sizeOfFile(digest)).toBeGreaterThan(0);
        await files.release(task);
      }
    });
    const removing = Array.from({ length: 2 }, async () => {
      for (let turn = 0; turn < 200; turn += 1) {
        await store.putNamed(`file-holds/leaving/x/${turn}`, new Uint8Array());
        await store.removeNamed(`file-holds/leaving/x/${turn}`);
      }
    });
    await Promise.all([...turns, ...removing]);
    expect(await store.listNamed('file-holds/')).toEqual([]);
  });
});

describe('a file that is removed while a task stores it', () => {
  /** Runs an action before the first call of a method of the store. */
  function interrupted(method: 'removeFile' | 'putNamed' | 'sizeOfFile', act: () => Promise<unknown>): FolderStore {
    const own = new FolderStore(folder);
    const original = own[method].bind(own) as (...args: never[]) => Promise<never>;
    let isFirst = true;
    Object.assign(own, {
      [method]: async (...args: never[]) => {
        if (isFirst) {
          isFirst = false;
          await act();
        }
        return original(...args);
      },
    });
    return own;
  }

  test('is stored again if the task came after the check for holds', async () => {
    const digest = await keep('a', 'old');
    await store.removeNamed(`file-holds/by-file/${digest}/shop/old`);
    let kept: Promise<string> | undefined;
    // The task writes its hold after the collector has seen none, and waits for the removal to finish.
    const slow = interrupted('removeFile', async () => {
      kept = keep('a', 'new');
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect(await new FileHolds(slow, 'shop').removeUnheld(digest)).toBe(true);
    expect(await kept).toBe(digest);
    expect(await store.sizeOfFile(digest)).toBeGreaterThan(0);
  });

  test('stays if the task came before the check', async () => {
    const digest = await keep('a', 'old');
    await store.removeNamed(`file-holds/by-file/${digest}/shop/old`);
    const slow = interrupted('putNamed', () => files.holds.hold('new', digest));
    expect(await new FileHolds(slow, 'shop').removeUnheld(digest)).toBe(false);
    expect(await store.sizeOfFile(digest)).toBeGreaterThan(0);
  });

  test('exists in any order of many tasks that start and end', async () => {
    const round = async (n: number) => {
      const own = new TaskFileStore(new FolderStore(folder), 'shop');
      const digest = await keep('shared', `task-${n}`, own);
      expect(await store.sizeOfFile(digest)).toBeGreaterThan(0);
      await own.release(`task-${n}`);
    };
    await Promise.all(Array.from({ length: 12 }, (_, n) => round(n)));
    expect(await store.listNamed('file-holds/')).toEqual([]);
  });
});

describe('a collection', () => {
  const collect = (ends: Record<string, TaskEnd>, days: number) =>
    collectFiles({
      holds: files.holds,
      store,
      endOf: async (task) => ends[task] ?? 'unknown',
      keepMs: 30 * DAY,
      now: new Date(Date.now() + days * DAY),
    });

  test('releases tasks that ended long ago, and unknown tasks', async () => {
    for (const task of ['open', 'long', 'lately', 'lost']) await keep(task, task);
    const ends = { open: 'open' as const, long: new Date(), lately: new Date(Date.now() + 20 * DAY) };
    expect(await collect(ends, 29)).toEqual({ tasks: 0, files: 0 });
    expect(await collect(ends, 31)).toEqual({ tasks: 2, files: 2 });
    expect((await files.holds.holdingTasks()).map(({ task }) => task).sort()).toEqual(['lately', 'open']);
  });

  test('removes a file that no task holds, once it is old', async () => {
    const { sha256 } = await store.keepFile(Readable.from(['x']), { maxBytes: 10 });
    expect(await collect({}, 1)).toEqual({ tasks: 0, files: 0 });
    expect(await collect({}, 3)).toEqual({ tasks: 0, files: 1 });
    expect(await store.sizeOfFile(sha256)).toBeUndefined();
  });
});
