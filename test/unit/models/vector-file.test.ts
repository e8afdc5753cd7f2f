import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  keyOfText,
  readVectorFile,
  VectorStore,
  type Vectors,
  writeVectorFile,
} from '../../../src/models/vector-store.js';

const WRITER = fileURLToPath(new URL('write-vectors.mjs', import.meta.url));
const NAME = '0123456789abcdef.bin';
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-vectors-'));
  file = join(folder, 'cache', NAME);
});
afterEach(() => rmSync(folder, { recursive: true }));

const made = (...texts: string[]): Vectors =>
  new Map(texts.map((text, at) => [keyOfText(text), Float32Array.of(at, 0.5, -1)]));

test('a written file can be read again', () => {
  writeVectorFile(file, made('a', 'b'));
  expect(readVectorFile(file)).toEqual(made('a', 'b'));
  writeVectorFile(file, new Map());
  expect(readVectorFile(file).size).toBe(0);
  expect(readVectorFile(join(folder, 'none.bin')).size).toBe(0);
});

test('a truncated, changed or foreign file has no vectors, and is replaced', () => {
  writeVectorFile(file, made('a', 'b'));
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed[60] = (changed[60] ?? 0) ^ 1;
  for (const broken of [whole.subarray(0, -1), whole.subarray(0, 20), changed, Buffer.alloc(0), Buffer.from('{}')]) {
    writeFileSync(file, broken);
    expect(readVectorFile(file).size).toBe(0);
  }
  const store = new VectorStore(file);
  store.add(keyOfText('a'), Float32Array.of(1));
  store.save([keyOfText('a')]);
  expect(readVectorFile(file).size).toBe(1);
});

test('a path that cannot be written to loses the vectors, and nothing else', () => {
  writeFileSync(join(folder, 'cache'), 'a file where the folder should be');
  writeVectorFile(file, made('a'));
  expect(readVectorFile(file).size).toBe(0);
});

test('what a killed writer left is not part of the file, and is removed later; other files in the folder stay', () => {
  writeVectorFile(file, made('a'));
  const [old, young, foreign] = [`${NAME}.aaaaaaaaaaaa`, `${NAME}.bbbbbbbbbbbb`, 'notes.txt'].map((name) =>
    join(folder, 'cache', name),
  ) as [string, string, string];
  for (const path of [old, young, foreign]) writeFileSync(path, readFileSync(file).subarray(0, 30));
  for (const path of [old, foreign]) utimesSync(path, 0, 0);
  writeVectorFile(file, made('a', 'b'));
  expect(readVectorFile(file).size).toBe(2);
  expect([old, young, foreign].map((path) => existsSync(path))).toEqual([false, true, true]);
});

test('the files of the four models used last are kept', () => {
  const names = ['1', '2', '3', '4', '5'].map((digit) => `${digit.repeat(16)}.bin`);
  for (const [at, name] of names.entries()) {
    writeVectorFile(join(folder, name), made('a'));
    utimesSync(join(folder, name), 1000 + at, 1000 + at);
  }
  writeVectorFile(join(folder, NAME), made('a'));
  expect(readdirSync(folder).sort()).toEqual([NAME, ...names.slice(2)]);
});

test('two writers do not lose what the other had written before', () => {
  const [one, other] = [new VectorStore(file), new VectorStore(file)];
  expect(other.find(keyOfText('a'), 2)).toBeUndefined();
  one.add(keyOfText('a'), Float32Array.of(1, 0));
  one.save([keyOfText('a')]);
  other.add(keyOfText('b'), Float32Array.of(0, 1));
  other.save([keyOfText('b')]);
  expect([...readVectorFile(file).keys()].sort()).toEqual([keyOfText('a'), keyOfText('b')].sort());
});

test('old vectors are not mixed with new ones of other dimensions', () => {
  writeVectorFile(file, made('a', 'b'));
  const store = new VectorStore(file);
  expect(store.find(keyOfText('a'), 3)).toHaveLength(3);
  expect(store.find(keyOfText('a'), 2)).toBeUndefined();
  store.add(keyOfText('a'), Float32Array.of(1, 0));
  store.save([keyOfText('a'), keyOfText('b')]);
  expect(readVectorFile(file)).toEqual(new Map([[keyOfText('a'), Float32Array.of(1, 0)]]));
});

test('two processes write at once and one of them is killed: the file is complete at all times', async () => {
  const killed = spawn(process.execPath, [WRITER, file, 'killed', '100000'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(killed.stdout, 'data');
  const other = promisify(execFile)(process.execPath, [WRITER, file, 'other', '20']);
  for (let seen = 0; seen < 20; seen += 1) expect(readVectorFile(file).size).toBe(500);
  killed.kill('SIGKILL');
  await Promise.all([once(killed, 'exit'), other]);
  expect(readVectorFile(file).size).toBe(500);
});
