import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { type RecordingService, startService } from '../fixtures/servers/recording-service.js';

const EXACT = join(import.meta.dirname, '../fixtures/servers/mcp-exact.mjs');
const BIG =
  '{"items": [{"id": 12345678901234567890, "ok": 9007199254740991, "price": 0.1, "s": "12345678901234567890"}]}';
const AS_TEXT = {
  items: [{ id: '12345678901234567890', ok: 9007199254740991, price: 0.1, s: '12345678901234567890' }],
};
/** `{"a": "Zo<EB>"}` in Latin 1. */
const LATIN = Buffer.from('{"a": "Zoë"}', 'latin1');

let project: RunningProject;
let service: RecordingService;
let counter = 0;
const children: ChildProcess[] = [];

beforeAll(async () => {
  service = await startService();
  project = await runProject({});
});
afterAll(async () => {
  for (const child of children) child.kill();
  await project.stop();
  await service.stop();
});

type Big = 'text' | undefined;

/** Runs an ability that outputs these bytes once, in one of the possible ways. */
type Giver = (bytes: Buffer, big?: Big) => Promise<TaskResult>;

const more = { effects: 'write_additive' };
const bigOf = (big: Big): JsonObject => (big === undefined ? {} : { big_integers: big });

function script(toFile: boolean): Giver {
  return (bytes, big) => {
    counter += 1;
    const body = toFile ? 'writeFileSync(process.argv[2], bytes)' : 'process.stdout.write(bytes)';
    const text = `import { writeFileSync } from 'node:fs';\nconst bytes = Buffer.from('${bytes.toString('base64')}', 'base64');\nvoid writeFileSync; ${body};`;
    const args = toFile ? ['{output_file}'] : [];
    const key = `s.case_${counter}`;
    project.write(scriptAbility(key, `scripts/s${counter}.mjs`, text, { script: { args, ...bigOf(big) }, more }));
    return project.run(key);
  };
}

const api: Giver = (bytes, big) => serve(bytes, 'application/json', bigOf(big));

function serve(bytes: Buffer, type: string, response: JsonObject = {}): Promise<TaskResult> {
  counter += 1;
  const [key, path] = [`a.case_${counter}`, `/case-${counter}`];
  service.on(path, (answer) => void answer.writeHead(200, { 'content-type': type }).end(bytes));
  const section = { path, ...(Object.keys(response).length > 0 && { response }) };
  project.write(apiAbility(key, service.origin, section, { more }));
  return project.run(key);
}

function mcp(way: 'stdio' | 'json' | 'events', isText: boolean): Giver {
  return async (bytes, big) => {
    counter += 1;
    const text = Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1');
    const content = isText ? Buffer.concat([Buffer.from('[{"type": "text", "text": '), text, Buffer.from('}]')]) : '[]';
    const result = Buffer.concat([
      Buffer.from('{"content": '),
      Buffer.from(content),
      ...(isText ? [] : [Buffer.from(', "structuredContent": '), bytes]),
      Buffer.from('}'),
    ]).toString('base64');
    const server: JsonObject =
      way === 'stdio' ? { command: process.execPath, args: [EXACT, result, way] } : { url: await listen(result, way) };
    const name = `m${counter}`;
    project.write({
      ...config(name, { mcp_servers: { [name]: server } }),
      ...mcpAbility(
        `m.case_${counter}`,
        { server: name, tool: 'do', ...(isText && { output: 'json' }), ...bigOf(big) },
        { more },
      ),
    });
    return project.run(`m.case_${counter}`);
  };
}

