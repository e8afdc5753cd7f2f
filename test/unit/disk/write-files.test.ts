import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Content, FileWriter } from '../../../src/disk/write-files.js';

let root: string;
let clock: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-write-'));
  clock = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const contents = (text = 'new'): Content[] =>
  ['one/record.txt', 'one/record.json'].map((name) => [join(root, name), text]);
const read = (): string[] => contents().map(([path]) => readFileSync(path, 'utf8'));
const isWritten = (): boolean => contents().every(([path]) => existsSync(path));
const large = 'x'.repeat(64 * 1024);

describe.each([
  ['at once', 'new', 0],
  ['off the main thread, as they are large', large, 0],
  ['off the main thread, as the disk is slow', 'new', 21],
])('files written %s', (_, text, tookMs) => {
  async function writer(): Promise<FileWriter> {
    const made = new FileWriter(() => (clock += tookMs));
    await made.writeTogether([[join(root, 'before'), '']]);
    rmSync(join(root, 'before'));
    return made;
  }

  test('all exist, in a folder that is created for them, and nothing else remains', async () => {
    await (await writer()).writeTogether(contents(text));
    expect(read()).toEqual([text, text]);
    expect(readdirSync(join(root, 'one')).sort()).toEqual(['record.json', 'record.txt']);
  });

  test('replace earlier ones', async () => {
    const made = await writer();
    await made.writeTogether(contents('old'));
    await made.writeTogether(contents(text));
    expect(read()).toEqual([text, text]);
  });

  test('leave the earlier ones unchanged if one cannot be written', async () => {
    const made = await writer();
    await made.writeTogether(contents('old'));
    writeFileSync(join(root, 'file'), '');
    await expect(made.writeTogether([...contents(text), [join(root, 'file/below'), text]])).rejects.toMatchObject({
      code: 'ENOTDIR',
      syscall: 'open',
    });
    expect(read()).toEqual(['old', 'old']);
    expect(readdirSync(join(root, 'one'))).toHaveLength(2);
  });

  test('are moved in their order: if one cannot be moved, those after it do not change', async () => {
    const made = await writer();
    await made.writeTogether(contents('old'));
    rmSync(join(root, 'one/record.txt'));
    mkdirSync(join(root, 'one/record.txt/in-the-way'), { recursive: true });
    await expect(made.writeTogether(contents(text))).rejects.toThrow(/EISDIR|ENOTEMPTY/);
    expect(readFileSync(join(root, 'one/record.json'), 'utf8')).toBe('old');
    expect(readdirSync(join(root, 'one'))).toHaveLength(2);
  });

  test('are not moved once the signal is aborted', async () => {
    const made = await writer();
    await expect(made.writeTogether(contents(text), AbortSignal.abort(new Error('too late')))).rejects.toThrow(
      'too late',
    );
    expect(existsSync(join(root, 'one')) ? readdirSync(join(root, 'one')) : []).toEqual([]);
  });
});

test('small files exist when the call returns, without a turn of the event loop', () => {
  void new FileWriter().writeTogether(contents());
  expect(isWritten()).toBe(true);
});

test('large files leave the main thread to other work', async () => {
  const writing = new FileWriter().writeTogether(contents(large));
  expect(isWritten()).toBe(false);
  await writing;
});

test('after a write of more than 20 ms, files leave the main thread to other work for a minute', async () => {
  const times = [0, 21, 60_020, 60_021, 60_022];
  const writer = new FileWriter(() => times.shift() ?? 0);
  await writer.writeTogether([[join(root, 'slow'), '']]);
  const writing = writer.writeTogether(contents());
  expect(isWritten()).toBe(false);
  await writing;
  rmSync(join(root, 'one'), { recursive: true });
  void writer.writeTogether(contents());
  expect(isWritten()).toBe(true);
});
