import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogLine } from '../../../src/client/index.js';
import { CallLogs } from '../../../src/operations/read-call-logs.js';
import { sharedLog } from '../../../src/rules/tasks/task-ids.js';
import { recordsOrigin } from '../../../src/server/logs/records-origin.js';
import { pathsOf } from '../../../src/server/project-paths.js';
import { FolderStore } from '../../../src/server/store/folder-store.js';
import { errorOfAsync } from '../error-of.js';

const PLACE = { project: 'acme', task: 't-1' };
let root: string;
let store: FolderStore;
let notes: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-test-logs-'));
  store = new FolderStore(join(root, 'store'), true);
  notes = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const logsFolder = (): string => join(pathsOf(root).records, PLACE.task, 'logs');
const line = (step: string, text: string): string => {
  const whole: LogLine = { time: '2026-01-02T03:04:05.678Z', step, attempt: 1, stream: 'stdout', text };
  return `${JSON.stringify(whole)}\n`;
};
const here = (step: string, text: string): void => {
  mkdirSync(logsFolder(), { recursive: true });
  writeFileSync(join(logsFolder(), `${step}.jsonl`), line(step, text));
};
const shared = async (step: string, text: string, origin = '00000000'): Promise<void> => {
  const name = sharedLog(PLACE, { step, origin }, new Date(0), '12345678');
  await store.putNamed(name, Buffer.from(line(step, text)));
};
const open = (from: FolderStore | undefined = store): CallLogs =>
  new CallLogs(logsFolder(), pathsOf(root), PLACE, from, (text) => notes.push(text));
const texts = async (logs: CallLogs, step?: string): Promise<string[]> =>
  (await logs.read(step, true)).flatMap(({ lines }) => lines.map(({ text }) => text));

test('attempts of a call on several machines are one log, and no line of this folder appears twice', async () => {
  const origin = recordsOrigin(pathsOf(root));
  here('a', 'first, here');
  await shared('a', 'first, here', origin);
  await shared('a', 'second, elsewhere');
  await shared('b', 'lost here', origin);
  expect(await texts(open())).toEqual(['first, here', 'second, elsewhere', 'lost here']);
  expect(await texts(open(), 'b')).toEqual(['lost here']);
});

test('a store that cannot be read is noted once if there are local logs, and is an error otherwise', async () => {
  rmSync(store.folder, { recursive: true, force: true });
  mkdirSync(join(store.folder, 'tasks', 'acme', 't-1'), { recursive: true });
  // A link to itself can be neither read nor listed.
  symlinkSync('logs', join(store.folder, 'tasks', 'acme', 't-1', 'logs'));
  expect((await errorOfAsync(() => open().read(undefined, true))).code).toBe('store.not_shared');
  here('a', 'here');
  const logs = open();
  expect(await texts(logs)).toEqual(['here']);
  expect(await texts(logs)).toEqual(['here']);
  expect(notes).toHaveLength(1);
});

test('the logs of other steps are not read, and their requests are left out', async () => {
  here('a', 'wanted');
  symlinkSync('b.jsonl', join(logsFolder(), 'b.jsonl'));
  writeFileSync(join(logsFolder(), 'requests.0badcafe.jsonl'), line('a', 'GET /a') + line('b', 'GET /b'));
  const logs = new CallLogs(logsFolder(), pathsOf(root), PLACE, undefined, () => {});
  expect(await texts(logs, 'a')).toEqual(['wanted', 'GET /a']);
  await expect(logs.read(undefined, true)).rejects.toThrow('ELOOP');
});

test('other work goes on while logs are read', async () => {
  here('a', 'one');
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  await new CallLogs(logsFolder(), pathsOf(root), PLACE, undefined, () => {}).read(undefined, true);
  expect(isServed).toBe(true);
});

test('a log that is deleted while others are read is left out', async () => {
  here('a', 'one');
  here('b', 'two');
  const read = new CallLogs(logsFolder(), pathsOf(root), PLACE, undefined, () => {}).read(undefined, true);
  rmSync(join(logsFolder(), 'b.jsonl'));
  expect((await read).map(({ step }) => step)).toEqual(['a']);
});
