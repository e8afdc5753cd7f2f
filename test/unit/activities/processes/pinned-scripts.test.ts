import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { PinnedCopy } from '../../../../src/activities/processes/pinned-copy.js';
import { PinnedScripts } from '../../../../src/activities/processes/pinned-scripts.js';
import type { PinnedFile, PlanScript } from '../../../../src/contracts/plan.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import type { ProjectFolder } from '../../../fixtures/project-folder.js';
import { temporaryProject } from '../../temporary-project.js';

let project: ProjectFolder;
let store: FolderStore;
let scripts: PinnedScripts;

beforeEach(() => {
  project = temporaryProject({ 's/main.mjs': 'main', 's/lib/a.mjs': 'a' });
  store = new FolderStore(join(project.root, '.system/store'));
  scripts = new PinnedScripts(project.root, join(project.root, '.system/pinned'), store);
});

const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
const pin = (path: string, content: string, more: Partial<PinnedFile> = {}): PinnedFile => ({
  path,
  digest: digestOf(content),
  ...more,
});

/** A script of a plan, with its files. */
function planned(more: Partial<PlanScript> = {}): PlanScript {
  const env = { pass: [], set: {}, secrets: {} };
  const files = [pin('s/lib/a.mjs', 'a')];
  return { ...pin('s/main.mjs', 'main'), files, interpreter: ['node'], args: [], env, ...more };
}

