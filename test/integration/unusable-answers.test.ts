import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { statuses } from '../fixtures/flows.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { json, type RecordingService, send, startService } from '../fixtures/servers/recording-service.js';

let service: RecordingService;
let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  service = await startService();
  project = await runProject(
    operation('undo.note', 'appendFileSync(input.file, JSON.stringify(input.given) + "\\n"); return null;', {
      effects: 'write_idempotent',
    }),
  );
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

const file = (name: string): string => join(project.root, name);
const lines = (name: string): string[] =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : [];

const NEEDS_ID = { output_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } };

/** An ability that counts its calls. */
interface Counted {
  key: string;
  count: () => number;
}

function script(body: string, more: JsonObject): Counted {
  counter += 1;
  const [key, count] = [`a.script_${counter}`, `script-${counter}.txt`];
  const content = [
    "import { appendFileSync, writeFileSync } from 'node:fs';",
    `appendFileSync(${JSON.stringify(file(count))}, 'called\\n');`,
    'const output = process.argv[2]; void writeFileSync, output;',
    body,
  ].join('\n');
  project.write(scriptAbility(key, `scripts/a-${counter}.mjs`, content, { script: { args: ['{output_file}'] }, more }));
  return { key, count: () => lines(count).length };
}

function api(answer: Parameters<RecordingService['on']>[1], more: JsonObject): Counted {
  counter += 1;
  const [key, path] = [`a.api_${counter}`, `/a-${counter}`];
  service.on(path, answer);
  project.write(apiAbility(key, service.origin, { method: 'POST', path }, { more }));
  return { key, count: () => service.requestsOf(path).length };
}

function mcp(result: JsonObject, more: JsonObject): Counted {
  counter += 1;
  const [key, name, count] = [`a.mcp_${counter}`, `raw_${counter}`, `mcp-${counter}.txt`];
  const tools = JSON.stringify([{ name: 'do', inputSchema: { type: 'object' } }]);
  const args = [MCP_PROGRAMS.raw, tools, JSON.stringify({ result }), file(count)];
  project.write({
    ...config(name, { mcp_servers: { [name]: { command: process.execPath, args } } }),
    ...mcpAbility(key, { server: name, tool: 'do', output: 'json' }, { more }),
  });
  return { key, count: () => lines(count).length };
}

const text = (content: string): JsonObject => ({ content: [{ type: 'text', text: content }] });

/** Each kind of unusable answer. */
const KINDS: [string, string, (more: JsonObject) => Counted][] = [
  [
    'script.output_invalid',
    'a script that breaks its contract',
    (more) => script('writeFileSync(output, "{}");', { ...NEEDS_ID, ...more }),
  ],
  ['script.output_broken', 'a script that writes no JSON', (more) => script('writeFileSync(output, "{");', more)],
  ['script.output_missing', 'a script that writes nothing', (more) => script('', more)],
  [
    'api.output_invalid',
    'a service that breaks its contract',
    (more) => api(json({ ok: true }), { ...NEEDS_ID, ...more }),
  ],
  [
    'api.output_invalid',
    'a service that declares JSON but sends none',
    (more) => api(send(200, 'application/json', '{'), more),
  ],
  ['mcp.output_invalid', 'a tool that breaks its contract', (more) => mcp(text('{}'), { ...NEEDS_ID, ...more })],
  ['mcp.output_invalid', 'a tool that returns no JSON', (more) => mcp(text('no'), more)],
];

async function run(yaml: string): Promise<TaskResult> {
  counter += 1;
  project.write(workflow(`arrived_${counter}`, yaml));
  return project.run(`arrived_${counter}`);
}

