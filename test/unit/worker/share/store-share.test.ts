import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newRecord } from '../../../../src/activities/record/new-record.js';
import { signSeal } from '../../../../src/activities/seal.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { readSharedRecord } from '../../../../src/server/store/read-shared-record.js';
import { StoreShare } from '../../../../src/worker/share/store-share.js';
import { examplePlan } from '../../rules/example-plan.js';

const plan = examplePlan();
const user = { name: 'ann', source: 'claimed' } as const;
const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const PLACE = { project: 'acme', task: 't-1' };
const NOON = '2030-01-01T12:00:00.000Z';
const LATER = '2030-01-01T12:00:01.000Z';

let folder: string;
let store: FolderStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-share-'));
  store = new FolderStore(folder, true);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function recordOf(finished_at: string, output: string, n = 1): TaskRecord {
  const input = { n };
  const sealed = { plan: digestOf(plan), task: 't-1', input: digestOf(input), user, confirmations: [] };
  const seal = signSeal(sealed, keys);
  const result: TaskResult = {
    ability_id: plan.ability.id,
    version: plan.ability.version,
    digest: 'd',
    task_key: 't-1',
    environment: 'dev',
    status: 'succeeded',
    output,
    error: null,
    warnings: [],
    steps: [],
    approvals: [],
    hooks: [],
    requested_by: user,
    started_at: NOON,
    finished_at,
    cleanup_ran: null,
    links: { temporal: null, page: null, record: null },
  };
  return {
    ...newRecord({ plan, task: 't-1', host: 'here', seal, user, session: null, input, created_at: NOON }),
    result,
  };
}
const shared = async (): Promise<unknown> => (await readSharedRecord(store, PLACE))?.result?.output;

test('a slow worker does not overwrite a later end of the same task, but the end of another input does', async () => {
  const [one, other] = [new StoreShare(store, 'acme', '00000001'), new StoreShare(store, 'acme', '00000002')];
  await one.ended(recordOf(LATER, 'later'));
  await other.ended(recordOf(NOON, 'slow'));
  expect(await shared()).toBe('later');
  await other.ended(recordOf(NOON, 'another input', 2));
  expect(await shared()).toBe('another input');
});

test('the logs of its calls are available as soon as the end of a task is', async () => {
  const share = new StoreShare(store, 'acme', '00000001');
  share.logOf('t-1', 'a').append('a line\n');
  const log = share.logOf('t-1', 'b');
  log.append('b line\n');
  log.end();
  await share.ended(recordOf(NOON, 'done'));
  const names = (await store.listNamed('tasks/')).map(({ name }) => name.replace(/\/[^/]*\.jsonl$/, ''));
  expect(names).toEqual(['tasks/acme/t-1/logs/b', 'tasks/acme/t-1/record.json', 'tasks/acme/t-1/tool_call.md']);
});

test('no task waits long for a store that does not answer, and later tasks do not wait at all', async () => {
  const silent = Object.assign(Object.create(store) as FolderStore, { getNamed: () => new Promise(() => {}) });
  const share = new StoreShare(silent, 'acme', '00000001', 50);
  await share.ended(recordOf(NOON, 'one'));
  const first = await Promise.race([share.ended(recordOf(NOON, 'two')).then(() => 'went on'), afterTurns('waited')]);
  expect(first).toBe('went on');
});

/** Resolves after everything that needs no timer. */
async function afterTurns<T>(value: T): Promise<T> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return value;
}
