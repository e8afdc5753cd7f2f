import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, runTask, viewTask } from '../../src/client/index.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** The file of a phase with one hook, which records that it ran. */
const hook = (id: string, match: string): string =>
  `hooks: [{ id: ${id}, ${match} handler: { script: { path: scripts/noted.mjs } } }]\n`;
const HOOKS = 'hooks: { pre_create: [may_create], pre_call: [may_run] }';

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, staging: {} }'),
    ...operation('util.double', 'return { n: input.n * 2 };', {
      yaml: [
        'scope: { environments: [dev] }',
        'input_schema: { type: object, required: [n], properties: { n: { type: integer }, note: { type: string, default: none } } }',
        'output_schema: { type: object, required: [n] }',
      ].join('\n'),
    }),
    'registry/hooks/PreAbilityCreate.yaml': hook('may_create', ''),
    'registry/hooks/PreAbilityCall.yaml': hook('may_run', ''),
    'registry/hooks/PostAbilityCall.yaml': hook('report', 'match: {},').replace('noted', 'reported'),
    ...operation('util.guarded', "appendFileSync('order.txt', 'executed\\n'); return { n: input.n };", {
      yaml: `${HOOKS}\ninput_schema: { type: object, required: [n], properties: { n: { type: integer } } }`,
      effects: 'write_additive',
    }),
    'registry/low-level/util.lost.yaml': `operation_key: util.lost\nsummary: s\n${HOOKS}\nimplementation: { kind: script, script: { path: scripts/gone.mjs } }\n`,
    'scripts/noted.mjs': [
      "import { appendFileSync, readFileSync } from 'node:fs';",
      "appendFileSync('order.txt', `${JSON.parse(readFileSync(0, 'utf8')).event_type}\\n`);",
      "console.log(JSON.stringify({ guard_decision: 'allow' }));",
    ].join('\n'),
    'scripts/reported.mjs': [
      "import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';",
      "const { event_type, task_id, ability_id, payload } = JSON.parse(readFileSync(0, 'utf8'));",
      "if (ability_id === 'util.guarded') appendFileSync('order.txt', `${event_type}\\n`);",
      'writeFileSync(`reported-${task_id}-${ability_id}.json`, JSON.stringify(payload));',
      "console.log('{}');",
    ].join('\n'),
    ...workflow('flow', 'steps: [{ id: a, call: util.double, with: { n: 2 } }]\noutput: "${{ steps.a.output.n }}"'),
  });
});
afterAll(() => project.stop());

