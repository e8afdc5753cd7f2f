#!/usr/bin/env node
// Runs a collection of Claude Code hooks through its own tests, and each call that these made of a hook through ours:
// npm run test:foreign-hooks -- DIR --hook PATH --test 'COMMAND' [--hook PATH --test 'COMMAND' ...]
// DIR is a checkout, which stays as it is: all of it happens in a temporary copy.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const BUILT = fileURLToPath(new URL('../build/', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hook: { type: 'string', multiple: true },
    test: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
});
const [dir] = positionals;
if (!dir || !values.hook?.length || values.hook.length !== values.test?.length) {
  console.error(
    "usage: npm run test:foreign-hooks -- DIR --hook PATH --test 'COMMAND' [--hook PATH --test 'COMMAND' ...]",
  );
  process.exit(2);
}
const { createAnswerScript } = await import(`${BUILT}activities/hooks/script-handler.js`);
const { PinnedScripts } = await import(`${BUILT}activities/processes/pinned-scripts.js`);
const { openWorkerSecrets } = await import(`${BUILT}worker/worker-secrets.js`);
const { loadRegistry } = await import(`${BUILT}definitions/load-registry.js`);
const { resolvePlan } = await import(`${BUILT}planning/resolve/resolve-plan.js`);
const { openStore } = await import(`${BUILT}server/store/open-store.js`);
const { pathsOf } = await import(`${BUILT}server/project-paths.js`);
const { RunningGroups } = await import(`${BUILT}worker/running-groups.js`);

/** Variables that belong to the tests or to this program. */
const OURS = /^(npm_|NODE_|PYTEST|PWD$|OLDPWD$|SHLVL$|_$|ABILITY_)/;

const ABILITY = `operation_key: any
summary: What the hook is shown.
effects: destructive
input_schema: { type: object }
implementation: { kind: script, script: { path: registry/low-level/any.yaml, interpreter: cat } }
`;

/** Runs the original, hands on what it says, and notes all of it. */
const RECORDER = `import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
const [original, notes, interpreter, ...args] = process.argv.slice(2);
const stdin = readFileSync(0, 'utf8');
const { status, stdout, stderr } = spawnSync(interpreter, [original, ...args], { input: stdin, encoding: 'utf8', env: process.env });
appendFileSync(notes, JSON.stringify({ stdin, exitCode: status, stdout, stderr, env: process.env, cwd: process.cwd() }) + '\\n');
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status ?? 1;
`;

/** A stand-in in the language of the hook; one that is imported gives what the original has. */
const node = ({ recorder, original, notes }) => `#!/usr/bin/env node
if (require.main !== module) module.exports = require(${JSON.stringify(original)});
else {
  const { spawnSync } = require('node:child_process');
  const args = [${JSON.stringify(recorder)}, ${JSON.stringify(original)}, ${JSON.stringify(notes)}, 'node', ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status;
}
`;
const STAND_INS = {
  '.js': node,
  '.cjs': node,
  '.sh': ({ recorder, original, notes }) => `#!/usr/bin/env bash
exec '${process.execPath}' '${recorder}' '${original}' '${notes}' bash "$@"
`,
  '.py': ({ recorder, original, notes }) => `import os, runpy, sys
if __name__ == "__main__":
    os.execv(${JSON.stringify(process.execPath)}, ["node", ${JSON.stringify(recorder)}, ${JSON.stringify(original)}, ${JSON.stringify(notes)}, sys.executable, *sys.argv[1:]])
globals().update(runpy.run_path(${JSON.stringify(original)}))
`,
};

