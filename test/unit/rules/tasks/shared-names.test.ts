import { expect, test } from 'vitest';
import {
  readSharedLog,
  sharedLog,
  sharedLogs,
  sharedRecord,
  sharedTask,
} from '../../../../src/rules/tasks/task-ids.js';

const PLACE = { project: 'acme', task: 't-1' };

test('the shared files of a called task are below those of its caller', () => {
  const called = sharedTask({ project: 'acme', task: 't-1/hosts/2/inner' });
  expect(called).toBe('tasks/acme/t-1/children/hosts/2/inner/');
  expect(called.startsWith(sharedTask(PLACE))).toBe(true);
});

test('a record is below its task, also for a direct run', () => {
  expect(sharedRecord(PLACE, 'record.json')).toBe('tasks/acme/t-1/record.json');
  expect(sharedRecord({ project: 'acme', task: 'direct:7' }, 'record.json')).toBe('tasks/acme/.direct/7/record.json');
});

test('the name of a log contains its step and its origin, and sorts by time', () => {
  const log = { step: 'hosts/12/check', origin: '0123abcd' };
  const name = sharedLog(PLACE, log, new Date('2026-01-02T03:04:05.678Z'), 'deadbeef');
  expect(name).toBe('tasks/acme/t-1/logs/hosts/12/check/20260102T030405678Z-0123abcd-deadbeef.jsonl');
  expect(readSharedLog(name, PLACE)).toEqual(log);
  expect(sharedLog(PLACE, log, new Date('2026-01-02T03:04:05.679Z'), '00000000') > name).toBe(true);
});

test.each([
  'x.jsonl',
  'a/x.jsonl',
  '20260102T030405678Z-0123abcd-deadbeef.jsonl',
  'a/20260102T030405678Z-0123abcd.jsonl',
])('%s is not a log', (name) => {
  expect(readSharedLog(sharedLogs(PLACE) + name, PLACE)).toBeUndefined();
});
