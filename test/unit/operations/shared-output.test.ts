import { expect, test, vi } from 'vitest';
import { OutputStream } from '../../../src/doors/cli/output/live/stream-output.js';
import { OutputReader } from '../../../src/operations/read-output.js';
import { SharedOutput, storedLogs } from '../../../src/operations/shared-output.js';
import { sharedLog } from '../../../src/rules/tasks/task-ids.js';
import { FolderStore } from '../../../src/server/store/folder-store.js';
import { temporaryProject } from '../temporary-project.js';

const place = { project: 'p', task: 'k' };
const line = (text: string, seconds: number): string =>
  `${JSON.stringify({ time: `2026-01-31T08:00:0${seconds}.000Z`, step: 'dump', attempt: 1, stream: 'stdout', text })}\n`;

test('the last line of a call on another machine comes from the store that workers share, and only while it is viewed', async () => {
  const { root } = temporaryProject({});
  const store = new FolderStore(`${root}/shared`, true);
  const listed = vi.spyOn(store, 'listNamed');
  const clock = { now: 0 };
  const output = new SharedOutput(storedLogs(store, 'p'), () => clock.now);
  const reader = new OutputReader(`${root}/none`, output);
  const stream = new OutputStream(`${root}/none`, 'k', output);
  const name = sharedLog(place, { step: 'dump', origin: '0badcafe' }, new Date(0), 'abcd1234');
  await store.putNamed(name, Buffer.from(line('first', 1)));
  expect(listed).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(reader.lastLine('k', 'dump')?.text).toBe('first'));
  expect(reader.lastLine('k', 'other')).toBeUndefined();
  expect(stream.newLines(true)).toEqual(['dump | first']);

  await store.putNamed(name, Buffer.from(line('first', 1) + line('second', 2)));
  expect(reader.lastLine('k', 'dump')?.text).toBe('first');
  expect(listed).toHaveBeenCalledTimes(1);
  clock.now = 2000;
  await vi.waitFor(() => expect(reader.lastLine('k', 'dump')?.text).toBe('second'));
  expect(stream.newLines(true)).toEqual(['dump | second']);
  expect(stream.isHere()).toBe(true);
});

test('each line from the store is shown once, also if a log arrives late with earlier times', async () => {
  const { root } = temporaryProject({});
  const store = new FolderStore(`${root}/shared`, true);
  const clock = { now: 0 };
  const output = new SharedOutput(storedLogs(store, 'p'), () => clock.now);
  const stream = new OutputStream(`${root}/none`, 'k', output);
  const share = (origin: string, text: string): Promise<void> =>
    store.putNamed(sharedLog(place, { step: 'dump', origin }, new Date(0), origin), Buffer.from(text));
  const nextLines = async (): Promise<string[]> => {
    clock.now += 2000;
    const before = output.logs('k');
    await vi.waitFor(() => expect(output.logs('k')).not.toBe(before));
    return stream.newLines(true);
  };
  await share('0badcafe', line('third', 3));
  expect(await nextLines()).toEqual(['dump | third']);
  await share('deadbeef', line('first', 1) + line('second', 2));
  expect(await nextLines()).toEqual(['dump | first', 'dump | second']);
  await share('deadbeef', line('first', 1) + line('second', 2) + line('fourth', 4));
  expect(await nextLines()).toEqual(['dump | fourth']);
  expect(output.lastLine('k', 'dump')?.text).toBe('fourth');
});