const work = realpathSync(mkdtempSync(join(tmpdir(), 'foreign-hooks-')));
let exitCode = 0;
try {
  for (const [index, hook] of values.hook.entries()) {
    const cases = record(hook, values.test[index], join(work, `own-${index}`));
    const report = await replay(hook, cases, join(work, `ours-${index}`));
    if (values.json) console.log(JSON.stringify(report));
    else print(report);
    if (report.differing.length > 0 || report.cases === 0 || !report.ownTestsPass) exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(exitCode);

/** Runs the tests of the collection with a stand-in for the hook, which notes what it is asked and what it answers. */
function record(hook, command, root) {
  cpSync(dir, root, { recursive: true, filter: (path) => basename(path) !== '.git' });
  const file = join(root, hook);
  const original = join(dirname(file), `original-${basename(file)}`);
  const notes = join(work, `${basename(root)}.jsonl`);
  cpSync(file, original);
  const recorder = join(work, 'recorder.mjs');
  writeFileSync(recorder, RECORDER);
  writeFileSync(file, STAND_INS[extname(file)]({ recorder, original, notes }));
  chmodSync(file, 0o755);
  const tests = spawnSync('sh', ['-c', command], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 3_600_000,
  });
  if (tests.status !== 0) console.error(`${tests.stdout}\n${tests.stderr}`.slice(-3000));
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n').filter(Boolean) : [];
  return { passed: tests.status === 0, calls: lines.map((line) => JSON.parse(line)) };
}

/** Asks the hook, as it is in the collection, each recorded question over our protocol. */
async function replay(hook, { passed, calls }, root) {
  cpSync(dir, root, { recursive: true, filter: (path) => basename(path) !== '.git' });
  mkdirSync(join(root, 'registry/hooks'), { recursive: true });
  mkdirSync(join(root, 'registry/low-level'), { recursive: true });
  writeFileSync(join(root, 'ability.yaml'), 'format: 1\nproject: foreign\nenvironments: { dev: {} }\n');
  writeFileSync(join(root, 'registry/low-level/any.yaml'), ABILITY);
  const interpreter = { '.py': 'python3', '.sh': 'bash', '.js': 'node', '.cjs': 'node', '.mjs': 'node' }[extname(hook)];
  const definition = {
    id: 'hook',
    blocking: true,
    match: {},
    handler: {
      format: 'claude-code',
      script: { path: hook, interpreter, timeout_sec: 20, plugin_root: pluginRootOf(hook) },
    },
    as: [{ match: {}, tool_name: 'Bash', tool_input: '${{ input }}' }],
    abstain: 'allow',
  };
  writeFileSync(join(root, 'registry/hooks/PreAbilityCall.yaml'), JSON.stringify({ hooks: [definition] }));
  const { plan } = resolvePlan(loadRegistry(root), 'any', 'dev');
  const operation = plan.operations.any;
  const [{ handler }] = operation.hooks.pre_call;
  const paths = pathsOf(root);
  const groups = new RunningGroups(paths.running);
  const scripts = new PinnedScripts(root, paths.pinned, openStore(paths.store, null, paths));
  const answer = createAnswerScript({
    root,
    groups,
    scripts,
    secrets: openWorkerSecrets(root, groups, process.env).secrets,
  });
  const report = { hook, ownTestsPass: passed, cases: 0, same: 0, stricter: [], differing: [], skipped: {} };
  for (const call of calls) {
    const why = whySkipped(call);
    if (why !== undefined) {
      report.skipped[why] = (report.skipped[why] ?? 0) + 1;
      continue;
    }
    const { tool_name = 'Bash', tool_input } = JSON.parse(call.stdin);
    const run = {
      plan,
      operation,
      input: tool_input,
      task: 't-1',
      user: { name: 'x', source: 'claimed' },
      session: null,
      phase: 'PreAbilityCall',
      path: 'run',
      moment: Date.now(),
      hooks: [],
      planDigest: null,
      signal: new AbortController().signal,
      logs: undefined,
    };
    const own = { ...process.env, HOME: process.env.HOME };
    const set = Object.fromEntries(
      Object.entries(call.env).filter(([name, value]) => own[name] !== value && !OURS.test(name)),
    );
    const asked = {
      ...handler,
      script: { ...handler.script, env: { ...handler.script.env, set: { ...handler.script.env.set, ...set } } },
      foreign: { ...handler.foreign, shown: { tool_name, tool_input: '${{ input }}' } },
    };
    const event = { environment: { name: 'dev' }, ability_id: 'any' };
    const said = await answer('hook', asked, event, run).catch((error) => ({
      status: 'error',
      decision: 'deny',
      reason: String(error.message),
    }));
    report.cases += 1;
    const theirs = verdictOf(call);
    const ours = said.decision === 'need_user_confirm' ? 'ask' : said.decision;
    const told = { tool_name, tool_input, theirs, ours, status: said.status, reason: said.reason?.slice(0, 200) };
    if (theirs === ours && said.status === 'ok') report.same += 1;
    else if (said.status === 'error' && theirs !== 'deny' && theirs !== 'ask') report.stricter.push(told);
    else report.differing.push(told);
  }
  groups.close();
  return report;
}

/** What Claude Code makes of exit code and stdout. */
function verdictOf({ exitCode, stdout }) {
  if (exitCode === 2) return 'deny';
  let value;
  try {
    value = JSON.parse(stdout);
  } catch {
    return 'allow';
  }
  const word = value?.hookSpecificOutput?.permissionDecision ?? value?.decision;
  if (value?.continue === false || word === 'deny' || word === 'block') return 'deny';
  return word === 'ask' || word === 'defer' ? 'ask' : 'allow';
}

function whySkipped({ stdin }) {
  let value;
  try {
    value = JSON.parse(stdin);
  } catch {
    return 'stdin is no JSON, which cannot happen here';
  }
  if (value?.hook_event_name !== undefined && value.hook_event_name !== 'PreToolUse')
    return 'another event than PreToolUse';
  // Tests of guards of the shell often leave out what Claude Code always says.
  const isShort = value?.tool_name === undefined && typeof value?.tool_input?.command === 'string';
  if (!isShort && typeof value?.tool_name !== 'string') return 'no tool_name, which is always there here';
  if (typeof value.tool_input !== 'object' || value.tool_input === null)
    return 'no tool_input, which is always there here';
  return undefined;
}

function pluginRootOf(hook) {
  const at = dirname(hook);
  return ['hooks', 'scripts'].includes(basename(at)) && dirname(at) !== '.' ? dirname(at) : at === '.' ? undefined : at;
}

function print({ hook, ownTestsPass, cases, same, stricter, differing, skipped }) {
  console.log(
    `${hook}: its own tests ${ownTestsPass ? 'pass' : 'FAIL'}; ${cases} calls, ${same} with the same verdict, ${stricter.length} stricter, ${differing.length} different`,
  );
  for (const [why, count] of Object.entries(skipped)) console.log(`  not asked, ${count}: ${why}`);
  for (const each of stricter) console.log(`  stricter: ${JSON.stringify(each)}`);
  for (const each of differing) console.log(`  DIFFERENT: ${JSON.stringify(each)}`);
}
