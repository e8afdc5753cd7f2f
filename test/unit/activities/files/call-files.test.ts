import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallFiles } from '../../../../src/activities/files/call-files.js';
import { takeChosen } from '../../../../src/activities/files/choose-files.js';
import { takeOutputFiles } from '../../../../src/activities/files/take-output-files.js';
import { refuseLargeFiles } from '../../../../src/activities/files/task-files.js';
import type { FileValue } from '../../../../src/contracts/files.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { answerName } from '../../../../src/kinds/api/call/read-answer.js';
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
  test('are stored for its task, under a safe name', () => {
    expect(file).toMatchObject({ name: '.._a.txt', bytes: 5, media_type: 'text/plain' });
    expect(store.held).toEqual([['t-1', file.$file]]);
  });

  test('are copied once each, and removed with the call', async () => {
    const call = open({ files: [file.$file] });
    const path = await call.copyOf(file);
    expect(await call.copyOf(file)).toBe(path);
    expect(await call.copyOf({ ...file, name: 'b.txt' })).not.toBe(path);
    expect(readFileSync(path, 'utf8')).toBe('hello');
    await call.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  test('are not copied if the task does not have them, or if they are not what they claim to be', async () => {
    await expect(async () => open().copyOf(file)).rejects.toMatchObject({ code: 'file.not_of_task', isFinal: true });
    const call = open({ files: [file.$file, 'b'.repeat(64)] });
    await expect(call.copyOf({ ...file, bytes: 4 })).rejects.toMatchObject({ code: 'file.not_of_task' });
    await expect(call.copyOf({ ...file, $file: 'b'.repeat(64) })).rejects.toMatchObject({ code: 'store.not_shared' });
  });

  test('are limited in size, individually and in total', async () => {
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

describe('a file that cannot be stored', () => {
  const keep = (call: CallFiles) => call.keep(async () => Readable.from([Buffer.from('1')]), { name: 'x' });

  test('fails a call that was made, with the error of the store', async () => {
    store.keep = async () => {
      throw new AbilityError({ code: 'store.not_shared', message: 'It is away' });
    };
    const message = 'The call was made, but x cannot be stored: It is away';
    await expect(keep(open())).rejects.toMatchObject({ code: 'store.not_shared', message, hasArrived: true });
  });

  test('is a time-out of a call that was made, if the time was up', async () => {
    const scope = { signal: AbortSignal.abort(new Error('The time is up')) };
    store.keep = async () => {
      throw scope.signal.reason;
    };
    await expect(keep(open(scope))).rejects.toMatchObject({ code: 'timeout.call', hasArrived: true });
  });
});

describe('what a script left behind', () => {
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

  test('is refused if it was replaced by something else after it was inspected', async () => {
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

  test('is refused if the folder is no longer a folder', async () => {
    const link = join(folder, 'b/link');
    symlinkSync('/etc', link);
    const taken = takeOutputFiles(link, { all: { glob: '*', many: true } }, open());
    await expect(taken).rejects.toMatchObject({ code: 'file.missing' });
  });

  test('is not taken through a link, whatever the link leads to', async () => {
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

  test('is stored completely or not at all', async () => {
    store.kept.clear();
    const contract = { logs: { glob: '*.log', many: true as const }, none: { glob: '*.none' } };
    await expect(takeOutputFiles(folder, contract, open())).rejects.toMatchObject({ code: 'file.missing' });
    expect(store.kept.size).toBe(0);
  });
});

describe('the file of an answer is named', () => {
  test.each([
    ['attachment; filename="a \\"b\\".txt"', 'a _b_.txt'.replace('_b_', '"b"')],
    ["attachment; filename=x; filename*=UTF-8''%C3%A4%20b.txt", 'ä b.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename=a.txt', 'a.txt'],
    ['inline', 'c d.bin'],
    [undefined, 'c d.bin'],
  ])('by the header %s: %s', (header, name) => {
    expect(answerName(header, new URL('http://x/a/c%20d.bin?q=1'), undefined)).toBe(name);
  });

  test('by its type if nothing else names it', () => {
    expect(answerName(undefined, new URL('http://x/'), 'image/png')).toBe('answer.png');
  });
});

describe('the copies of a call', () => {
  test('are read-only, and those that fail do so only when they are awaited', async () => {
    const call = open({ files: [file.$file, 'b'.repeat(64)] });
    expect(statSync(await call.copyOf(file)).mode & 0o222).toBe(0);
    call.copyOf({ ...file, $file: 'b'.repeat(64) });
    await call.close();
  });

  test('of another size are not retried', async () => {
    const copy = open({ files: [file.$file] }).copyOf({ ...file, bytes: 4 });
    await expect(copy).rejects.toMatchObject({ code: 'file.not_of_task', isFinal: true });
  });

  test('that fail because of the disk are reported as such', async () => {
    store.open = async () => Readable.from(fails(new Error('the disk is slow')));
    await expect(open({ files: [file.$file] }).copyOf(file)).rejects.toMatchObject({
      code: 'store.full',
      message: expect.stringContaining('the disk is slow'),
    });
  });

  test('that are interrupted by the end of the call fail with its reason', async () => {
    const gone = new AbortController();
    store.open = async () => {
      gone.abort(new Error('cancelled'));
      return Readable.from(fails(new Error('the disk is slow')));
    };
    const copy = open({ files: [file.$file], signal: gone.signal }).copyOf(file);
    await expect(copy).rejects.not.toMatchObject({ code: 'store.full' });
  });

  test('whose bytes have changed in the store fail with the error of the store', async () => {
    const other = new AbilityError({ code: 'store.not_shared', message: 'other bytes' });
    store.open = async () => Readable.from(fails(other));
    await expect(open({ files: [file.$file] }).copyOf(file)).rejects.toBe(other);
  });
});

async function* fails(error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from('he');
  throw error;
}

describe('a stored file', () => {
  const keep = (mediaType?: string) =>
    open().keep(async () => Readable.from([Buffer.from('1')]), { name: 'a.txt', mediaType });

  test('has the given type, or else the type of its name', async () => {
    expect((await keep('image/png')).media_type).toBe('image/png');
    expect((await keep()).media_type).toBe('text/plain');
    expect((await keep('no type')).media_type).toBe('text/plain');
  });

  test('from a stream leaves nothing in the folder of the call', async () => {
    const call = open();
    expect(await call.spool(Readable.from([Buffer.from('12')]), { name: 'x' })).toMatchObject({ bytes: 2 });
    expect(readdirSync(await call.folder())).toEqual([]);
  });

  test('from a stream may use all the room there is, and the rest of the stream is not read', async () => {
    const exact = open({ limits: { file_bytes: 4 } });
    const two = () => Readable.from([Buffer.from('12'), Buffer.from('34')]);
    expect(await exact.spool(two(), { name: 'x' })).toMatchObject({ bytes: 4 });
    const read: number[] = [];
    const endless = (async function* () {
      for (let at = 0; ; at += 1) {
        read.push(at);
        yield Buffer.from('12');
      }
    })();
    await expect(open({ limits: { file_bytes: 4 } }).spool(endless, { name: 'x' })).rejects.toMatchObject({
      code: 'file.too_large',
    });
    expect(read).toEqual([0, 1, 2]);
  });
});

describe('the files that a contract names', () => {
  const chosen = (paths: string[], glob: string) =>
    takeChosen(
      { out: { glob } },
      paths.map((path) => ({ path, isFile: true })),
      { made: {} },
      async () => file,
    );
  const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}.txt`);

  test.each<[string, string[], string, string]>([
    ['there is none, and nothing else', [], '*.txt', 'left no file for `out` (*.txt). The folder is empty.'],
    ['there are others alone', ['a.log'], '*.txt', 'left no file for `out` (*.txt). The folder contains a.log.'],
    ['there are several', ['a.txt', 'b.txt'], '*.txt', 'exactly one is required: a.txt, b.txt'],
    [
      'there are ten',
      many(10),
      '*.log',
      'contains 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 6.txt, 7.txt, 8.txt, 9.txt.',
    ],
    ['there are more', many(13), '*.log', '8.txt, 9.txt and 3 more.'],
  ])('are missing if %s', async (_, paths, glob, message) => {
    await expect(chosen(paths, glob)).rejects.toMatchObject({ code: 'file.missing' });
    await expect(chosen(paths, glob)).rejects.toThrow(message);
  });

  test('are not listed twice in a message', async () => {
    const error = await chosen(['a.txt', 'b.txt'], '*.txt').catch((one: Error) => one);
    expect((error as Error).message).not.toContain('The folder');
  });

  test('are none if the folder is gone', async () => {
    const call = open();
    await takeOutputFiles('/nowhere/at/all', { out: { glob: '*', many: true } }, call);
    expect(call.made).toEqual({ out: [] });
  });
});

describe('the files of an input', () => {
  const of = (bytes: number): FileValue => ({ ...file, bytes });
  const refused = (files: object, ...given: FileValue[]) =>
    refuseLargeFiles({ files: { input: true, ...files } }, { given } as never);

  test('may be as large as the policy allows, individually and in total', () => {
    expect(() => refused({ file_bytes: 5, task_bytes: 10 }, of(5), { ...of(5), $file: 'c'.repeat(64) })).not.toThrow();
    expect(() => refused({ file_bytes: 5 }, of(6))).toThrow(/6 B.* larger than the 5 B/);
    expect(() => refused({ task_bytes: 9 }, of(5), { ...of(5), $file: 'c'.repeat(64) })).toThrow(/10 B.*9 B/);
  });
});
