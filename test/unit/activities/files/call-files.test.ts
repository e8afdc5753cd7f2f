import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerName } from '../../../../src/activities/api/read-answer.js';
import type { CallFiles } from '../../../../src/activities/files/call-files.js';
import { takeOutputFiles } from '../../../../src/activities/files/take-output-files.js';
import type { FileValue } from '../../../../src/contracts/files.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { callFiles, MemoryFiles } from '../../../fixtures/memory-files.js';

let store: MemoryFiles;
let file: FileValue;
let calls: CallFiles[];

beforeEach(async () => {
  [store, calls] = [new MemoryFiles(), []];
  file = await open().keep(async () => Readable.from([Buffer.from('hello')]), { name: '../a.txt' });
});
afterEach(async () => {
  for (const call of calls) await call.close();
});

function open(scope: Parameters<typeof callFiles>[0] = {}): CallFiles {
  const call = callFiles(scope, store);
  calls.push(call);
  return call;
}

describe('the files of a call', () => {
  test('are kept for its task, under a safe name', () => {
    expect(file).toMatchObject({ name: '.._a.txt', bytes: 5, media_type: 'text/plain' });
    expect(store.held).toEqual([['t-1', file.$file]]);
  });

  test('are copied once each, and go with it', async () => {
    const call = open({ files: [file.$file] });
    const path = await call.copyOf(file);
    expect(await call.copyOf(file)).toBe(path);
    expect(await call.copyOf({ ...file, name: 'b.txt' })).not.toBe(path);
    expect(readFileSync(path, 'utf8')).toBe('hello');
    await call.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  test('are not copied where the task does not have them, nor where they are not what they say', async () => {
    await expect(async () => open().copyOf(file)).rejects.toMatchObject({ code: 'file.not_of_task', isFinal: true });
    const call = open({ files: [file.$file, 'b'.repeat(64)] });
    await expect(call.copyOf({ ...file, bytes: 4 })).rejects.toMatchObject({ code: 'file.not_of_task' });
    await expect(call.copyOf({ ...file, $file: 'b'.repeat(64) })).rejects.toMatchObject({ code: 'store.not_shared' });
  });

  test('are only so large, one by one and all together', async () => {
    const keep = (call: CallFiles, text: string) =>
      call.keep(async () => Readable.from([Buffer.from(text)]), { name: 'x' });
    await expect(keep(open({ limits: { file_bytes: 3 } }), '1234')).rejects.toThrow(/larger than the 3 B that a file/);
    const call = open({ limits: { task_bytes: 10 }, room: 5 });
    await keep(call, '123');
    await expect(keep(call, '456')).rejects.toThrow(/2 B that are left of 10 B/);
    const spool = open({ limits: { file_bytes: 3 } }).spool(Readable.from([Buffer.from('12'), Buffer.from('34')]), {
      name: 'x',
    });
    await expect(spool).rejects.toMatchObject({ code: 'file.too_large' });
  });
});

describe('what cannot be kept', () => {
  const keep = (call: CallFiles) => call.keep(async () => Readable.from([Buffer.from('1')]), { name: 'x' });

  test('is of a call that was made, whatever the store says', async () => {
    store.keep = async () => {
      throw new AbilityError({ code: 'store.not_shared', message: 'It is away' });
    };
    const message = 'The call was made, but x cannot be stored: It is away';
    await expect(keep(open())).rejects.toMatchObject({ code: 'store.not_shared', message, hasArrived: true });
  });

  test('because the time is over is a call that took too long, and was made', async () => {
    const scope = { signal: AbortSignal.abort(new Error('The time is up')) };
    store.keep = async () => {
      throw scope.signal.reason;
    };
    await expect(keep(open(scope))).rejects.toMatchObject({ code: 'timeout.call', hasArrived: true });
  });
});

describe('what a script left', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'left-'));
    mkdirSync(join(folder, 'b'));
    for (const path of ['z.log', 'b/a.log', 'page.html']) writeFileSync(join(folder, path), path);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is taken by name, in the order of the paths', async () => {
    const call = open();
    await takeOutputFiles(folder, { logs: { glob: '**/*.log', many: true }, page: { glob: '*.html' } }, call);
    expect(call.made).toMatchObject({ logs: [{ name: 'a.log' }, { name: 'z.log' }], page: { name: 'page.html' } });
  });

  test('is refused where it was replaced by something else since it was looked at', async () => {
    const call = open();
    const { keep } = call;
    call.keep = async (source, file) => {
      rmSync(join(folder, 'page.html'));
      execFileSync('mkfifo', [join(folder, 'page.html')]);
      return keep.call(call, source, file);
    };
    await expect(takeOutputFiles(folder, { page: { glob: '*.html' } }, call)).rejects.toMatchObject({
      code: 'file.missing',
      message: 'page.html, which the call left, cannot be read: it is no plain file any more',
    });
  });

  test('is refused where the folder is none any more', async () => {
    const link = join(folder, 'b/link');
    symlinkSync('/etc', link);
    const taken = takeOutputFiles(link, { all: { glob: '*', many: true } }, open());
    await expect(taken).rejects.toMatchObject({ code: 'file.missing' });
  });

  test('is not taken over a link, whatever stands there', async () => {
    symlinkSync('/etc/hostname', join(folder, 'link.html'));
    await expect(takeOutputFiles(folder, { link: { glob: 'link.*' } }, open())).rejects.toMatchObject({
      code: 'file.missing',
    });
    symlinkSync('/etc', join(folder, 'etc'));
    const call = open();
    await takeOutputFiles(folder, { none: { glob: 'etc/**', many: true } }, call);
    expect(call.made).toEqual({ none: [] });
    rmSync(folder, { recursive: true });
    symlinkSync('/etc', folder);
    await expect(takeOutputFiles(folder, { x: { glob: 'hostname' } }, open())).rejects.toThrow(/no folder any more/);
  });

  test('is kept as a whole or not at all', async () => {
    store.kept.clear();
    const contract = { logs: { glob: '*.log', many: true as const }, none: { glob: '*.none' } };
    await expect(takeOutputFiles(folder, contract, open())).rejects.toMatchObject({ code: 'file.missing' });
    expect(store.kept.size).toBe(0);
  });
});

describe('the file of an answer is called', () => {
  test.each([
    ['attachment; filename="a \\"b\\".txt"', 'a _b_.txt'.replace('_b_', '"b"')],
    ["attachment; filename=x; filename*=UTF-8''%C3%A4%20b.txt", 'ä b.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename=a.txt', 'a.txt'],
    ['inline', 'c d.bin'],
    [undefined, 'c d.bin'],
  ])('as %s says: %s', (header, name) => {
    expect(answerName(header, new URL('http://x/a/c%20d.bin?q=1'), undefined)).toBe(name);
  });

  test('as its type where nothing says more', () => {
    expect(answerName(undefined, new URL('http://x/'), 'image/png')).toBe('answer.png');
  });
});