const contentOf = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('a copy', () => {
  test('has the layout of the project, can be read and run but not written, and lies in .system', async () => {
    const { file, pinned, names } = await scripts.find(planned());
    expect(pinned.startsWith(join(project.root, '.system/pinned/'))).toBe(true);
    expect(file).toBe(join(pinned, 's/main.mjs'));
    expect(contentOf(pinned, 's/lib/a.mjs')).toBe('a');
    expect(statSync(file).mode & 0o222).toBe(0);
    expect(names).toEqual({ ABILITY_ROOT: project.root, ABILITY_PINNED: pinned });
  });

  test('is made once for concurrent calls, and is right for each of them', async () => {
    const first = await scripts.find(planned());
    rmSync(first.pinned, { recursive: true });
    await store.put(Buffer.from('main'));
    await store.put(Buffer.from('a'));
    let fetched = 0;
    const counting = {
      put: (bytes: Uint8Array) => store.put(bytes),
      holds: (digest: string) => store.holds(digest),
      get: (digest: string) => {
        fetched += 1;
        return store.get(digest);
      },
    };
    const shared = new PinnedScripts(project.root, join(project.root, '.system/pinned'), counting);
    const found = await Promise.all([1, 2, 3].map(() => shared.find(planned())));
    for (const { pinned } of found) expect(contentOf(pinned, 's/lib/a.mjs')).toBe('a');
    expect(fetched).toBe(2);
    rmSync(join(first.pinned, 's/lib/a.mjs'));
    await shared.find(planned());
    expect(contentOf(first.pinned, 's/lib/a.mjs')).toBe('a');
  });

  test('that cannot be made fails each of the concurrent calls', async () => {
    writeFileSync(join(project.root, 's/lib/a.mjs'), 'other');
    const ends = await Promise.allSettled([1, 2].map(() => scripts.find(planned())));
    expect(ends).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: 'script.changed' } })));
  });

  test('is shared by all tasks with the same files, and differs for other bytes', async () => {
    const first = await scripts.find(planned());
    expect(await scripts.find(planned())).toEqual(first);
    project.write({ 's/main.mjs': 'other' });
    expect((await scripts.find(planned({ digest: digestOf('other') }))).pinned).not.toBe(first.pinned);
  });

  test('of a path with detours stays inside', async () => {
    const { file, pinned } = await scripts.find(
      planned({ path: 's/../../../../../..'.concat(project.root, '/s/main.mjs') }),
    );
    expect(file).toBe(join(pinned, 's/main.mjs'));
  });

  test('keeps links of the project as links to the files of the copy', async () => {
    const script = planned({ path: 'link.mjs', real: 's/main.mjs', files: [pin('s/main.mjs', 'main')] });
    symlinkSync('s/main.mjs', join(project.root, 'link.mjs'));
    const { file, pinned } = await scripts.find(script);
    expect(contentOf(file)).toBe('main');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    project.write({ 's/main.mjs': 'edited' });
    await store.put(Buffer.from('main'));
    expect(contentOf((await scripts.find(script)).file)).toBe('main');
    expect(readdirSync(pinned).sort()).toEqual(['link.mjs', 's']);
  });

  test('has links to installed packages, including those of inner folders, and no planted ones', async () => {
    project.write({ 'node_modules/x/index.js': '', 's/node_modules/y/index.js': '' });
    const { pinned } = await scripts.find(planned());
    expect(existsSync(join(pinned, 'node_modules/x/index.js'))).toBe(true);
    expect(existsSync(join(pinned, 's/node_modules/y/index.js'))).toBe(true);
    rmSync(join(pinned, 'node_modules'));
    mkdirSync(join(pinned, 'node_modules/x'), { recursive: true });
    mkdirSync(join(pinned, 's/lib/node_modules/z'), { recursive: true });
    await scripts.find(planned());
    expect(existsSync(join(pinned, 'node_modules/x/index.js'))).toBe(true);
    expect(existsSync(join(pinned, 's/lib/node_modules'))).toBe(false);
  });

  test('outside the project also has a link to packages that are installed above it', async () => {
    const outer = temporaryProject({
      'node_modules/x/index.js': '',
      'inner/s/main.mjs': 'main',
      'inner/s/lib/a.mjs': 'a',
    });
    const elsewhere = temporaryProject();
    const inner = new PinnedScripts(join(outer.root, 'inner'), join(elsewhere.root, 'pinned'), store);
    const { pinned } = await inner.find(planned());
    expect(existsSync(join(pinned, 'node_modules/x/index.js'))).toBe(true);
  });

  test('that many calls make concurrently is right for each', async () => {
    const found = await Promise.all(Array.from({ length: 20 }, () => scripts.find(planned())));
    expect(found.map(({ file }) => contentOf(file))).toEqual(found.map(() => 'main'));
  });

  test('of a script larger than one read is compared as well', async () => {
    const large = 'x'.repeat(3 * 1024 * 1024);
    project.write({ 's/large': large });
    const script = planned({ ...pin('s/large', large), files: [] });
    const { file } = await scripts.find(script);
    chmodSync(file, 0o700);
    writeFileSync(file, `${large.slice(0, -1)}y`);
    chmodSync(file, 0o555);
    expect(contentOf((await scripts.find(script)).file)).toBe(large);
  });

  test('is a folder of its own, not a link to another one, from which nothing is removed', async () => {
    const { pinned } = await scripts.find(planned());
    const elsewhere = join(project.root, 'elsewhere');
    for (const place of [pinned, join(pinned, 's'), join(pinned, 's/lib')]) {
      rmSync(place, { recursive: true, force: true });
      project.write({ 'elsewhere/note.txt': 'mine' });
      symlinkSync(elsewhere, place);
      const { file } = await scripts.find(planned());
      expect(lstatSync(place).isDirectory()).toBe(true);
      expect(contentOf(file)).toBe('main');
      expect(readdirSync(elsewhere)).toEqual(['note.txt']);
    }
  });

  test('whose bytes are right is left untouched', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    project.write({ large });
    const script = planned({ files: [pin('large', large)] });
    const { pinned } = await scripts.find(script);
    // Set when a file is created or renamed.
    const changed = () => ['s/main.mjs', 'large'].map((path) => statSync(join(pinned, path), { bigint: true }).ctimeNs);
    const before = changed();
    await scripts.find(script);
    expect(changed()).toEqual(before);
  });

  test('restores a file that was replaced by a folder', async () => {
    const { file } = await scripts.find(planned());
    rmSync(file);
    mkdirSync(join(file, 'within'), { recursive: true });
    await scripts.find(planned());
    expect(contentOf(file)).toBe('main');
  });

  test('loses a folder of files that do not belong to it', async () => {
    const { pinned } = await scripts.find(planned());
    mkdirSync(join(pinned, 's/other/deep'), { recursive: true });
    writeFileSync(join(pinned, 's/other/deep/a.mjs'), 'evil');
    await scripts.find(planned());
    expect(readdirSync(join(pinned, 's')).sort()).toEqual(['lib', 'main.mjs']);
  });

  test('that cannot be completed leaves no temporary file', async () => {
    const { file, pinned } = await scripts.find(planned());
    rmSync(file);
    const waiting = join(project.root, 'waiting');
    const copy = new PinnedCopy(project.root, pinned, waiting, [pin('s/main.mjs', 'main')]);
    const replaced = copy.mend(async () => {
      rmSync(dirname(pinned), { recursive: true });
      writeFileSync(dirname(pinned), '');
      return Buffer.from('main');
    });
    await expect(replaced).rejects.toThrow('ENOTDIR');
    expect(readdirSync(waiting)).toEqual([]);
  });

  test('that is writable or not executable is made anew', async () => {
    const { file } = await scripts.find(planned());
    for (const mode of [0o755, 0o444]) {
      chmodSync(file, mode);
      await scripts.find(planned());
      expect(statSync(file).mode & 0o700).toBe(0o500);
    }
  });

  test('leftovers of a worker that was killed while writing are removed when they are old', async () => {
    const waiting = join(project.root, '.system/pinned/new');
    mkdirSync(waiting, { recursive: true });
    for (const name of ['old', 'young']) writeFileSync(join(waiting, name), 'half');
    utimesSync(join(waiting, 'old'), 1, 1);
    await scripts.find(planned());
    expect(readdirSync(waiting)).toEqual(['young']);
  });

  test('has variables for Python, which would otherwise write next to its modules', async () => {
    project.write({ 's/m.py': 'x' });
    expect((await scripts.find(planned({ ...pin('s/m.py', 'x') }))).names).toMatchObject({
      PYTHONDONTWRITEBYTECODE: '1',
    });
  });
});

