import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ABILITY_ENVIRONMENT, ABILITY_PROJECT, ABILITY_STATUS } from '../../bench/twin/contract.js';
import {
  decideApproval,
  progressOf,
  resultOf,
  signalApproval,
  startScenario,
  untilWaiting,
} from '../../bench/twin/starters.js';

const BENCH = join(import.meta.dirname, '../../bench');
const BUILD = join(BENCH, 'twin/build');
const taskQueue = `twin-${randomUUID()}`;

let service: Speaker;
let worker: Speaker;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  const exec = promisify(execFile);
  await exec('npx', ['tsc', '-p', join(BENCH, 'twin/tsconfig.json')]);
  await exec(process.execPath, [join(BUILD, 'twin/build.js')]);
  service = speaker('service.js');
  const { port } = await service.line();
  worker = speaker('twin/worker.js', '--task-queue', taskQueue, '--service', `http://127.0.0.1:${port}`);
  expect(await worker.line()).toMatchObject({ ready: true, task_queue: taskQueue });
  connection = await Connection.connect({ address: inject('temporal').address });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection?.close();
  await worker?.stop();
  await service?.stop();
});

const options = () => ({ id: randomUUID(), taskQueue });
const succeeded = (...ids: string[]) =>
  ids.map((id) => ({ id, status: 'succeeded', attempts: 1, duration_ms: expect.any(Number) }));
const upTo = (length: number, from = 0) => Array.from({ length }, (_, index) => index + from);

test('The twin is frozen: its sources match the recorded hashes', () => {
  const sources = ['service.ts', ...readdirSync(join(BENCH, 'twin')).flatMap(sourceOfTwin)].sort();
  const hashes = sources.map((path) => `${sha256(join(BENCH, path))}  ${path}\n`).join('');
  expect(readFileSync(join(BENCH, 'twin/frozen.sha256'), 'utf8')).toBe(hashes);
});

describe('each scenario gives its output and its steps with the minimum of events', () => {
  test('noop', async () => {
    const started = await startScenario(client, 'noop', { text: 'hello' }, options());
    expect(await resultOf(started)).toEqual({
      status: 'succeeded',
      output: { text: 'hello' },
      steps: succeeded('echo'),
    });
    const { historyLength, memo, typedSearchAttributes } = await started.describe();
    expect(historyLength).toBe(11);
    expect(memo).toEqual({ ability: 'noop', environment: 'dev' });
    expect(typedSearchAttributes.get(ABILITY_PROJECT)).toBe('bench');
    expect(typedSearchAttributes.get(ABILITY_STATUS)).toBe('running');
    expect(typedSearchAttributes.get(ABILITY_ENVIRONMENT)).toBe('dev');
  });

  test('chain of six', async () => {
    const started = await startScenario(client, 'chain', { n: 7 }, options());
    const steps = succeeded(...upTo(6, 1).map((link) => `add_${link}`));
    expect(await resultOf(started)).toEqual({ status: 'succeeded', output: { n: 13 }, steps });
    expect((await started.describe()).historyLength).toBe(41);
  });

  test('fan-out of ten, in parallel', async () => {
    const started = await startScenario(client, 'fanout', { n: 7 }, options());
    const steps = succeeded(...upTo(10).map((by) => `add_${by}`));
    expect(await resultOf(started)).toEqual({ status: 'succeeded', output: upTo(10, 7), steps });
    const { events } = await started.fetchHistory();
    const firstCalls = events
      ?.slice(4, 14)
      .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(firstCalls).toEqual(Array(10).fill('add'));
  });

  test('loop of thirty', async () => {
    const started = await startScenario(client, 'loop', { items: upTo(30) }, options());
    const steps = succeeded(...upTo(30).map((index) => `add_${index}`));
    expect(await resultOf(started)).toEqual({ status: 'succeeded', output: upTo(30, 1), steps });
    expect((await started.describe()).historyLength).toBe(185);
  });

  test('approval, given by update', async () => {
    const started = await startScenario(client, 'approval', { title: 'Go on?' }, options());
    await untilWaiting(client, started.workflowId);
    expect(await progressOf(client, started.workflowId)).toMatchObject({
      ability: 'approval',
      status: 'waiting_approval',
      steps: [
        { id: 'ask', status: 'succeeded' },
        { id: 'decide', status: 'running' },
      ],
      approval: { approval_id: 'decide', title: 'Go on?' },
    });
    expect((await started.describe()).typedSearchAttributes.get(ABILITY_STATUS)).toBe('waiting_approval');
    await decideApproval(client, started.workflowId, 'approve', { approval_id: 'decide', by: 'ann' });
    expect(await resultOf(started)).toEqual({
      status: 'succeeded',
      output: { decision: 'approved', by: 'ann', text: 'Go on?' },
      steps: succeeded('ask', 'decide', 'tell'),
    });
    expect((await started.describe()).typedSearchAttributes.get(ABILITY_STATUS)).toBe('running');
  });

  test('approval, denied by signal', async () => {
    const started = await startScenario(client, 'approval', { title: 'Go on?' }, options());
    await untilWaiting(client, started.workflowId);
    await signalApproval(client, started.workflowId, 'deny', { by: 'ben', comment: 'Not today.' });
    expect((await resultOf(started)).output).toEqual({ decision: 'denied', by: 'ben', text: 'Go on?' });
  });
});

test('A decision on another approval is refused by update and dropped by signal', async () => {
  const started = await startScenario(client, 'approval', { title: 'Go on?' }, options());
  await untilWaiting(client, started.workflowId);
  const other = { approval_id: 'other', by: 'eve' };
  await expect(decideApproval(client, started.workflowId, 'approve', other)).rejects.toThrow();
  await signalApproval(client, started.workflowId, 'approve', other);
  expect(await progressOf(client, started.workflowId)).toMatchObject({ status: 'waiting_approval' });
  await decideApproval(client, started.workflowId, 'deny', {});
  expect((await resultOf(started)).output).toMatchObject({ decision: 'denied', by: null });
});

test('A failed call fails the workflow with its code, its attempts and the steps so far', async () => {
  const started = await startScenario(client, 'noop', JSON.parse('{"text":5}'), options());
  const error = await resultOf(started).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect(error).toMatchObject({
    cause: {
      type: 'http.bad_answer',
      details: [{ status: 'failed', steps: [{ id: 'echo', status: 'failed', attempts: 1 }] }],
    },
  });
});

test('SIGUSR2 makes the worker report its resource usage, and SIGTERM ends it', async () => {
  worker.process.kill('SIGUSR2');
  expect(await worker.line()).toEqual({
    cpu: { user: expect.any(Number), system: expect.any(Number) },
    rss: expect.any(Number),
  });
  expect(await worker.stop()).toBe(0);
});

/** A process of the benchmark that communicates in JSON lines. */
interface Speaker {
  process: ChildProcess;
  line(): Promise<Record<string, unknown>>;
  stop(): Promise<number | null>;
}

function speaker(script: string, ...args: string[]): Speaker {
  const child = spawn(process.execPath, [join(BUILD, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TEMPORAL_ADDRESS: inject('temporal').address },
  });
  const lines: Interface = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    process: child,
    async line() {
      const { value, done } = await iterator.next();
      if (done) throw new Error(`${script} ended.`);
      return JSON.parse(value);
    },
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

function sourceOfTwin(name: string): string[] {
  return name.endsWith('.ts') || name === 'tsconfig.json' ? [`twin/${name}`] : [];
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
