import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { callerOf } from '../fixtures/caller.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { logFile, readLog, scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  project = await runProject({});
});
afterAll(() => project.stop());

/** Runs a Node script once; it prints, or writes to `output` (the path of its output file). */
function run(body: string, { args = ['{output_file}'], more = {} }: { args?: string[]; more?: JsonObject } = {}) {
  counter += 1;
  const [key, path] = [`o.case_${counter}`, `scripts/case-${counter}.mjs`];
  const content = [
    "import { mkdirSync, writeFileSync } from 'node:fs';",
    'const output = process.argv[2];',
    'void mkdirSync, writeFileSync, output;',
    body,
  ].join('\n');
  const once = { effects: 'write_additive', ...more };
  project.write(scriptAbility(key, path, content, { script: { args }, more: once }));
  return project.run(key);
}

const PRINTS = { args: [] };
const lines = ({ task_key }: TaskResult, path?: string) => readLog(project.root, task_key as string, path);

describe('the output of a script', () => {
  test.each([
    ['an object', '{"a": [1, 2.5, null, "ä"]}', { a: [1, 2.5, null, 'ä'] }],
    ['a number', ' 42\n', 42],
    ['nothing', '', null],
  ])('is what it prints if its arguments name no output file: %s', async (_, text, output) => {
    const result = await run(`process.stdout.write(${JSON.stringify(text)});`, PRINTS);
    expect(result).toMatchObject({ status: 'succeeded', output });
  });

  test('is only the file if its arguments name one', async () => {
    const result = await run('console.log("{}"); writeFileSync(output, JSON.stringify({ from: "file" }));');
    expect(result).toMatchObject({ status: 'succeeded', output: { from: 'file' } });
  });
});

describe('each failure has its own code, with the end of stderr', () => {
  const warn = 'console.error("the reason");';
  const schema = { output_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } };

  test.each([
    ['script.exit', 'an exit code', `${warn} process.exit(3);`],
    ['script.output_missing', 'no output file', warn],
    ['script.output_missing', 'an empty output file', `${warn} writeFileSync(output, "  ");`],
    ['script.output_broken', 'half JSON', `${warn} writeFileSync(output, '{"a": ');`],
    ['script.output_broken', 'two JSON values', `${warn} writeFileSync(output, '{} {}');`],
    ['script.output_broken', 'a folder in place of the file', `${warn} mkdirSync(output);`],
    ['script.output_invalid', 'an output its schema does not allow', `${warn} writeFileSync(output, '{"id": 1}');`],
  ])('%s: %s', async (code, _, body) => {
    const result = await run(body, { more: schema });
    expect(result).toMatchObject({ status: 'failed', error: { code } });
    const { message, details } = result.error as { message: string; details?: unknown };
    expect(`${message}${JSON.stringify(details)}`).toContain('the reason');
    expect(result.steps).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });

  test('an exit code is reported as data, and a wrong field by its name', async () => {
    const exit = await run('process.exit(17);');
    expect(exit.error).toMatchObject({ code: 'script.exit', details: { exit_code: 17 } });
    const wrong = await run('writeFileSync(output, "{}");', { more: schema });
    expect(wrong.error?.message).toMatch(/`id` is missing/);
  });

  test('a script killed by a signal has an unknown outcome if it may not be repeated', async () => {
    const result = await run('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);');
    expect(result).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome.unknown', details: { seen: { code: 'script.exit' } } },
    });
  });

  test.each(['__proto__', 'constructor', 'prototype'])('a key %s is refused', async (key) => {
    const result = await run(`writeFileSync(output, '{"a": [{"${key}": {"polluted": true}}]}');`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.output_invalid' } });
    expect(result.error?.message).toContain(key);
  });

  test('more than 8 MiB is output.too_large, in a file or printed, and is not tried again', async () => {
    const big = 'JSON.stringify("x".repeat(8 * 1024 * 1024))';
    const again = { effects: 'read' };
    const results = await Promise.all([
      run(`writeFileSync(output, ${big});`, { more: again }),
      run(`process.stdout.write(${big});`, { ...PRINTS, more: again }),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'failed', error: { code: 'output.too_large' }, steps: [{ attempts: 1 }] });
    }
  });
});

