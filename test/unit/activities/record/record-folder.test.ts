import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newRecord } from '../../../../src/activities/record/new-record.js';
import { RecordFolder, type TaskShare } from '../../../../src/activities/record/record-folder.js';
import { removeExpired } from '../../../../src/activities/record/remove-expired.js';
import { signSeal } from '../../../../src/activities/seal.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { errorOf } from '../../error-of.js';
import { examplePlan } from '../../rules/example-plan.js';

const plan = examplePlan();
const user = { name: 'ann', source: 'claimed' } as const;
const seal = signSeal(
  { plan: digestOf(plan), task: 't-1', input: digestOf({}), user, confirmations: [] },
  { keys: new Map([['k', Buffer.alloc(32, 1)]]) },
);
const created_at = '2030-01-01T12:00:00.000Z';
const record = newRecord({ plan, task: 't-1', host: 'here', seal, user, session: null, input: {}, created_at });

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-records-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the record of a key is created once', () => {
  const records = new RecordFolder(join(root, 'made', 'for it'));
  expect([records.create(record), records.create(record)]).toEqual([true, false]);
  expect(records.read('t-1')).toEqual(record);
});

test('a record can be read by its owner alone, also when it is written again', async () => {
  const records = new RecordFolder(root);
  const modeOf = (...path: string[]) => statSync(join(root, 't-1', ...path)).mode & 0o777;
  const modes = () => [modeOf(), modeOf('record.json'), modeOf('tool_call.md')];
  records.create(record);
  expect(modes()).toEqual([0o700, 0o600, 0o600]);
  await records.finish(record);
  expect(modes()).toEqual([0o700, 0o600, 0o600]);
});

test('a file in place of the folder of all records is an error, not a key in use', () => {
  const place = join(root, 'implement');
  writeFileSync(place, '');
  const error = errorOf(() => new RecordFolder(place).create(record));
  expect(error).toMatchObject({ code: 'record.write_failed', message: expect.stringContaining(place) });
});

test('a folder of the key without a record is left unchanged', () => {
  mkdirSync(join(root, 't-1'));
  const records = new RecordFolder(root);
  expect([records.create(record), records.read('t-1')]).toEqual([false, undefined]);
  expect(existsSync(join(root, 't-1', 'record.json'))).toBe(false);
});

test('a written record has its text and a folder for logs, and no other file', () => {
  new RecordFolder(root).create(record);
  expect(readdirSync(join(root, 't-1')).sort()).toEqual(['logs', 'record.json', 'tool_call.md']);
  expect(readFileSync(join(root, 't-1/tool_call.md'), 'utf8')).toContain('| Task key | t-1 |');
  expect(new RecordFolder(root).logsOf('t-1')).toBe(join(root, 't-1/logs'));
});

describe('the record of a task that runs at once', () => {
  const filesOf = () => readdirSync(join(root, 't-1')).sort();

  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is known at once, and written in a moment', () => {
    const records = new RecordFolder(root);
    expect(records.create(record, true)).toBe(true);
    expect([records.read('t-1'), filesOf()]).toEqual([record, ['logs']]);
    vi.runAllTimers();
    expect([records.read('t-1'), filesOf()]).toEqual([record, ['logs', 'record.json', 'tool_call.md']]);
  });

  test('is written once if the task ends before', async () => {
    const records = new RecordFolder(root);
    records.create(record, true);
    const ended: TaskRecord = { ...record, intent: 'ended' };
    await records.finish(ended);
    expect(vi.getTimerCount()).toBe(0);
    expect(new RecordFolder(root).read('t-1')).toEqual(ended);
  });

  test('does not replace what another process has written, or come back after it was removed', async () => {
    const records = new RecordFolder(root);
    records.create(record, true);
    await new RecordFolder(root).finish({ ...record, intent: 'ended elsewhere' });
    vi.runAllTimers();
    expect(records.read('t-1')?.intent).toBe('ended elsewhere');
    records.create({ ...record, task_key: 't-2' }, true);
    rmSync(join(root, 't-2'), { recursive: true });
    records.create({ ...record, task_key: 't-3' }, true);
    records.forget('t-3');
    vi.runAllTimers();
    expect(readdirSync(root)).toEqual(['t-1']);
  });

  test('can be made again if the worker that was to write it is lost, but not while it may write it', () => {
    new RecordFolder(root).create(record, true);
    const other = new RecordFolder(root);
    expect(other.create(record, true)).toBe(false);
    const before = Date.now() / 1000 - 3;
    utimesSync(join(root, 't-1'), before, before);
    expect(other.create(record, true)).toBe(true);
  });

  test('is written in a moment although a called task has its record already', () => {
    const records = new RecordFolder(root);
    records.create(record, true);
    records.create({ ...record, task_key: 't-1/sub' });
    vi.runAllTimers();
    expect(new RecordFolder(root).read('t-1')).toEqual(record);
  });

  test.each([
    ['a call has left a log', 'logs/a.jsonl'],
    ['a called task has its record', 'children/sub/record.json'],
  ])('is not made again where %s: what it did is not known', (_, file) => {
    new RecordFolder(root).create(record, true);
    mkdirSync(join(root, 't-1', file, '..'), { recursive: true });
    writeFileSync(join(root, 't-1', file), '');
    const before = Date.now() / 1000 - 3;
    utimesSync(join(root, 't-1'), before, before);
    expect(new RecordFolder(root).create(record, true)).toBe(false);
  });
});