const order = () => readFileSync(join(project.root, 'order.txt'), 'utf8').trim().split('\n');
const record = (key: string) => join(project.root, '.system/implement', key);
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('create and run', () => {
  test('R-000-67, R-000-70: create makes a key and a record, and executes nothing', async () => {
    const { id, warnings } = await project.create('util.double', { n: 2 }, { run: false });
    expect(id).toMatch(/^t-[0-9a-z]{26}$/);
    expect(warnings).toEqual([]);
    const text = readFileSync(join(record(id), 'tool_call.md'), 'utf8');
    expect(text).toMatch(/"note": "none"[\s\S]*\| util\.double \| read \| util\.double \| script \|/);
    const { plan } = JSON.parse(readFileSync(join(record(id), 'record.json'), 'utf8'));
    expect(plan.operations['util.double'].implementation).toMatchObject({
      script: { path: 'scripts/util.double.mjs' },
    });
    const { result, view } = await viewTask(project.connection, id);
    expect(result).toMatchObject({ status: 'created', steps: [{ status: 'pending', attempts: 0 }] });
    expect(view?.input).toEqual({ n: 2, note: 'none' });
  });

  test('R-000-74, R-002-31: run executes the cached input, writes the result back, and returns it', async () => {
    const { id } = await project.create('util.guarded', { n: 8 }, { run: false });
    rmSync(join(project.root, 'order.txt'), { force: true });
    await runTask(project.connection, id);
    const end = await project.wait(id);
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', output: { n: 8 }, task_key: id } });
    expect(order()).toEqual(['PreAbilityCall', 'executed', 'PostAbilityCall']);
    expect(readFileSync(join(record(id), 'tool_call.md'), 'utf8')).toMatch(/## Output\n\n```json\n\{\n {2}"n": 8\n\}/);
  });

  test('R-000-86, R-002-34: tool_call.md states the intent, the setup, the input and the outcome', async () => {
    project.write(
      operation('util.break', 'process.stderr.write("broken\\n"); process.exit(3);', { effects: 'write_additive' }),
    );
    const { task_key: key } = await project.run('util.break', { n: 7 });
    const text = readFileSync(join(record(key as string), 'tool_call.md'), 'utf8');
    for (const part of [
      /^# util\.break · t-/,
      /The operation util\.break of a test\./,
      /\| Environment \| dev \|/,
      /\| Requested by \| tester \(claimed\) \|/,
      /## Input\n\n```json\n\{\n {2}"n": 7\n\}/,
      /\| util\.break \| write_additive \| util\.break \| script \|/,
      /\| Status \| failed \|/,
      /\| run \| util\.break \| failed \| 1 \|/,
      /## Error\n\n`script\.exit` in step `run`[\s\S]*broken/,
      /## Output\n\n```json\nnull/,
    ]) {
      expect(text).toMatch(part);
    }
  });

  test('R-000-23, R-000-66: workflows and operations are run the same way, and the runner makes the calls of a workflow', async () => {
    for (const [ability, input] of [
      ['util.double', { n: 2 }],
      ['flow', {}],
    ] as const) {
      const { id } = await project.create(ability, input, { run: false });
      expect(existsSync(join(project.root, `reported-${id}-util.double.json`))).toBe(false);
      await runTask(project.connection, id);
      expect(await project.wait(id)).toMatchObject({
        result: {
          status: 'succeeded',
          ability_id: ability,
          task_key: id,
          steps: [{ call: 'util.double', attempts: 1 }],
        },
      });
      expect(existsSync(join(record(id), 'tool_call.md'))).toBe(true);
      expect(existsSync(join(project.root, `reported-${id}-util.double.json`))).toBe(true);
    }
  });

  test('what cannot be created gets a reason, but no key and no folder', async () => {
    const error = await failure(project.create('util.double', { n: 1 }, { environment: 'staging', key: 'no-1' }));
    expect(error).toMatchObject({ code: 'scope.environment' });
    expect(error.suggestion).toMatch(/--env dev/);
    expect(existsSync(record('no-1'))).toBe(false);
  });

  test('R-000-68: the shape of the input and the configuration are checked before any hook runs', async () => {
    rmSync(join(project.root, 'order.txt'), { force: true });
    expect(await failure(project.create('util.guarded', { n: 'two' }))).toMatchObject({ code: 'input.invalid' });
    expect(await failure(project.create('util.lost'))).toMatchObject({ code: 'script.missing' });
    expect(existsSync(join(project.root, 'order.txt'))).toBe(false);
    await project.create('util.guarded', { n: 2 }, { run: false });
    expect(order()).toEqual(['PreAbilityCreate']);
    const error = await failure(project.create('util.double', { n: 'two' }));
    expect(error).toMatchObject({ code: 'input.invalid' });
    expect(error.message).toMatch(/`n` must be integer/);
  });

  test('R-000-77: a direct run fires the hooks before creation and before the call, executes, and fires the hooks after the call', async () => {
    rmSync(join(project.root, 'order.txt'), { force: true });
    const { id } = await project.create('util.guarded', { n: 5 }, { direct: true });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded', output: { n: 5 }, task_key: null } });
    expect(order()).toEqual(['PreAbilityCreate', 'PreAbilityCall', 'executed', 'PostAbilityCall']);
  });

  test('R-000-77, R-000-81, R-002-32: the default is a task; a direct run must be requested, and leaves no key and no folder', async () => {
    const task = await project.create('util.double', { n: 5 });
    await project.wait(task.id);
    expect(existsSync(record(task.id))).toBe(true);
    const { id } = await project.create('util.double', { n: 5 }, { direct: true });
    const end = await project.wait(id);
    expect(id).toMatch(/^direct:/);
    expect(existsSync(join(project.root, `reported-${id}-util.double.json`))).toBe(true);
    expect(end).toMatchObject({
      result: { status: 'succeeded', task_key: null, output: { n: 10 }, links: { record: null } },
    });
  });
});

describe('keys', () => {
  test('the same key with the same request is the same task, running or ended', async () => {
    const first = await project.create('util.double', { n: 3 }, { key: 'same' });
    const second = await project.create('util.double', { n: 3, note: 'none' }, { key: 'same' });
    expect(second.runId).toBe(first.runId);
    await project.wait(first.id);
    const third = await project.create('util.double', { n: 3 }, { key: 'same' });
    expect(third.attached).toBe(true);
    expect(await project.wait(third.id)).toMatchObject({ result: { output: { n: 6 } } });
  });

  test('another input under a key is a conflict, and so is another ability', async () => {
    await project.create('util.double', { n: 3 }, { key: 'taken' });
    expect(await failure(project.create('util.double', { n: 4 }, { key: 'taken' }))).toMatchObject({
      code: 'task.key_conflict',
    });
    expect(await failure(project.create('flow', {}, { key: 'taken' }))).toMatchObject({ code: 'task.key_conflict' });
  });

  test('a hundred callers of five keys get five tasks', async () => {
    const callers = Array.from({ length: 100 }, (_, index) =>
      project.create('util.double', { n: index % 5 }, { key: `crowd-${index % 5}` }),
    );
    const created = await Promise.all(callers);
    expect(new Set(created.map(({ runId }) => runId)).size).toBe(5);
  });

  test('an invalid key is refused', async () => {
    for (const key of ['', 'a b', '../x', 'x'.repeat(65), 'preflight:x', '-x']) {
      expect(await failure(project.create('util.double', { n: 1 }, { key }))).toMatchObject({
        code: 'task.key_invalid',
      });
    }
  });
});

describe('the end of a task', () => {
  test('R-002-33: a failing step ends the task as failed, with code, step and place', async () => {
    project.write(operation('util.fail', 'process.stderr.write("no luck\\n"); process.exit(3);'));
    const result = await project.run('util.fail');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'script.exit', step: 'run', details: { exit_code: 3 } },
    });
    expect(result.error?.message).toMatch(/no luck/);
    expect(result.steps).toMatchObject([{ status: 'failed', attempts: 3 }]);
  });

  test('a cancelled task reports this in its result', async () => {
    project.write(operation('util.slow', 'writeFileSync(input.file, String(process.pid)); await sleep(60_000);'));
    const file = join(project.root, 'pid');
    const { id } = await project.create('util.slow', { file });
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    await cancelTask(project.connection, id);
    const end = await project.wait(id);
    expect(end).toMatchObject({ result: { status: 'cancelled', steps: [{ status: 'cancelled' }] } });
  });
});