describe('the log of a call', () => {
  test('is JSON lines with time, step, attempt, stream and text', async () => {
    const result = await run(
      'console.log("one\\ntwo"); console.error("three"); process.stdout.write("no end"); process.exit(1);',
    );
    const log = lines(result);
    for (const line of log) {
      expect(Object.keys(line).sort()).toEqual(['attempt', 'step', 'stream', 'text', 'time']);
      expect(line).toMatchObject({ step: 'run', attempt: 1 });
      expect(new Date(line.time).toISOString()).toBe(line.time);
    }
    const of = (stream: string) => log.filter((line) => line.stream === stream).map(({ text }) => text);
    expect(of('stdout')).toEqual(['one', 'two', 'no end']);
    expect(of('stderr')).toEqual(['three']);
  });

  test('distinguishes attempts, and is stored under the path of its step', async () => {
    project.write({
      ...operation(
        'o.flaky',
        'console.log("try"); if (!existsSync(input.file)) { writeFileSync(input.file, ""); process.exit(1); }',
      ),
      ...workflow(
        'logged',
        'steps: [{ id: both, parallel: { left: { call: o.flaky, with: { file: flaky.txt }, retry: { attempts: 2, first: 10ms } } } }]',
      ),
    });
    const result = await project.run('logged');
    expect(result.status).toBe('succeeded');
    const tries = lines(result, 'both/left').filter(({ text }) => text === 'try');
    expect(tries).toMatchObject([
      { step: 'both/left', attempt: 1 },
      { step: 'both/left', attempt: 2 },
    ]);
  });

  test('of five megabytes keeps the head and the tail, in one MiB', async () => {
    const body = 'for (let n = 1; n <= 50_000; n += 1) process.stdout.write(`${n} ${"x".repeat(100)}\\n`);';
    const result = await run(`${body}\nwriteFileSync(output, '"done"');`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'done' });
    const printed = lines(result).filter(({ stream }) => stream === 'stdout');
    expect(printed[0]?.text).toMatch(/^1 x/);
    expect(printed.at(-1)?.text).toMatch(/^50000 x/);
    expect(lines(result).some(({ stream, text }) => stream === 'runtime' && /left out/.test(text))).toBe(true);
    const size = statSync(logFile(project.root, result.task_key as string)).size;
    expect(size).toBeLessThan(2.5 * 1024 * 1024);
    expect(printed.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1.1 * 1024 * 1024);
  });

  test.each([
    ['empty lines', ''],
    ['lines of one letter', 'x'],
  ])('of two million %s stays small, and does not block the worker', async (_, line) => {
    const body = `const lines = ${JSON.stringify(line)} + '\\n'; for (let n = 0; n < 200; n += 1) process.stdout.write(lines.repeat(10_000));`;
    const result = await run(`${body}\nwriteFileSync(output, '"done"');`, { more: { effects: 'read' } });
    expect(result).toMatchObject({ status: 'succeeded', output: 'done', steps: [{ attempts: 1 }] });
    expect(statSync(logFile(project.root, result.task_key as string)).size).toBeLessThan(4 * 1024 * 1024);
  });

  test('of one endless line stays small', async () => {
    const body = 'for (let n = 0; n < 5; n += 1) process.stderr.write("y".repeat(1_000_000));';
    const result = await run(`${body}\nwriteFileSync(output, '"done"');`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'done' });
    expect(statSync(logFile(project.root, result.task_key as string)).size).toBeLessThan(2 * 1024 * 1024);
  });

  test('of a direct run is not stored', async () => {
    project.write(operation('o.direct', 'console.log("logged"); return 1;'));
    const { id } = await createTask(project.connection, {
      ability: 'o.direct',
      environment: 'dev',
      input: {},
      caller: callerOf(),
      run: true,
      direct: true,
    });
    await project.wait(id);
    expect(existsSync(join(project.root, '.system/implement', id))).toBe(false);
    expect(readFileSync(join(project.root, 'scripts/o.direct.mjs'), 'utf8')).toContain('logged');
  });
});
