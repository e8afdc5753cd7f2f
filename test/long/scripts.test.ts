import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHROMIUM } from '../fixtures/browser.js';
import { startStatelessMcp } from '../fixtures/servers/stateless-mcp.js';

// Short runs of the programs that people start by hand; nothing else would notice that a rename has broken one.

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ability-scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PATIENT = { timeout: 300_000 };

/** @param script by its path in the repository. */
const run = async (script: string, args: string[], env = {}) => {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [script, ...args], {
    cwd: ROOT,
    reject: false,
    // Not only what `npm test` leaves out.
    env: { NO_COLOR: '1', LONG: undefined, ...env },
  });
  return { exitCode, stdout, stderr };
};

test('`npm run test:mutations` plants a change, and names the test that notices it', PATIENT, async () => {
  const end = await run('scripts/run-mutations.mjs', ['the policy does not cap the time-out']);
  expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^killed .*, by: \S[\s\S]*\n1 killed, 0 /) });
});

test('`npm run test:mutants` gives the score of the mutants of a file', PATIENT, async () => {
  const tests = ['--tests', 'test/unit/rules/calls/call-limits.test.ts', '--all'];
  const end = await run('scripts/score-mutations.mjs', ['src/rules/calls/call-defaults.ts', ...tests]);
  expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\| all \| [1-9]\d* \| [1-9]/) });
});

/** Lists scenarios as the official suite does, and asks each half for as little as there is. */
const SUITE = `
const { execSync } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const { parseArgs } = require('node:util');
const [, , half, ...args] = process.argv;
const options = Object.fromEntries(
  ['url', 'command', 'scenario', 'output-dir', 'spec-version', 'requirements'].map((name) => [name, { type: 'string' }]),
);
const { values } = parseArgs({ args, options });
const initialize = {
  jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'suite', version: '1' } },
};
const checks = {
  list() { console.log(process.env.LISTED); },
  async server() {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await fetch(values.url, { method: 'POST', headers, body: JSON.stringify(initialize) });
    return (await answer.text()).includes('serverInfo');
  },
  async client() { return execSync(values.command + ' ' + process.env.MCP_URL, { encoding: 'utf8' }).includes('did one'); },
};
Promise.resolve(checks[half]()).then((held) => {
  if (half === 'list') return;
  mkdirSync(values['output-dir'], { recursive: true });
  const check = { id: values.scenario, status: held ? 'SUCCESS' : 'FAILURE' };
  writeFileSync(values['output-dir'] + '/checks.json', JSON.stringify([check]));
});
`;

test.each(['server', 'client'])('`npm run test:mcp-conformance` holds the %s half against a suite', async (half) => {
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  mkdirSync(join(program, '..'), { recursive: true });
  writeFileSync(program, SUITE);
  const expected = parse(readFileSync(join(ROOT, 'test/conformance/mcp/expected.yaml'), 'utf8'));
  const known = Object.keys({ ...expected.not_run, ...expected.fails }).map((name) => `  - ${name} [server]`);
  const listed = ['Server scenarios', '  - server', '', 'Client scenarios', '  - client', '', ...known, ''].join('\n');
  const mcp = await startStatelessMcp([{ name: 'one', inputSchema: { type: 'object' } }]);
  try {
    const env = { LISTED: listed, MCP_URL: mcp.url };
    const end = await run('scripts/run-mcp-conformance.mjs', ['--suite', folder, '--only', half], env);
    expect(end).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/1 of 1 checks of 1 scenarios/),
    });
  } finally {
    mcp.close();
  }
});

test('`npm run bench -- --short` measures a scenario beside its twin', PATIENT, async () => {
  await execa('npx', ['tsc', '-p', 'bench/twin/tsconfig.json'], { cwd: ROOT });
  await execa(process.execPath, ['bench/twin/build/twin/build.js'], { cwd: ROOT });
  await execa('npx', ['tsc', '-p', 'bench/tsconfig.json'], { cwd: ROOT });
  const end = await run('bench/build/bench/run.js', ['--short', '--scenario', 'noop']);
  expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\| noop +\| no hooks/) });
});

test.runIf(CHROMIUM)('`node scripts/take-pictures.mjs` takes each picture of the docs', PATIENT, async () => {
  const pictures = join(folder, 'pictures');
  expect(await run('scripts/take-pictures.mjs', [pictures])).toMatchObject({ exitCode: 0 });
  const names = ['approval', 'failed', 'history', 'list', 'page-inbox', 'page-task', 'signal'];
  expect(readdirSync(pictures).sort()).toEqual(names.map((name) => `${name}.png`));
});
