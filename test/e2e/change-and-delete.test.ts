import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation('util.echo', 'return input;', {
      yaml: 'input_schema: { type: object, properties: { n: { type: integer }, text: { type: string, default: none }, list: { type: array } } }',
    }),
    ...operation('util.slow', 'appendFileSync(input.file, "clean\\n"); await sleep(4000); return {};', {
      effects: 'write_idempotent',
    }),
    ...workflow(
      'waits',
      'steps: [{ id: w, wait: { signal: never } }]\nfinally: [{ id: slow, call: util.slow, with: { file: "${{ input.file }}" } }]',
    ),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (args: string[], input?: string) =>
  ability(args, { cwd: project.root, ...(input !== undefined && { input }) });
const json = (args: string[]) => abilityJson(args, { cwd: project.root });
const create = async (...args: string[]) => (await json(['task', 'create', ...args])).json.task_key as string;
const folder = (key: string) => join(project.root, '.system/implement', key);

describe('ability task set', () => {
  test('R-000-84: converts by the schema, accepts files and stdin, and reports what changed', async () => {
    const key = await create('util.echo', '--set', 'n=1');
    writeFileSync(join(project.root, 'text.txt'), 'from a file');
    const first = await run(['task', 'set', key, 'n=2', 'text=@text.txt', 'list:=[1, 2]']);
    expect(first).toMatchObject({ exitCode: 0, stdout: `${key}: list, n, text changed` });
    expect(first.stderr).toMatch(`ability task run ${key}`);
    const input = { n: 2, text: 'from a file', list: [1, 2] };
    expect(await json(['task', 'get', key])).toMatchObject({ json: input });
    expect(
      await run(['task', 'set', key, '--input', '-', 'n=4', '--unset', 'list'], '{"n": 3, "text": "x"}'),
    ).toMatchObject({ exitCode: 0 });
    expect(await json(['task', 'set', key, '--unset', 'text'])).toMatchObject({
      exitCode: 0,
      json: { status: 'available', task_key: key, changed: true, fields: ['text'], input: { n: 4, text: 'none' } },
    });
    expect((await run(['task', 'set', key, 'n=4'])).stdout).toBe(`${key} is as it was: the input is the same`);
    expect((await run(['task', 'show', key])).stdout).toMatch(/tester \(claimed\) changed text (now|\d+ s ago) \(/);
    expect((await run(['why', key])).stdout).toMatch(/tester \(claimed\) changed list, n, text (at 20|now|\d+ s ago)/);
    expect((await run(['task', 'record', key])).stdout).toMatch(/Changed \|.* by tester \(claimed\): text/);
    expect((await run(['task', 'list'])).stdout).toMatch(/tester, changed by tester/);
    expect(await json(['task', 'run', key])).toMatchObject({ exitCode: 0, json: { output: { n: 4 } } });
    expect(await json(['task', 'set', key, 'n=5'])).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'task.started' } },
    });
  }, 120_000);

  test('refuses an invalid assignment, no assignment, a wrong type, an unknown key', async () => {
    const key = await create('util.echo', '--set', 'n=1');
    const codeOf = async (...args: string[]) => {
      const { exitCode, json: printed } = await json(['task', 'set', ...args]);
      return [exitCode, printed.error.code, printed.error.message];
    };
    expect(await codeOf(key)).toEqual([2, 'usage.invalid', 'No change to the input was given']);
    expect(await codeOf(key, 'n')).toEqual([2, 'usage.invalid', 'n is no assignment']);
    expect(await codeOf(key, 'n=two')).toEqual([2, 'input.invalid', 'n: "two" is not of type integer']);
    expect((await codeOf(key, 'n=2', '--unset', 'n')).slice(0, 2)).toEqual([2, 'usage.invalid']);
    expect((await codeOf(key, '--unset', 'nn')).slice(0, 2)).toEqual([2, 'input.invalid']);
    expect((await codeOf('unknown-key', 'n=2')).slice(0, 2)).toEqual([2, 'task.not_found']);
    expect(await json(['task', 'get', key])).toMatchObject({ json: { n: 1, text: 'none' } });
    const near = async () => (await json(['task', 'get', `${key}x`])).json.error.suggestion;
    await expect.poll(near, { timeout: 30_000 }).toBe(`Did you mean ${key}?`);
  }, 120_000);
});

describe('ability task delete', () => {
  test('R-000-85: removes the record, and every command reports by whom and when', async () => {
    const key = await create('util.echo', '--set', 'n=1', '--key', 'gone');
    expect(await run(['task', 'delete', key])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^gone is deleted/),
    });
    for (const args of [
      ['task', 'show', key],
      ['task', 'get', key],
      ['task', 'result', key],
      ['task', 'record', key],
      ['task', 'logs', key],
      ['task', 'watch', key],
      ['task', 'run', key],
      ['task', 'retry', key],
      ['task', 'open', key],
      ['why', key],
      ['run', 'util.echo', '--set', 'n=1', '--key', key],
    ]) {
      const end = await json(args);
      expect([args.join(' '), end.exitCode, end.json.error?.code]).toEqual([args.join(' '), 2, 'task.deleted']);
      expect(end.json.error.message).toMatch(/deleted by tester \(claimed\) at 20/);
    }
    expect(await json(['task', 'delete', key])).toMatchObject({
      exitCode: 0,
      json: { status: 'deleted', already: true },
    });
    expect((await run(['task', 'delete', key])).stdout).toMatch(
      /^gone was deleted already, by tester (now|\d+ s ago) \(/,
    );
    expect(await json(['task', 'delete', 'unknown-key'])).toMatchObject({ exitCode: 2 });
  }, 180_000);

  test('continues although command, worker and server are killed midway; a second call waits for it', {
    ...LONG,
    timeout: 180_000,
  }, async () => {
    const file = join(project.root, 'cleaned');
    const started = await json(['run', 'waits', '--set', `file=${file}`, '--detach']);
    const key = started.json.task_key as string;
    await expect
      .poll(async () => (await json(['task', 'show', key])).json.progress?.w?.status, { timeout: 30_000 })
      .toBe('waiting');
    const first = start(['task', 'delete', key], { cwd: project.root });
    await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
    first.kill('SIGKILL');
    await first;
    const runtime = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
    await killProcesses(runtime.pid, runtime.server?.pid);
    expect(existsSync(join(folder(key), 'record.json'))).toBe(true);
    const second = await json(['task', 'delete', key, '--timeout', '2m']);
    expect(second, second.stdout).toMatchObject({ exitCode: 0, json: { status: 'deleted', warnings: [] } });
    expect(existsSync(join(folder(key), 'record.json'))).toBe(false);
    expect(existsSync(join(folder(key), 'deleted.json'))).toBe(true);
    expect(readFileSync(file, 'utf8').startsWith('clean\n')).toBe(true);
  });
});
