import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, type Retry, readChain, retryTask, viewTask } from '../../src/client/index.js';
import { retryBy } from '../fixtures/caller.js';
import { type Flows, startFlows } from '../fixtures/flows.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows();
});
afterAll(() => flows.project.stop());

const again = (id: string, more: Partial<Retry> = {}) =>
  retryTask(flows.project.connection, id, { ...retryBy(), run: true, ...more });
const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const note = (id: string) => `{ id: ${id}, call: util.note, with: { file: "\${{ input.file }}", text: ${id} } }`;

describe('a task that is retried', () => {
  test('gets the next key, runs only what was not done, and names the task that it retries', async () => {
    const yaml = `
steps:
  - ${note('a')}
  - { id: n, call: util.count, with: { file: "\${{ input.count }}" } }
  - { id: ask, approval: { title: Go on? } }
  - { id: check, if: steps.a.output.text == "a", call: util.fail, with: { why: "\${{ input.file }}" } }
  - ${note('b')}
output: "\${{ steps.n.output.n }}"`;
    const ability = flows.define(yaml);
    const input = { file: flows.file('retried'), count: flows.file('retried-count') };
    const { id } = await flows.project.create(ability, input, { key: 'try' });
    const decideAndEnd = async (key: string) => {
      expect(await flows.project.wait(key, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
      await decide(flows.project.connection, key, 'approve', { by: 'tester' });
      return ended(key);
    };
    expect(await decideAndEnd(id)).toMatchObject({ status: 'failed', error: { step: 'check' } });
    const second = await again(id);
    expect(second.id).toBe('try.r2');
    expect(await decideAndEnd('try.r2')).toMatchObject({ status: 'failed', error: { step: 'check' } });
    const { memo } = await flows.project.connection.temporal.workflow.getHandle('try.r2').describe();
    expect(memo).toMatchObject({ retry_of: 'try' });

    flows.project.write({
      [`registry/high-level/${ability}.yaml`]: `id: ${ability}\ntype: workflow\nversion: 2\nsummary: Mended.\n${yaml.replace('call: util.fail', 'call: util.echo')}`,
    });
    expect((await again('try.r2')).id).toBe('try.r3');
    expect(await decideAndEnd('try.r3')).toMatchObject({ status: 'succeeded', output: 1 });
    expect(flows.lines('retried')).toEqual(['a', 'b']);
    expect(flows.lines('retried-count')).toEqual(['1']);
  });

  test('starts at the requested step, and repeats what was undone', async () => {
    const undo = `undo: { call: util.note, with: { file: "\${{ input.file }}", text: undone } }`;
    const yaml = `
steps:
  - ${note('a')}
  - ${note('b').replace(' }', ` , x: 1 }`).replace(', x: 1 }', '}').replace(/ }$/, `, ${undo} }`)}
  - { id: bad, fail: { code: no_luck, message: not today } }`;
    const input = { file: flows.file('taken-back') };
    const { id } = await flows.project.create(flows.define(yaml), input);
    await ended(id);
    expect(flows.lines('taken-back')).toEqual(['a', 'b', 'undone']);
    const second = await again(id);
    await ended(second.id);
    expect(flows.lines('taken-back').slice(3)).toEqual(['b', 'undone']);
    const third = await again(second.id, { from: 'a' });
    await ended(third.id);
    expect(flows.lines('taken-back').slice(5)).toEqual(['a', 'b', 'undone']);
    await expect(again(third.id, { from: 'aa' })).rejects.toMatchObject({ code: 'usage.invalid' });
  });

  test('must have ended, and must exist', async () => {
    const { id } = await flows.project.create(flows.define('steps: [{ id: w, wait: { signal: never } }]'));
    await expect
      .poll(async () => (await viewTask(flows.project.connection, id)).view?.progress.w?.status, { timeout: 20_000 })
      .toBe('waiting');
    await expect(again(id)).rejects.toMatchObject({ code: 'task.open' });
    await flows.project.connection.temporal.workflow.getHandle(id).cancel();
    await ended(id);
    await expect(again('no-such-task')).rejects.toMatchObject({ code: 'task.not_found' });
  });
});

test.each([
  ['a task', { key: 'chain' }],
  ['the task of a delivery', { made: 'webhook:forge:d-retried' }],
])('%s names its retries, and each retry names the task before it', async (_, more) => {
  const { connection } = flows.project;
  const ability = flows.define('steps: [{ id: bad, call: util.fail, with: {} }]');
  const { id } = await flows.project.create(ability, {}, more);
  await ended(id);
  expect(await readChain(connection, id)).toEqual({ retry_of: null, retries: [] });
  await again(id);
  await ended(`${id}.r2`);
  expect(await readChain(connection, id)).toEqual({
    retry_of: null,
    retries: [{ task: `${id}.r2`, status: 'failed' }],
  });
  expect(await readChain(connection, `${id}.r2`)).toEqual({ retry_of: id, retries: [] });
});
