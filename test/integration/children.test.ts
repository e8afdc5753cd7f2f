import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, decide, listTasks, viewTask } from '../../src/client/index.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows({
    ...workflow(
      'inner',
      `
input_schema: { type: object, required: [n], properties: { n: { type: integer }, by: { type: integer, default: 2 } } }
steps: [{ id: add, call: util.echo, with: { n: "\${{ input.n + input.by }}" } }]
output: "\${{ steps.add.output.n }}"`,
    ),
    ...workflow('innermost', 'steps: [{ id: bad, fail: { code: no_luck, message: not today } }]'),
    ...workflow('middle', 'steps: [{ id: deep, call: innermost }]'),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }]\noutput: "${{ steps.ask.output.by }}"'),
    ...workflow(
      'slow_inner',
      `
timeout: 30s
steps: [{ id: slow, call: util.slow, with: { ms: 20000 } }]
finally: [{ id: end, call: util.note, with: { file: "\${{ input.file }}", text: cleaned } }]`,
    ),
  });
});
afterAll(() => flows.project.stop());

const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

describe('a workflow that calls a workflow', () => {
  test('starts it under its own key, with its defaults, and has a record of it', async () => {
    const result = await flows.run(
      `
steps: [{ id: one, call: inner, with: { n: 1 } }, { id: two, call: inner, with: { n: "\${{ steps.one.output }}", by: 10 } }]
output: "\${{ steps.two.output }}"`,
    );
    expect(result).toMatchObject({ status: 'succeeded', output: 13 });
    const key = result.task_key as string;
    const child = await viewTask(flows.project.connection, `${key}/two`);
    expect(child.result).toMatchObject({
      status: 'succeeded',
      ability_id: 'inner',
      task_key: `${key}/two`,
      output: 13,
    });
    const record = join(flows.project.root, '.system/implement', key, 'children/two/record.json');
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ task_key: `${key}/two`, input: { n: 3, by: 10 } });
    expect(existsSync(join(flows.project.root, '.system/implement', key, 'children/one/logs/add.jsonl'))).toBe(false);
  });

  test('learns of its failure by its code, from any depth', async () => {
    const result = await flows.run('steps: [{ id: top, call: middle }]');
    const key = result.task_key;
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'no_luck', message: 'not today', step: 'bad', details: { task: `${key}/top/deep`, path: 'bad' } },
    });
  });

  test('an input that it does not accept is input.invalid', async () => {
    const result = await flows.run('steps: [{ id: one, call: inner, with: { n: text } }]');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'input.invalid', step: 'one' } });
  });

  test('waits for its approval, which can be decided under either key', async () => {
    const { id } = await flows.project.create(
      flows.define('steps: [{ id: a, call: asks }]\noutput: "${{ steps.a.output }}"'),
    );
    expect(await flows.project.wait(id, { approvalMs: 0 })).toMatchObject({
      kind: 'approval',
      result: { status: 'waiting_approval', approvals: [{ status: 'open', task: `${id}/a` }] },
    });
    const { connection } = flows.project;
    const keys = async (called: boolean) =>
      (await listTasks(connection, { ability: 'asks', called, limit: 10 })).map(({ task_key }) => task_key);
    await expect.poll(() => keys(true), { timeout: 20_000 }).toEqual([`${id}/a`]);
    expect(await keys(false)).toEqual([]);
    await decide(connection, id, 'approve', { by: 'alice' });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: 'alice' });
  });

  test('cancels it, and waits for its cleanup', async () => {
    const file = flows.file('child-cancelled');
    const yaml = 'steps: [{ id: a, call: slow_inner, with: { file: "${{ input.file }}" } }]';
    const { id } = await flows.project.create(flows.define(yaml), { file });
    await expect
      .poll(async () => (await viewTask(flows.project.connection, `${id}/a`)).view?.progress.slow?.status, {
        timeout: 20_000,
      })
      .toBe('running');
    await cancelTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'cancelled' });
    expect(flows.lines('child-cancelled')).toEqual(['cleaned']);
    expect((await viewTask(flows.project.connection, `${id}/a`)).result.status).toBe('cancelled');
  });

  test('handles its cancellation by `child.cancelled` if it alone is cancelled, also under a time-out', async () => {
    const { connection } = flows.project;
    const step =
      '{ id: a, call: asks, timeout: 1h, on_error: [{ errors: [child.cancelled], steps: [{ id: seen, let: { v: 1 } }] }] }';
    const yaml = `steps: [${step}, { id: b, call: asks }]`;
    const { id } = await flows.project.create(flows.define(yaml));
    for (const called of [`${id}/a`, `${id}/b`]) {
      await expect
        .poll(async () => (await viewTask(connection, called).catch(() => undefined))?.result.status, {
          timeout: 20_000,
        })
        .toBe('waiting_approval');
      await cancelTask(connection, called);
    }
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'child.cancelled', message: `${id}/b was cancelled`, step: 'b' },
    });
  });

  test('gives each in a loop its own key', async () => {
    const result = await flows.run(`
steps: [{ id: all, foreach: [1, 2, 3], as: n, max_parallel: 3, steps: [{ id: c, call: inner, with: { n: "\${{ n }}" } }] }]
output: "\${{ steps.all.output }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: [3, 4, 5] });
  });

  test('cannot call itself, not even indirectly', async () => {
    flows.project.write(workflow('ring_a', 'steps: [{ id: b, call: ring_b }]'));
    flows.project.write(workflow('ring_b', 'steps: [{ id: a, call: ring_a }]'));
    await expect(flows.project.create('ring_a')).rejects.toMatchObject({
      code: 'definition.invalid',
      message: expect.stringMatching(/ring_a calls ring_b calls ring_a/),
    });
  });

  test('no one else can start a child under its seal', async () => {
    const { id } = await flows.project.create(flows.define('steps: [{ id: a, call: asks }]'));
    await flows.project.wait(id, { approvalMs: 0 });
    const { temporal, project } = flows.project.connection;
    const start = await readStart(flows.project.connection, `${id}/a`);
    const forged = await temporal.workflow.start('asks', {
      workflowId: `${id}/forged`,
      taskQueue: `${project}-dev-local`,
      args: nextArguments({ ...start, child: { ability: 'asks', left_ms: 1000 } }),
    });
    const error = await forged.result().catch((thrown: { cause?: { type?: string } }) => thrown.cause?.type);
    expect(error).toBe('seal.invalid');
    await cancelTask(flows.project.connection, id);
  });
});