const of = (task_key: string, more: Partial<TaskRecord> = {}): TaskRecord => ({ ...record, task_key, ...more });

const RUN = '0b0a8bd4-58a6-4a63-8d8e-6f2c7a3f2a11';
const DIRECT = `direct:${RUN}`;
const OTHER_DIRECT = `direct:${RUN.replace('0', '1')}`;

describe('the place of a record', () => {
  test('of a called task is in the folder of its caller', () => {
    expect(new RecordFolder(root).pathOf('t-1/a/b')).toBe(join(root, 't-1/children/a/b'));
  });

  test('of a direct run exists only if it was created', () => {
    const records = new RecordFolder(root);
    expect([records.pathOf(DIRECT), records.logsOf(DIRECT), records.read(DIRECT)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    records.create(of(DIRECT));
    expect(records.pathOf(DIRECT)).toBe(join(root, '.direct', RUN));
    expect(records.pathOf(`${DIRECT}/a`)).toBe(join(root, '.direct', RUN, 'children/a'));
    expect(records.read(DIRECT)?.task_key).toBe(DIRECT);
  });

  test.each(['session:acme:s-1', 'direct:1', 'schedule:acme:nightly', 'a b'])(
    'of %s, which is no task, does not exist',
    (id) => {
      expect(new RecordFolder(root).pathOf(id)).toBeUndefined();
    },
  );

  test.each(['schedule:acme:nightly-2026-11-28T03:00:00Z', 'webhook:forge:72d3162e'])(
    'of a firing or a delivery is a folder of its own: %s',
    (key) => {
      const records = new RecordFolder(root);
      expect(records.create(of(key))).toBe(true);
      expect(records.pathOf(key)).toBe(join(root, key));
      expect(records.read(key)?.task_key).toBe(key);
    },
  );
});

describe('an existing record', () => {
  test('is replaced as a whole, even if its folder is gone', () => {
    const records = new RecordFolder(root);
    records.create(record);
    records.replace(of('t-1', { input: { n: 2 } }));
    expect(records.read('t-1')?.input).toEqual({ n: 2 });
    rmSync(join(root, 't-1'), { recursive: true });
    records.replace(record);
    expect(records.read('t-1')).toEqual(record);
  });

  test('is completed, even if its folder is gone', async () => {
    const records = new RecordFolder(root);
    await records.finish(of('t-1', { warnings: ['done'] }));
    expect(records.read('t-1')?.warnings).toEqual(['done']);
    expect(readFileSync(join(root, 't-1/tool_call.md'), 'utf8')).toContain('done');
  });

  test('is unchanged if the writing is aborted', async () => {
    const records = new RecordFolder(root);
    records.create(record);
    const late = AbortSignal.abort(new Error('too late'));
    await expect(records.finish(of('t-1', { warnings: ['done'] }), late)).rejects.toMatchObject({
      code: 'record.write_failed',
      message: expect.stringContaining('too late'),
    });
    expect(records.read('t-1')).toEqual(record);
  });

  test.each([
    ['no JSON', '{'],
    ['of another format', JSON.stringify({ ...record, format: 2 })],
  ])('is not read if it is %s', (_, text) => {
    mkdirSync(join(root, 't-1'));
    writeFileSync(join(root, 't-1/record.json'), text);
    expect(new RecordFolder(root).read('t-1')).toBeUndefined();
  });

  test('is not written if a file is in its place', async () => {
    writeFileSync(join(root, 't-1'), '');
    const records = new RecordFolder(root);
    expect(errorOf(() => records.replace(record))).toMatchObject({ code: 'record.write_failed' });
    await expect(records.finish(record)).rejects.toMatchObject({ code: 'record.write_failed' });
    expect(records.create(record)).toBe(false);
  });

  test('leaves no folder behind if it could not be written', () => {
    const broken = { ...record, plan: { ...plan, ability: null } } as never;
    expect(errorOf(() => new RecordFolder(root).create(broken))).toMatchObject({ code: 'record.write_failed' });
    expect(readdirSync(root)).toEqual([]);
  });

  test('reveals no known secret', async () => {
    const [operation] = Object.values(plan.operations);
    const script = { path: 's.mjs', digest: '0', interpreter: [], args: [] };
    const env = { pass: [], set: {}, secrets: { TOKEN: 'env:TOKEN' } };
    const implementation = { ...operation?.implementation, script: { ...script, env } };
    const secret = { ...plan, operations: { 'db.write': { ...operation, implementation } } } as never;
    const records = new RecordFolder(
      root,
      undefined,
      (name) => new SecretSource('/', name, { TOKEN: 'hunter2-hunter2' }),
    );
    const hiding = of('t-1', { plan: secret, input: { a: 'hunter2-hunter2' } });
    records.create(hiding);
    expect(records.read('t-1')?.input).toEqual({ a: '***' });
    records.replace(hiding);
    expect(records.read('t-1')?.input).toEqual({ a: '***' });
    await records.finish(hiding);
    expect(readFileSync(join(root, 't-1/record.json'), 'utf8')).not.toContain('hunter2');
  });
});

describe('what is shared with other machines', () => {
  /** A share that records its calls. */
  function share(more: Partial<TaskShare> = {}) {
    const calls: string[] = [];
    const log = { append: () => {}, end: () => {} };
    const shared: TaskShare = {
      planned: ({ task_key }) => void calls.push(`planned ${task_key}`),
      ended: async ({ task_key }) => void calls.push(`ended ${task_key}`),
      logOf: (task, step) => {
        calls.push(`log ${task} ${step}`);
        return log;
      },
      read: async (task) => of(task, { host: 'there' }),
      remove: async () => true,
      ...more,
    };
    return { calls, log, records: new RecordFolder(root, shared) };
  }

  test('is a record that is created, replaced and completed, even if it could not be written here', async () => {
    const { calls, records } = share();
    records.create(record);
    records.create(record);
    records.replace(record);
    await records.finish(record);
    writeFileSync(join(root, 't-2'), '');
    await records.finish(of('t-2')).catch(() => {});
    expect(calls).toEqual(['planned t-1', 'planned t-1', 'ended t-1', 'ended t-2']);
  });

  test('does not include direct runs', async () => {
    const { calls, records } = share();
    records.create(of(DIRECT));
    records.replace(of(DIRECT));
    await records.finish(of(DIRECT));
    expect([calls, records.sharedLog(DIRECT, 'a'), await records.find(OTHER_DIRECT)]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test('includes logs of calls', () => {
    const { calls, log, records } = share();
    expect(records.sharedLog('t-1', 'a')).toBe(log);
    expect(calls).toEqual(['log t-1 a']);
  });

  test('is found if this machine has no record', async () => {
    const { records } = share();
    expect((await records.find('t-1'))?.host).toBe('there');
    records.create(record);
    expect((await records.find('t-1'))?.host).toBe('here');
  });

  test('is removed if it exists', async () => {
    expect(await share().records.unshare('t-1')).toBe(true);
    expect(await share({ remove: async () => false }).records.unshare('t-1')).toBe(false);
    expect(await new RecordFolder(root).unshare('t-1')).toBe(false);
  });
});

describe('the tools of called tasks', () => {
  const using = (task: string, ...tools_used: string[]) =>
    of(task, { used: { called: [], tools_used, outside_whitelist: [] } });

  test('are those of the topmost records below a task, which name the deeper ones', async () => {
    const records = new RecordFolder(root);
    await records.finish(record);
    await records.finish(using('t-1/a', 'x:1'));
    await records.finish(using('t-1/a/deeper', 'x:2'));
    await records.finish(using('t-1/group/b', 'x:3'));
    writeFileSync(join(root, 't-1/children/a.txt'), '');
    expect(records.toolsOfCalled('t-1').sort()).toEqual(['x:1', 'x:3']);
    expect(records.toolsOfCalled('t-1/a')).toEqual(['x:2']);
  });

  test('are none if nothing was called or recorded', async () => {
    const records = new RecordFolder(root);
    expect([records.toolsOfCalled('t-1'), records.toolsOfCalled(DIRECT)]).toEqual([[], []]);
    await records.finish(of('t-1/a'));
    expect(records.toolsOfCalled('t-1')).toEqual([]);
  });

  test('are read from two hundred tasks at most', async () => {
    const records = new RecordFolder(root);
    const called = ['one', 'two'].flatMap((group) => Array.from({ length: 110 }, (_, n) => `t-1/${group}/${n}`));
    await Promise.all(called.map((task) => records.finish(using(task, task))));
    expect(records.toolsOfCalled('t-1')).toHaveLength(200);
  });
});

describe('a deleted task', () => {
  const tombstone = { format: 1, task_key: 't-1', deleted_at: created_at } as never;

  test('has a tombstone in place of its record, its logs and its called tasks', async () => {
    const records = new RecordFolder(root);
    records.create(record);
    await records.finish(of('t-1/a'));
    expect(records.readTombstone('t-1')).toBeUndefined();
    expect(records.bury(tombstone)).toBe(true);
    expect(readdirSync(join(root, 't-1'))).toEqual(['deleted.json']);
    expect(records.readTombstone('t-1')).toEqual(tombstone);
    expect(records.bury(tombstone)).toBe(true);
  });

  test('has a tombstone even if it had no record here', () => {
    const records = new RecordFolder(root);
    expect(records.bury(tombstone)).toBe(false);
    expect(records.readTombstone('t-1')).toEqual(tombstone);
    expect(records.readTombstone(DIRECT)).toBeUndefined();
  });

  test('leaves the target of a link in its place untouched', () => {
    mkdirSync(join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere/kept'), '');
    symlinkSync(join(root, 'elsewhere'), join(root, 't-1'));
    expect(new RecordFolder(root).bury(tombstone)).toBe(false);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['kept']);
  });

  test('is not deleted if the tombstone cannot be written', () => {
    writeFileSync(join(root, 't-1'), '');
    expect(errorOf(() => new RecordFolder(root).bury(tombstone))).toMatchObject({ code: 'record.write_failed' });
  });
});

describe('the records of direct runs', () => {
  const NOW = Date.parse('2030-01-02T00:00:00.000Z');

  test('are removed once they expire', () => {
    const records = new RecordFolder(root);
    const [old, young, kept] = ['0', '1', '2'].map((digit) => RUN.replace('0', digit));
    records.create(of(`direct:${old}`, { expires_at: '2030-01-02T00:00:00.000Z' }));
    records.create(of(`direct:${young}`, { expires_at: '2030-01-02T00:00:00.001Z' }));
    records.create(of(`direct:${kept}`));
    records.create(of('t-1', { expires_at: '2030-01-01T00:00:00.000Z' }));
    mkdirSync(join(root, '.direct/unwritten'));
    expect(removeExpired(root, NOW)).toBe(1);
    expect(readdirSync(join(root, '.direct')).sort()).toEqual([young, kept, 'unwritten']);
    expect(readdirSync(root).sort()).toEqual(['.direct', 't-1']);
  });

  test('are none if there was no direct run', () => {
    expect(removeExpired(root, NOW)).toBe(0);
    writeFileSync(join(root, '.direct'), '');
    expect(() => removeExpired(root, NOW)).toThrow('ENOTDIR');
  });
});
