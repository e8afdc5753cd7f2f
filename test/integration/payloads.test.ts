import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, viewTask } from '../../src/client/index.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

const MIB = 1024 * 1024;

let project: RunningProject;

beforeAll(async () => {
  const copy = { script: { args: ['{input_file}', '{output_file}'] } };
  const make = 'import json, sys\njson.dump("x" * json.load(open(sys.argv[1]))["bytes"], open(sys.argv[2], "w"))\n';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, asks: { approve: [write_idempotent] } }'),
    ...scriptAbility('p.echo', 'scripts/copy.sh', 'cp "$1" "$2"\n', { ...copy, more: { effects: 'write_idempotent' } }),
    ...scriptAbility('p.fast', 'scripts/copy.sh', 'cp "$1" "$2"\n', { ...copy, body: { tags: ['fast'] } }),
    ...scriptAbility('p.make', 'scripts/make.py', make, { ...copy, more: { effects: 'read' } }),
    ...workflow(
      'chain',
      `
steps:
  - { id: a, call: p.echo, with: { text: "\${{ input.text }}" } }
  - { id: b, call: p.echo, with: { again: "\${{ steps.a.output }}", size: "\${{ size(steps.a.output.text) }}" } }
output: { text: "\${{ steps.b.output.again.text }}", size: "\${{ steps.b.output.size }}" }`,
    ),
    ...workflow(
      'sum',
      `
steps:
  - { id: a, call: p.make, with: { bytes: 5000000 } }
  - { id: b, call: p.make, with: { bytes: 5000000 } }
output: { a: "\${{ steps.a.output }}", b: "\${{ steps.b.output }}" }`,
    ),
  });
});
afterAll(() => project.stop());

/** Text of a given length, with multi-byte characters, NUL, quotes and backslashes. */
const textOf = (length: number) => 'aä€\u0000"\\'.repeat(Math.ceil(length / 6)).slice(0, length);

/** Size in bytes of the whole history of a task, as the server stores it. */
async function historySize(id: string): Promise<number> {
  const { raw } = await project.connection.temporal.workflow.getHandle(id).describe();
  return Number(raw.workflowExecutionInfo?.historySizeBytes);
}

const recordOf = (id: string) =>
  JSON.parse(readFileSync(join(project.root, '.system/implement', id, 'record.json'), 'utf8'));

describe.each([
  ['300 kB', 300_000],
  ['2 MB', 2_000_000],
])('%s', (_, length) => {
  test('pass unchanged through an ability: input, script, result and record; the history stays small', async () => {
    const text = textOf(length);
    const { id } = await project.create('p.echo', { text });
    const end = await project.wait(id);
    const { result } = end as Extract<typeof end, { kind: 'ended' }>;
    expect(result.status).toBe('succeeded');
    expect((result.output as { text: string }).text === text).toBe(true);
    const record = recordOf(id);
    expect(record.input.text === text && record.result.output.text === text).toBe(true);
    expect(await historySize(id)).toBeLessThan(64 * 1024);
  });

  test('pass unchanged through the steps of a workflow', async () => {
    const text = textOf(length);
    const result = await project.run('chain', { text });
    expect(result.status).toBe('succeeded');
    expect(result.output).toMatchObject({ size: length });
    expect((result.output as { text: string }).text === text).toBe(true);
    expect(await historySize(result.task_key as string)).toBeLessThan(64 * 1024);
  });
});

describe('300 kB', () => {
  test('pass unchanged through a local activity', async () => {
    const result = await project.run('p.fast', { text: textOf(300_000) });
    expect((result.output as { text: string }).text === textOf(300_000)).toBe(true);
    expect(await historySize(result.task_key as string)).toBeLessThan(64 * 1024);
  });

  test('wait for an approval and survive a restart of the workers', async () => {
    const text = textOf(300_000);
    const { id } = await project.create('chain', { text }, { environment: 'asks' });
    for (let n = 0; n < 2; n += 1) {
      expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
      expect((await viewTask(project.connection, id)).view?.input.text === text).toBe(true);
      await project.restartWorkers();
      await decide(project.connection, id, 'approve', { by: 'tester' });
    }
    const end = await project.wait(id);
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', output: { size: 300_000 } } });
    expect(await historySize(id)).toBeLessThan(128 * 1024);
  });
});

describe('the limit of an output', () => {
  test('8 MiB pass', async () => {
    const bytes = 8 * MIB - 2;
    const result = await project.run('p.make', { bytes });
    expect(result.status).toBe('succeeded');
    expect((result.output as string).length).toBe(bytes);
  });

  test('more is output.too_large, and is not tried again', async () => {
    expect(await project.run('p.make', { bytes: 8 * MIB })).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'output.too_large' },
      steps: [{ attempts: 1 }],
    });
  });

  test('applies to the output of a workflow as well, and its error does not contain the large value', async () => {
    const result = await project.run('sum');
    expect(result).toMatchObject({ status: 'failed', output: null, error: { code: 'output.too_large' } });
    expect(JSON.stringify(result).length).toBeLessThan(64 * 1024);
  });

  test('does not apply to an input, which a call may pass on in full', async () => {
    const result = await project.run('p.make', { bytes: 10, ignored: 'x'.repeat(9 * MIB) });
    expect(result).toMatchObject({ status: 'succeeded', output: 'xxxxxxxxxx' });
  });
});
