// Holds the MCP door, at `POST /mcp`, and the client half against the official conformance suite: npm run test:mcp-conformance --
// --suite DIR
//
// DIR is where `npm install @modelcontextprotocol/conformance@0.2.0-alpha.12` was run. The suite needs Node 22: --node PATH, where
// this is an older one. What must not hold is in test/conformance/mcp/expected.yaml, each line with its reason; whatever else
// fails, or holds although it is listed there, ends this with 1.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const FOLDER = fileURLToPath(new URL('../test/conformance/mcp/', import.meta.url));
const REVISION = '2026-07-28';
const ONE_MS = 180_000;
/** What says that a check was made and did not hold. */
const FAILED = new Set(['FAILURE', 'WARNING']);

const { values } = parseArgs({
  options: { suite: { type: 'string' }, node: { type: 'string' }, only: { type: 'string' } },
});
const program = values.suite && join(values.suite, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const node = values.node ?? process.execPath;
if (!program || !statSync(program, { throwIfNoEntry: false })) {
  console.error(
    'npm run test:mcp-conformance -- --suite DIR [--node PATH] [--only SCENARIO]; the suite is not in DIR.',
  );
  process.exit(2);
}

const { not_run: notRun, fails } = parse(readFileSync(join(FOLDER, 'expected.yaml'), 'utf8'));
const listed = run('list', '--requirements', REVISION);
const isWanted = (name) => !(name in notRun) && (!values.only || name === values.only);
const known = { server: scenariosOf('server', listed), client: scenariosOf('client', listed) };
const all = [...known.server, ...known.client];
const wrong = Object.keys({ ...notRun, ...fails })
  .filter((name) => !all.includes(name))
  .map((name) => `${name} is no scenario of the suite`);

const out = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
const count = { checks: 0, held: 0, scenarios: 0 };
try {
  await holdServer(known.server.filter(isWanted));
  const client = `${process.execPath} ${join(FOLDER, 'client.mjs')}`;
  const version = ['--spec-version', REVISION];
  for (const name of known.client.filter(isWanted)) hold(name, 'client', '--command', client, ...version);
} finally {
  rmSync(out, { recursive: true, force: true });
}
const { checks, held, scenarios } = count;
console.log(
  `${held} of ${checks} checks of ${scenarios} scenarios hold; ${Object.keys(notRun).length} scenarios are not run`,
);
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 || checks === 0 ? 1 : 0;

async function holdServer(names) {
  if (names.length === 0) return;
  const server = spawn(process.execPath, [join(FOLDER, 'serve.mjs')], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const [url] = await once(createInterface({ input: server.stdout }), 'line');
    for (const name of names) hold(name, 'server', '--url', url);
  } finally {
    const left = once(server, 'exit');
    server.stdin.end();
    await left;
  }
}

/** Runs one scenario, and compares what fails with what must. */
function hold(scenario, ...args) {
  const results = checksOf(scenario, args);
  const expected = fails[scenario] ?? {};
  const failed = results.filter(({ status }) => FAILED.has(status));
  count.scenarios += 1;
  count.checks += results.length;
  count.held += results.length - failed.length;
  if (results.length === 0) wrong.push(`${scenario}: nothing was checked`);
  for (const { id, errorMessage } of failed) {
    if (!(id in expected)) wrong.push(`${scenario}: ${id} failed: ${errorMessage}`);
  }
  for (const id of Object.keys(expected)) {
    if (!failed.some((one) => one.id === id)) wrong.push(`${scenario}: ${id} holds, and is listed`);
  }
  console.log(`${scenario}: ${results.length - failed.length} of ${results.length} checks`);
}

function run(...args) {
  try {
    return execFileSync(node, [program, ...args], {
      encoding: 'utf8',
      timeout: ONE_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // A scenario that fails ends with 1; its checks are in its folder.
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

/** Those that are scored, and those of extensions and to come, which are marked so. */
function scenariosOf(half, text) {
  const [, scored = ''] = new RegExp(`${half} scenarios[^\\n]*\\n([\\s\\S]*?)\\n\\s*\\n`, 'i').exec(text) ?? [];
  const names = [...scored.matchAll(/^\s*- (\S+)$/gm)].map(([, name]) => name);
  const others = new RegExp(`^\\s*- (\\S+) \\[${half}\\]$`, 'gm');
  return [...names, ...[...text.matchAll(others)].map(([, name]) => name)];
}

/** What was skipped was not checked. */
function checksOf(scenario, args) {
  const folder = join(out, scenario.replaceAll('/', '-'));
  run(...args, '--scenario', scenario, '--output-dir', folder);
  const found = readdirSync(folder, { recursive: true }).find((path) => path.endsWith('checks.json'));
  const checks = JSON.parse(readFileSync(join(folder, found), 'utf8'));
  return checks.filter(({ status }) => status !== 'SKIPPED' && status !== 'INFO');
}
