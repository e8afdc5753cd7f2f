import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { pathsOf } from '../../../../src/server/project-paths.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { openStore } from '../../../../src/server/store/open-store.js';
import { SealedStore } from '../../../../src/server/store/sealed-store.js';
import { describeStore } from '../../../fixtures/store-promises.js';
import { errorOf, errorOfAsync } from '../../error-of.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ability-test-store-'));
  folders.push(folder);
  return folder;
}
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));

describeStore('a folder', async () => {
  const folder = emptyFolder();
  return {
    store: new FolderStore(folder),
    other: new FolderStore(folder),
    damage: async (path, bytes) => {
      rmSync(join(folder, path));
      writeFileSync(join(folder, path), bytes);
    },
    list: async () => filesIn(folder),
  };
});

const PAYLOAD_KEYS = new Map([['k', new Uint8Array(32).fill(7)]]);

describeStore('a folder that is encrypted', async () => {
  const folder = emptyFolder();
  const open = () => new SealedStore(new FolderStore(folder), PAYLOAD_KEYS);
  const inHalves = (digest: string) => `${digest.slice(0, 2)}/${digest}`;
  /** The named object of each file, its digest, and where its encrypted form is. */
  const forms = () =>
    filesIn(folder).flatMap((path) => {
      const [, digest = '', sealed = ''] = /^sealed\/files\/(\w{64})\/\w+-\w{16}-(\w{64})-\d+$/.exec(path) ?? [];
      return digest ? [{ path, digest, form: `files/${inHalves(sealed)}` }] : [];
    });
  return {
    store: open(),
    other: open(),
    damage: async (path, bytes) => {
      const digest = path.slice(-64);
      const found = forms().find((one) => one.digest === digest)?.form;
      const at = join(folder, path.startsWith('files/') ? (found ?? 'nowhere') : `sealed/values/${digest}`);
      rmSync(at);
      writeFileSync(at, bytes);
    },
    // As in a plain folder; an encrypted form that no name is of is left over.
    list: async () => {
      const named = forms();
      const hidden = new Set(named.flatMap(({ path, form }) => [path, form]));
      const others = filesIn(folder).filter((path) => !hidden.has(path));
      const values = others.map((path) => (path.startsWith('sealed/values/') ? inHalves(path.slice(-64)) : path));
      return [...named.map(({ digest }) => `files/${inHalves(digest)}`), ...values];
    },
  };
});

test('a folder that cannot be written fails with store.full and the reason', async () => {
  const file = join(emptyFolder(), 'file');
  writeFileSync(file, '');
  const store = new FolderStore(file);
  const writes = [
    () => store.put(Buffer.from('x')),
    () => store.putNamed('tasks/x', Buffer.from('x')),
    () => store.keepFile(Readable.from(['x']), { maxBytes: 1 }),
  ];
  for (const write of writes) {
    const error = await errorOfAsync(write);
    expect(error).toMatchObject({ code: 'store.full', message: expect.stringContaining(file) });
    expect(error.suggestion).toMatch(/ABILITY_STORE/);
    expect(error.cause).toBeInstanceOf(Error);
  }
});

test('a partial file of a killed process is removed if nothing has been added since', async () => {
  const folder = emptyFolder();
  const store = new FolderStore(folder);
  await store.putNamed('tasks/x', Buffer.from('x'));
  for (const name of ['old', 'young']) writeFileSync(join(folder, 'new', name), name);
  const [before, earlier] = [new Date('2026-01-02'), new Date('2026-01-01')];
  utimesSync(join(folder, 'new', 'old'), earlier, earlier);
  await store.removeHalfWritten(before);
  expect(filesIn(folder).sort()).toEqual(['new/young', 'tasks/x']);
});

test('a store is shared if it is not the own store of the project', () => {
  const paths = pathsOf('/project');
  expect(openStore('/project/.system/store/', null, paths).isShared).toBe(false);
  expect(openStore('/shared', null, paths)).toMatchObject({ isShared: true, where: '/shared' });
});

test('a location of another kind is refused', () => {
  const error = errorOf(() => openStore('gs://bucket/prefix', null));
  expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('gs://bucket/prefix') });
});
