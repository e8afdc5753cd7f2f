import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { completeRecord, endsLater, recordBeside } from '../../../../src/activities/record/complete-record.js';
import { RecordFolder } from '../../../../src/activities/record/record-folder.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask } from '../admitted-task.js';

const RUN = { workflowId: 't-1', runId: 'r-1' };
const RESULT = {
  status: 'succeeded',
  started_at: '2030-01-01T12:00:00.000Z',
  finished_at: '2030-01-01T12:00:05.000Z',
  output: 7,
  error: null,
  warnings: [],
  approvals: [],
  hooks: [],
  steps: [],
  links: { temporal: null },
} as unknown as TaskResult;

let root: string;
let records: RecordFolder;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-records-'));
  records = new RecordFolder(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface End {
  input?: { n?: number };
  result?: Partial<TaskResult>;
  report?: object | undefined;
  seal?: Partial<Seal>;
  host?: string;
}

/** Records the end of `t-1`, as the worker of a host does. */
async function end({ input = {}, result = {}, report, seal = {}, host = 'here' }: End = {}) {
  const plan = examplePlan();
  const task = admittedTask(plan, input, seal);
  const queue = { workflowExecution: RUN, taskQueue: 'acme-staging-local' };
  const admitted = await task.plans.admit(task.mark, queue);
  const place = { records, host, secrets: (name: string) => secretsHere('/', name, {}) };
  const ended = { task: 't-1', admitted, result: { ...RESULT, ...result }, inputDigest: digestOf(input) };
  await completeRecord({ ...ended, input: () => input, report: report as never }, place);
  return records.read('t-1');
}

describe('the record of a task that ends', () => {
  test('is created if there is none, from its seal, its result and its report', async () => {
    const report = { created_at: '2030-01-01T11:00:00.000Z', calls: { listed: [], left_out: 2 } };
    const seal = { scope: 'ops', run: 'run-1', intent: 'help', session: 's-1', caller: 'agent' } as const;
    expect(await end({ input: { n: 1 }, report, seal })).toMatchObject({
      task_key: 't-1',
      created_at: '2030-01-01T11:00:00.000Z',
      host: 'here',
      input: { n: 1 },
      result: { output: 7 },
      used: { called: [] },
      calls: [],
      calls_left_out: 2,
      ...seal,
    });
  });

  test('has no field for what is unknown', async () => {
    const record = await end();
    for (const key of ['scope', 'run', 'intent', 'caller', 'calls', 'steps', 'changes', 'changes_left']) {
      expect(record).not.toHaveProperty(key);
    }
  });

  test('has the changes of its input', async () => {
    const changes = [{ by: { name: 'ada', source: 'claimed' }, at: 'then', fields: ['n'] }] as never;
    expect(await end({ result: { changes, changes_left: 3 } })).toMatchObject({ changes, changes_left: 3 });
    expect(await end({ input: { n: 9 }, result: { changes: [] } })).not.toHaveProperty('changes');
  });

  test('keeps when and where it was created, if its input is the same', async () => {
    await end({ report: { created_at: '2030-01-01T11:00:00.000Z' } });
    expect(await end({ host: 'there', result: { output: 8 } })).toMatchObject({
      created_at: '2030-01-01T11:00:00.000Z',
      host: 'here',
      result: { output: 8 },
    });
  });

  test('is recreated for another input, and keeps when the task was created', async () => {
    await end({ report: { created_at: '2030-01-01T11:00:00.000Z' } });
    const later = { finished_at: '2030-01-01T11:59:00.000Z' };
    expect(await end({ host: 'there', input: { n: 2 }, result: later })).toMatchObject({
      created_at: '2030-01-01T11:00:00.000Z',
      host: 'there',
      input: { n: 2 },
    });
  });

  test('has the start of the task as its creation, or now if nothing else is known', async () => {
    expect((await end())?.created_at).toBe(RESULT.started_at);
    rmSync(join(root, 't-1'), { recursive: true });
    const created = (await end({ result: { started_at: null } as never }))?.created_at;
    expect(Math.abs(Date.parse(created ?? '') - Date.now())).toBeLessThan(60_000);
  });

  test('is not replaced by an earlier end', async () => {
    await end({ result: { output: 8, finished_at: '2030-01-01T12:00:06.000Z' } });
    expect((await end())?.result?.output).toBe(8);
    expect((await end({ result: { output: 9, finished_at: '2030-01-01T12:00:06.000Z' } }))?.result?.output).toBe(9);
  });
});

test.each([
  ['a later one', '2030-01-02', '2030-01-01', true],
  ['the same moment', '2030-01-01', '2030-01-01', false],
  ['an earlier one', '2030-01-01', '2030-01-02', false],
  ['one against none', '2030-01-01', undefined, true],
  ['none against one', undefined, '2030-01-01', false],
])('whether one of two ends is the later: %s', (_, known, other, isLater) => {
  const at = (finished_at: string | undefined) => (finished_at === undefined ? null : ({ finished_at } as TaskResult));
  expect(endsLater(at(known), at(other))).toBe(isLater);
});

describe('a record written outside the workflow', () => {
  const beside = async (task: string, mark?: string) => {
    const admitted = admittedTask(examplePlan(), { n: 1 });
    const run = { workflowExecution: { workflowId: task, runId: 'r-1' }, taskQueue: 'acme-staging-local' };
    const ended = {
      seal: mark ?? admitted.mark,
      result: JSON.stringify(RESULT),
      input: '{"n":1}',
      created_at: '2030-01-01T11:00:00.000Z',
    };
    const secrets = (name: string) => secretsHere('/', name, {});
    await recordBeside(run, ended as never, { plans: admitted.plans, records, host: 'here', secrets });
  };

  test('has its input, its result and its own place', async () => {
    await beside('t-1');
    expect(records.read('t-1')).toMatchObject({
      input: { n: 1 },
      created_at: '2030-01-01T11:00:00.000Z',
      result: { output: 7, links: { record: join(root, 't-1'), temporal: null } },
    });
  });

  test('is not written for a task that was not admitted', async () => {
    await expect(beside('t-1', 'other')).rejects.toMatchObject({ code: 'seal.invalid' });
    expect(records.read('t-1')).toBeUndefined();
  });

  test('is not written for a direct run without a record', async () => {
    await beside('direct:1', 'other');
    expect(records.read('direct:1')).toBeUndefined();
  });
});