describe('a call that was made, but whose answer cannot be used', () => {
  describe.each(KINDS)('%s: %s', (code, _, define) => {
    test.each(['read', 'write_idempotent', 'write_additive'])(
      'is not made again, and the message says so: %s',
      async (effects) => {
        const { key, count } = define({ effects });
        const result = await run(`steps: [{ id: a, call: ${key}, retry: { attempts: 3, first: 10ms } }]`);
        expect(result).toMatchObject({ status: 'failed', error: { code, step: 'a' }, steps: [{ attempts: 1 }] });
        expect(result.error?.message).toMatch(/^The call was made, but its answer cannot be used: /);
        expect(count()).toBe(1);
      },
    );

    test('is made again if the step names the code, not its family, and never by a group around it', async () => {
      const { key, count } = define({ effects: 'write_additive' });
      const retry = (errors: string) => `retry: { attempts: 3, first: 10ms, errors: [${errors}] }`;
      await run(`steps: [{ id: a, call: ${key}, ${retry(code.split('.', 1)[0] as string)} }]`);
      expect(count()).toBe(1);
      await run(`steps: [{ id: g, retry: { attempts: 3, first: 10ms }, steps: [{ id: a, call: ${key} }] }]`);
      expect(count()).toBe(2);
      const named = await run(`steps: [{ id: a, call: ${key}, ${retry(code)} }]`);
      expect(named).toMatchObject({ status: 'failed', error: { code }, steps: [{ attempts: 3 }] });
      expect(count()).toBe(5);
    });

    test('is undone as after a success, with a null output', async () => {
      const { key, count } = define({ effects: 'write_additive' });
      const name = `undo-${counter}.txt`;
      const undo = `undo: { call: undo.note, with: { file: ${JSON.stringify(file(name))}, given: "\${{ steps.a.output }}" } }`;
      const result = await run(`steps: [{ id: a, call: ${key}, ${undo} }]`);
      expect(result).toMatchObject({ status: 'failed', error: { code }, warnings: [] });
      expect(statuses(result)).toMatchObject({ a: 'failed', 'a.undo': 'succeeded' });
      expect([count(), lines(name)]).toEqual([1, ['null']]);
    });
  });

  test('is undone as well if a later attempt failed with another error', async () => {
    const flaky = (
      response: Parameters<ReturnType<typeof json>>[0],
      request: Parameters<ReturnType<typeof json>>[1],
      nth: number,
    ) =>
      nth === 1 ? send(200, 'application/json', '{')(response, request, nth) : json({}, 409)(response, request, nth);
    const { key, count } = api(flaky, { effects: 'write_additive' });
    const undo = `undo: { call: undo.note, with: { file: ${JSON.stringify(file('before.txt'))}, given: back } }`;
    const retry = 'retry: { attempts: 2, first: 10ms, errors: [api.output_invalid] }';
    const result = await run(`steps: [{ id: a, call: ${key}, ${retry}, ${undo} }]`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.409' } });
    expect([count(), lines('before.txt')]).toEqual([2, ['"back"']]);
  });

  test('is undone if a handler caught the error and the task failed later, but not if the task succeeded', async () => {
    const undo = (name: string) =>
      `undo: { call: undo.note, with: { file: ${JSON.stringify(file(name))}, given: back } }`;
    const handled = (key: string, name: string) =>
      `{ id: a, call: ${key}, ${undo(name)}, on_error: [{ errors: [script.output_missing], output: fine }] }`;
    const { key } = script('', { effects: 'write_additive' });
    const good = await run(`steps: [${handled(key, 'good.txt')}]`);
    expect(good).toMatchObject({ status: 'succeeded' });
    const bad = await run(`steps: [${handled(key, 'bad.txt')}, { id: f, fail: { code: app.no, message: no } }]`);
    expect(bad).toMatchObject({ status: 'failed', error: { code: 'app.no' } });
    expect([lines('good.txt'), lines('bad.txt')]).toEqual([[], ['"back"']]);
  });

  test('is reported by `why` and in the record as a call that was made', async () => {
    const { key } = script('', { effects: 'write_additive' });
    const result = await run(`steps: [{ id: a, call: ${key} }]`);
    const record = JSON.parse(readFileSync(join(result.links.record as string, 'record.json'), 'utf8'));
    expect(JSON.stringify(record)).toContain('The call was made, but its answer cannot be used');
    const story = await explainTask(project.connection, result.task_key as string);
    expect(story.steps[0]?.tries[0]?.error?.message).toMatch(/^The call was made/);
  });

  test('includes an answer that is too large, but not a failure of the service with a long body', async () => {
    const long = 'x'.repeat(9 * 1024 * 1024);
    const undo = (name: string) =>
      `undo: { call: undo.note, with: { file: ${JSON.stringify(file(name))}, given: back } }`;
    const large = api(send(200, 'text/plain', long), { effects: 'write_additive' });
    const result = await run(`steps: [{ id: a, call: ${large.key}, ${undo('large.txt')} }]`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output.too_large' } });
    expect(lines('large.txt')).toEqual(['"back"']);
    const down = api(send(500, 'text/plain', long), { effects: 'write_additive' });
    const failed = await run(`steps: [{ id: a, call: ${down.key}, ${undo('down.txt')} }]`);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'http.500' } });
    expect(lines('down.txt')).toEqual([]);
  });

  test('does not include a call that `fail_if` declares failed', async () => {
    const { key, count } = script('writeFileSync(output, "{}");', { effects: 'write_idempotent' });
    const yaml = readFileSync(file(`registry/low-level/${key}.yaml`), 'utf8');
    const definition = JSON.parse(yaml);
    definition.implementation.fail_if = 'true';
    project.write({ [`registry/low-level/${key}.yaml`]: JSON.stringify(definition) });
    const result = await run(`steps: [{ id: a, call: ${key}, retry: { attempts: 2, first: 10ms } }]`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'fail_if.matched' }, steps: [{ attempts: 2 }] });
    expect(count()).toBe(2);
  });
});
