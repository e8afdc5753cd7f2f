import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowInfo } from '@temporalio/workflow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Admission } from '../../../src/activities/admission.js';
import { RecordFolder } from '../../../src/activities/record/record-folder.js';
import { signSeal } from '../../../src/activities/seal.js';
import { PLACEMENTS, taskQueueOf } from '../../../src/contracts/names.js';
import type { TaskRecord } from '../../../src/contracts/record.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { sealMark } from '../../../src/rules/plans/plan-digest.js';
import { EndRecords } from '../../../src/worker/record-beside-history.js';
import { secretsHere } from '../../fixtures/secrets-here.js';
import { examplePlan } from '../rules/example-plan.js';

const PLAN = examplePlan();
const QUEUE = taskQueueOf(PLAN.project, PLAN.environment.name, PLAN.placement);
const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const user = { name: 'ann', source: 'claimed' } as const;
const input = { n: 1 };
const seal = signSeal({ plan: digestOf(PLAN), task: 't-1', input: digestOf(input), user, confirmations: [] }, keys);
const info = { workflowId: 't-1', runId: 'r-1', taskQueue: QUEUE } as WorkflowInfo;

let folder: string;
let records: RecordFolder;
const created_at = '2030-01-01T11:00:00.000Z';
const secrets = (name: string) => secretsHere('/', name, {});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-records-'));
  records = new RecordFolder(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param more how the run differs from that of the sealed task. */
function endRecords(more: object = {}, limitMs = 5000, readRun = async () => ({ ...runOf(), ...more })): EndRecords {
  const plans = new Admission(
    PLAN.project,
    keys,
    readRun,
    { has: async () => false, keep: async () => {} },
    () => PLACEMENTS,
  );
  return new EndRecords({ plans, records, host: 'here', secrets }, limitMs);
}

function runOf() {
  const start = { workflowId: 't-1', runId: 'r-1', type: PLAN.ability.id, taskQueue: QUEUE };
  return { ...start, task: { seal, user, session: null, plan: PLAN } };
}

function endAt(finished_at: string, status = 'succeeded') {
  const result = {
    status,
    finished_at,
    output: null,
    error: null,
    warnings: [],
    steps: [],
    approvals: [],
    hooks: [],
    links: {},
  };
  return { seal: sealMark(seal), result: JSON.stringify(result), input: JSON.stringify(input), created_at };
}

const recorded = (): TaskRecord => JSON.parse(readFileSync(join(folder, 't-1/record.json'), 'utf8')) as TaskRecord;
const NOON = '2030-01-01T12:00:00.000Z';

describe('the record of a task that is written next to its history', () => {
  test('is written whole, with its text, and without other files', async () => {
    const ends = endRecords();
    await ends.write(info, endAt(NOON));
    expect(recorded()).toMatchObject({ host: 'here', input, result: { status: 'succeeded', finished_at: NOON } });
    expect(readdirSync(join(folder, 't-1')).sort()).toEqual(['record.json', 'tool_call.md']);
    expect(ends.missing).toBe(0);
  });

  test('is that of the latest end, in whatever order they are written', async () => {
    const ends = endRecords();
    await ends.write(info, endAt(NOON, 'failed'));
    await ends.write(info, endAt('2030-01-01T11:59:59.999Z'));
    expect(recorded().result?.status).toBe('failed');
    await ends.write(info, endAt('2030-01-01T12:00:00.001Z'));
    expect(recorded().result?.status).toBe('succeeded');
  });

  test('is whole if two workers write it at once', async () => {
    const both = [endRecords(), endRecords()];
    await Promise.all(both.map((ends) => ends.write(info, endAt(NOON))));
    expect(recorded().result?.status).toBe('succeeded');
    expect(readdirSync(join(folder, 't-1')).sort()).toEqual(['record.json', 'tool_call.md']);
  });
});

describe('nothing is written, and the record is counted as missing,', () => {
  test.each([
    ['for a run of another type', { type: 'other' }],
    ['for a run on another queue', { taskQueue: 'elsewhere' }],
    ['for a run that was started eagerly', { eager: true }],
    ['for a run under a seal that is not ours', { task: { ...runOf().task, seal: { ...seal, mac: '00' } } }],
    ['for a workflow that is no task', { task: undefined }],
  ])('%s', async (_, more) => {
    const ends = endRecords(more);
    await ends.write(info, endAt(NOON));
    expect(existsSync(join(folder, 't-1'))).toBe(false);
    expect(ends.missing).toBe(1);
  });

  test('if a seal other than that of the task is named', async () => {
    const ends = endRecords();
    await ends.write(info, { ...endAt(NOON), seal: '0123456789abcdef' });
    expect(existsSync(join(folder, 't-1'))).toBe(false);
    expect(ends.missing).toBe(1);
  });

  test('if the requested data does not arrive within the limit', async () => {
    const ends = endRecords({}, 20, () => new Promise(() => {}));
    await ends.write(info, endAt(NOON));
    expect(ends.missing).toBe(1);
  });

  test('even later, if the disk answers after the limit', async () => {
    let answer: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const ends = endRecords({}, 20, async () => {
      await slow;
      return runOf();
    });
    await ends.write(info, endAt(NOON));
    answer();
    await expect.poll(() => readdirSync(folder).flatMap((task) => readdirSync(join(folder, task)))).toEqual([]);
    expect(ends.missing).toBe(1);
  });
});
