import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkStore } from '../../../../src/server/checks/check-store.js';
import { openMarks } from '../../../../src/server/marks/listed-marks.js';
import { pathsOf } from '../../../../src/server/project-paths.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { openStore } from '../../../../src/server/store/open-store.js';
import type { Store } from '../../../../src/server/store/store.js';
import { StoreIdentity } from '../../../../src/server/store/store-identity.js';
import { errorOf, errorOfAsync } from '../../error-of.js';

let root: string;
let shared: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-test-identity-'));
  shared = join(root, 'mnt');
});
afterEach(() => rmSync(root, { recursive: true }));

/** The folder of a project on a machine. */
const pathsOn = (machine: string) => pathsOf(join(root, machine));
/** The store as another process of the machine opens it. */
const on = (machine: string): Store => openStore(shared, null, pathsOn(machine));
const BYTES = Buffer.from('x');
const unmount = (): void => {
  renameSync(shared, join(root, 'away'));
  mkdirSync(shared);
};
const mount = (): void => {
  rmSync(shared, { recursive: true });
  renameSync(join(root, 'away'), shared);
};

describe('a shared store whose file system is not mounted (issue 11, item 4)', () => {
  beforeEach(async () => {
    await on('one').putNamed('tasks/a', BYTES);
  });

  const uses: [string, (store: Store) => Promise<unknown>][] = [
    ['a value that is kept', (store) => store.put(BYTES)],
    ['a value that is read', (store) => store.get('00')],
    ['a file that is kept', (store) => store.keepFile(Readable.from([BYTES]), { maxBytes: 10 })],
    ['a file that is read', (store) => store.openFile('0'.repeat(64))],
    ['the size of a file', (store) => store.sizeOfFile('0'.repeat(64))],
    ['a file that is removed', (store) => store.removeFile('0'.repeat(64))],
    [
      'the list of files',
      async (store) => {
        for await (const _ of store.listFiles());
      },
    ],
    ['what was half written', (store) => store.removeHalfWritten(new Date())],
    ['a log that is written', (store) => store.putNamed('tasks/b', BYTES)],
    ['a log that is read', (store) => store.getNamed('tasks/a')],
    ['the list of logs', (store) => store.listNamed('tasks/')],
    ['a log that is removed', (store) => store.removeNamed('tasks/a')],
    [
      'the mark before an effect',
      (store) =>
        openMarks(store).make({ project: 'p', environment: 'e', call: 't/a', groups: [] }, { run: 'r', activity: 'a' }),
    ],
  ];
  test.each(uses)('is refused for %s, and nothing is written in its place', async (_, use) => {
    unmount();
    const error = await errorOfAsync(() => use(on('one')));
    expect(error).toMatchObject({ code: 'store.not_shared', message: expect.stringMatching(/not mounted/) });
    expect(error.suggestion).toMatch(/Mount the store.*remove .*shared-stores/);
    expect(readdirSync(shared)).toEqual([]);
    mount();
    expect(await on('one').getNamed('tasks/a')).toEqual(BYTES);
  });

  test('has no value, and is reported by doctor', async () => {
    const digest = await on('one').put(BYTES);
    unmount();
    expect(await on('one').holds(digest)).toBe(false);
    expect(await checkStore(shared, {}, pathsOn('one'))).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/not mounted/),
    });
  });

  test('is also refused if another store is in its place, until the recorded identity is removed', async () => {
    unmount();
    await openStore(shared, null, pathsOn('other')).put(BYTES);
    const error = await errorOfAsync(() => on('one').put(BYTES));
    expect(error.message).toMatch(/a different store/);
    const [file] = /\S+shared-stores\S+\.json/.exec(String(error.suggestion)) ?? [];
    rmSync(String(file));
    await on('one').put(BYTES);
  });
});

test('a store that disappears while a process uses it is detected at once before a write, and after some seconds before a read', () => {
  let now = 0;
  const identity = new StoreIdentity(shared, pathsOn('one'), () => now);
  identity.check(true);
  unmount();
  identity.check(false);
  expect(errorOf(() => identity.check(true)).code).toBe('store.not_shared');
  now = 5001;
  expect(errorOf(() => identity.check(false)).code).toBe('store.not_shared');
});

test('the first write creates the id, once for all machines, and a read alone writes nothing to the store', async () => {
  expect(await on('one').listNamed('tasks/')).toEqual([]);
  expect(existsSync(shared)).toBe(false);
  const machines = ['one', 'two', 'three'];
  await Promise.all(machines.map((machine) => on(machine).putNamed(`tasks/${machine}`, BYTES)));
  const id = readFileSync(join(shared, 'store-id'), 'utf8').trim();
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const seen = machines.map((machine) => {
    const { sharedStores } = pathsOn(machine);
    const [name = ''] = readdirSync(sharedStores);
    return JSON.parse(readFileSync(join(sharedStores, name), 'utf8')).id;
  });
  expect(seen).toEqual([id, id, id]);
  expect((await on('one').listNamed('tasks/')).map(({ name }) => name)).toEqual([
    'tasks/one',
    'tasks/three',
    'tasks/two',
  ]);
});

test('an earlier store without an id gets one with the next write', async () => {
  await new FolderStore(shared, true).putNamed('tasks/a', BYTES);
  expect(await on('one').getNamed('tasks/a')).toEqual(BYTES);
  await on('one').putNamed('tasks/b', BYTES);
  expect(existsSync(join(shared, 'store-id'))).toBe(true);
});

test('a project that cannot be written still uses the store', async () => {
  writeFileSync(join(root, 'one'), 'no folder');
  await on('one').putNamed('tasks/a', BYTES);
  expect(await on('one').getNamed('tasks/a')).toEqual(BYTES);
});
