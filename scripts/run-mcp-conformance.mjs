// Holds the MCP door against the official conformance suite, over HTTP: npm run test:mcp-conformance -- --suite DIR
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
const known = serverScenarios(listed);
const wanted = known.filter((name) => !(name in notRun) && (!values.only || name === values.only));
const wrong = Object.keys({ ...notRun, ...fails })
  .filter((name) => !known.includes(name))
  .map((name) => `${name} is no scenario of the suite`);

const out = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
const server = spawn(process.execPath, [join(FOLDER, 'serve.mjs')], { stdio: ['pipe', 'pipe', 'ignore'] });
let [checks, held] = [0, 0];
try {
  const [url] = await once(createInterface({ input: server.stdout }), 'line');
  for (const scenario of wanted) {
    const results = checksOf(scenario, url);
    const expected = fails[scenario] ?? {};
    for (const { id, status, errorMessage } of results) {
      const failed = FAILED.has(status);
      checks += 1;
      if (!failed) held += 1;
      if (failed && !(id in expected)) wrong.push(`${scenario}: ${id} failed: ${errorMessage}`);
    }
    for (const id of Object.keys(expected)) {
      if (!results.some((one) => one.id === id && FAILED.has(one.status)))
        wrong.push(`${scenario}: ${id} holds, and is listed`);
    }
    const failed = results.filter(({ status }) => FAILED.has(status)).length;
    console.log(`${scenario}: ${results.length - failed} of ${results.length} checks`);
  }
} finally {
  const left = once(server, 'exit');
  server.stdin.end();
  await left;
  rmSync(out, { recursive: true, force: true });
}
console.log(
  `${held} of ${checks} checks of ${wanted.length} scenarios hold; ${Object.keys(notRun).length} scenarios are not run`,
);
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 || checks === 0 ? 1 : 0;

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
function serverScenarios(text) {
  const [, scored = ''] = /Server scenarios[^\n]*\n([\s\S]*?)\n\s*\n/.exec(text) ?? [];
  const names = [...scored.matchAll(/^\s*- (\S+)$/gm)].map(([, name]) => name);
  return [...names, ...[...text.matchAll(/^\s*- (\S+) \[server\]$/gm)].map(([, name]) => name)];
}

function checksOf(scenario, url) {
  const folder = join(out, scenario);
  run('server', '--url', url, '--scenario', scenario, '--output-dir', folder);
  const [name] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'));
}