async function listen(result: string, way: string): Promise<string> {
  const child = spawn(process.execPath, [EXACT, result, way], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [port] = await once(child.stdout, 'data');
  return `http://127.0.0.1:${String(port).trim()}/mcp`;
}

describe.each<[string, string, Giver]>([
  ['the output file of a script', 'script.output_invalid', script(true)],
  ['what a script prints', 'script.output_invalid', script(false)],
  ['the answer of a service', 'api.output_invalid', api],
  ['the structure that a tool gives, over stdio', 'mcp.output_invalid', mcp('stdio', false)],
  ['the structure that a tool gives, over HTTP', 'mcp.output_invalid', mcp('json', false)],
  ['the structure that a tool gives, as an event', 'mcp.output_invalid', mcp('events', false)],
  ['the text of a tool that is read as JSON', 'mcp.output_invalid', mcp('stdio', true)],
])('%s', (_, code, give) => {
  test('with an integer beyond 2^53 is refused with its place, not changed', async () => {
    const { status, error } = await give(Buffer.from(BIG));
    expect([status, error?.code]).toEqual(['failed', code]);
    expect(error?.message).toMatch(/contains the integer 12345678901234567890, .* \(at \/items\/0\/id\)/);
    expect(error?.details).toMatchObject({ path: ['items', 0, 'id'], number: '12345678901234567890' });
  });

  test('returns it as text if `big_integers: text` is set', async () => {
    expect(await give(Buffer.from(BIG), 'text')).toMatchObject({ status: 'succeeded', output: AS_TEXT });
  });

  test('with a number that fits no double is refused either way', async () => {
    const { error } = await give(Buffer.from('{"a": [1e400]}'), 'text');
    expect([error?.code, error?.message]).toEqual([code, expect.stringMatching(/number 1e400, .*\(at \/a\/0\)/)]);
  });

  test('with bytes that are not UTF-8 is refused with their place', async () => {
    const { status, error } = await give(LATIN);
    expect([status, error?.code]).toEqual(['failed', code]);
    expect(error?.message).toMatch(/UTF-8/);
    expect(error?.message).toMatch(/byte \d+/);
  });
});

describe('an answer of a service that states its charset', () => {
  test.each([
    ['application/json; charset=iso-8859-1', LATIN, { a: 'Zoë' }],
    ['application/json; charset="utf-16le"', Buffer.from('{"a": "Zoë"}', 'utf16le'), { a: 'Zoë' }],
    ['text/plain; charset=ISO-8859-1', Buffer.from('Zoë', 'latin1'), { text: 'Zoë' }],
    ['application/json', Buffer.from('\uFEFF{"a": "Zoë"}'), { a: 'Zoë' }],
  ])('as %s is decoded by it', async (type, bytes, output) => {
    expect(await serve(bytes, type)).toMatchObject({ status: 'succeeded', output });
  });

  test.each([
    ['letters that are not known', 'application/json; charset=klingon', Buffer.from('{}'), /charset|klingon/],
    ['others than it has', 'application/json; charset=utf-8', LATIN, /not UTF-8: byte 9 is not part of a character/],
    [
      'none, in a letter that breaks off',
      'text/plain',
      Buffer.from('Zoë').subarray(0, 3),
      /not UTF-8: byte 2 begins an incomplete character/,
    ],
  ])('%s is refused', async (_, type, bytes, message) => {
    const { error } = await serve(bytes, type);
    expect([error?.code, error?.message]).toEqual(['api.output_invalid', expect.stringMatching(message)]);
    expect(error?.suggestion).toMatch(/base64/);
  });

  test('is returned as base64 with every byte', async () => {
    const output = { base64: LATIN.toString('base64') };
    expect(await serve(LATIN, 'application/json', { as: 'base64' })).toMatchObject({ status: 'succeeded', output });
  });
});

test('R-002-05: an escaped brace reaches the script, and a placeholder is filled in', async () => {
  const body = 'console.log(JSON.stringify(process.argv.slice(2)));';
  const script = { args: ['%\\{http_code}', '\\\\{payload}', '{payload}', '{"a": 1}', '{}'] };
  project.write(scriptAbility('s.braces', 'scripts/braces.mjs', body, { script, more }));
  const { output } = await project.run('s.braces', { n: '{task_key}' });
  expect(output).toEqual(['%{http_code}', '\\{payload}', '{"n":"{task_key}"}', '{"a": 1}', '{}']);
});