describe('the scripts of a plan are stored', () => {
  const NO_HOOKS = { pre_create: [], pre_call: [], post_call: [] };
  const running = (script: object) => ({ implementation: { kind: 'script', script }, hooks: NO_HOOKS });
  const asking = (handler: object) => ({ ...NO_HOOKS, pre_call: [{ id: 'h', handler }] });
  const planOf = (operations: object[], more: object = {}) =>
    ({ ability: { hooks: NO_HOOKS }, operations: Object.fromEntries(operations.entries()), ...more }) as never;

  test.each<[string, () => object]>([
    ['of an operation', () => planOf([running(planned())])],
    [
      'of a program that stands in for a model',
      () => planOf([{ implementation: { kind: 'model', model: { script: planned() } }, hooks: NO_HOOKS }]),
    ],
    [
      'of a hook of its ability',
      () => planOf([], { ability: { hooks: asking({ kind: 'script', script: planned() }) } }),
    ],
    [
      'of a hook of an operation',
      () => planOf([{ implementation: { kind: 'mcp' }, hooks: asking({ kind: 'script', script: planned() }) }]),
    ],
    [
      'of a hook of a workflow that it calls',
      () => planOf([], { workflows: { w: { ability: { hooks: asking({ kind: 'script', script: planned() }) } } } }),
    ],
    [
      'of an ability that a hook asks',
      () => planOf([], { ability: { hooks: asking({ kind: 'ability', operation: running(planned()) }) } }),
    ],
  ])('%s, with the files next to them', async (_, plan) => {
    expect(await scripts.keep(plan() as never)).toBeUndefined();
    for (const content of ['main', 'a']) expect(await store.holds(digestOf(content))).toBe(true);
  });

  test('but nothing that is not a script', async () => {
    const others = [{ kind: 'mcp' }, { kind: 'model', model: {} }, { kind: 'model', model: { script: undefined } }];
    const operations = others.map((implementation) => ({ implementation, hooks: NO_HOOKS }));
    expect(await scripts.keep(planOf(operations))).toBeUndefined();
    expect(existsSync(store.folder)).toBe(false);
  });

  test('once: what the store has is not read again', async () => {
    await scripts.keep(planOf([running(planned())]));
    project.write({ 's/main.mjs': 'edited' });
    expect(await scripts.keep(planOf([running(planned())]))).toBeUndefined();
  });

  test('or a warning names the file that was edited in the meantime', async () => {
    project.write({ 's/lib/a.mjs': 'edited' });
    expect(await scripts.keep(planOf([running(planned())]))).toMatch(/s\/lib\/a\.mjs was edited.*do not change/);
  });
});

test('a script that is read from the working directory and was edited ends the task', async () => {
  const script = planned({ files: [pin('s/lib/a.mjs', 'a', { live: true })] });
  await store.put(Buffer.from('a'));
  await scripts.find(script);
  project.write({ 's/lib/a.mjs': 'edited' });
  await expect(scripts.find(script)).rejects.toMatchObject({ code: 'script.changed', isFinal: true });
});

test('bytes that the store has lost are restored from the project', async () => {
  await scripts.find(planned());
  expect(await store.holds(digestOf('main'))).toBe(true);
});

test('a store that accepts nothing does not keep a script from running', async () => {
  const full = {
    put: () => Promise.reject(new Error('disk full')),
    holds: async () => false,
    get: () => Promise.reject(new Error('not there')),
  };
  const found = await new PinnedScripts(project.root, join(project.root, '.system/pinned'), full).find(planned());
  expect(contentOf(found.file)).toBe('main');
});

describe('a copy that cannot be made', () => {
  test('because of edited bytes is script.changed', async () => {
    project.write({ 's/lib/a.mjs': 'edited' });
    await expect(scripts.find(planned())).rejects.toMatchObject({ code: 'script.changed', isFinal: true });
  });

  test('because nothing can be written there is script.start_failed, with the reason', async () => {
    writeFileSync(join(project.root, 'file'), '');
    const blocked = new PinnedScripts(project.root, join(project.root, 'file/pinned'), store);
    await expect(blocked.find(planned())).rejects.toMatchObject({
      code: 'script.start_failed',
      message: expect.stringMatching(/s\/main\.mjs.*ENOTDIR/),
      unclear: false,
    });
  });
});

test('a damaged blob is rewritten when its bytes are stored again', async () => {
  const digest = await store.put(Buffer.from('text'));
  const blob = join(store.folder, digest.slice(0, 2), digest);
  writeFileSync(blob, 'other');
  expect(await store.holds(digest)).toBe(false);
  await expect(store.get(digest)).rejects.toMatchObject({ code: 'store.not_shared' });
  await store.put(Buffer.from('text'));
  expect(await store.holds(digest)).toBe(true);
});
