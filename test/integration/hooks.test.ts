import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTask, viewTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** A script handler that runs this code. */
const handler = (code: string) =>
  [
    "import { appendFileSync, readFileSync } from 'node:fs';",
    "const context = JSON.parse(readFileSync(0, 'utf8'));",
    'void appendFileSync;',
    code,
  ].join('\n');
const bound = (hooks: string) => ({ yaml: `hooks: ${hooks}`, effects: 'write_idempotent' });

/** For a phase: a hook that `w.watched` binds, a global one that matches it, and one for another ability. */
const WATCHING = [
  'bound',
  'global, blocking: true, match: { abilities: [w.watched] }',
  'other, blocking: true, match: { abilities: [w.other] }',
]
  .map((hook) => `  - { id: ${hook}, handler: { expression: { warn_if: "true", reason: Seen. } } }`)
  .join('\n');

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }'),
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - id: no_prod
    handler: { builtin: { name: environment_scope, options: { allow: [dev] } } }
  - id: needs_token
    handler: { builtin: { name: credentials_present, options: { names: [NEVER_SET] } } }
  - id: ask_early
    handler: { expression: { confirm_if: "input.n > 5", reason: Large numbers need a second look. } }
  - id: crash
    handler: { script: { path: hooks/crash.mjs } }
${WATCHING}
`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: prod_write_guard
    blocking: true
    match: { environments: [prod], effects: [write_idempotent, write_additive, destructive] }
    handler:
      expression: { deny_if: "environment.protected && !has(input.ticket)", reason: Needs a ticket., suggestion: Pass ticket. }
  - id: never_runs
    blocking: false
    match: {}
    handler: { expression: { deny_if: "true" } }
  - id: switched_off
    enabled: false
    blocking: true
    match: {}
    handler: { expression: { deny_if: "true" } }
  - id: no_root
    handler: { expression: { deny_if: "input.user == 'root'", reason: Not as root. } }
  - { id: first, handler: { script: { path: hooks/first.mjs } } }
  - { id: second, handler: { script: { path: hooks/second.mjs } } }
  - { id: middle, handler: { expression: { warn_if: "true", reason: In between. } } }
  - { id: denies, handler: { script: { path: hooks/denies.mjs } } }
  - { id: nonsense, handler: { script: { path: hooks/nonsense.mjs } } }
  - { id: no_run_bit, handler: { script: { path: hooks/no-run-bit.sh } } }
  - { id: hangs, handler: { script: { path: hooks/hangs.mjs, timeout_sec: 1 } } }
  - { id: crash, handler: { script: { path: hooks/crash.mjs } } }
  - { id: bad_expression, handler: { expression: { deny_if: "input.missing == 1" } } }
  - { id: asks, handler: { expression: { confirm_if: "'high-cost' in tags", reason: It is costly. } } }
${WATCHING}
`,
    'registry/hooks/PostAbilityCall.yaml': `
hooks:
  - id: usage_of_all
    match: {}
    handler: { builtin: usage }
  - { id: slow_post, handler: { script: { path: hooks/slow-post.mjs } } }
  - { id: crash, handler: { script: { path: hooks/crash.mjs } } }
  - { id: chatty, handler: { script: { path: hooks/chatty.mjs } } }
${WATCHING}
`,
    'hooks/first.mjs': handler(
      'appendFileSync("order.txt", "first\\n"); console.log(JSON.stringify({ guard_decision: "allow" }));',
    ),
    'hooks/second.mjs': handler(
      'appendFileSync("order.txt", "second\\n"); appendFileSync("context.json", JSON.stringify(context)); console.log(JSON.stringify({ guard_decision: "allow" }));',
    ),
    'hooks/denies.mjs': handler(
      'console.log(JSON.stringify({ guard_decision: "deny", reason: "Not on my watch.", suggestion: "Ask Bob." }));',
    ),
    'hooks/no-run-bit.sh': [
      '#!/bin/bash',
      'if [[ "$(cat)" == *"rm -rf"* ]]; then answer=deny; else answer=allow; fi',
      'echo "{ \\"guard_decision\\": \\"$answer\\", \\"reason\\": \\"It removes.\\" }"',
    ].join('\n'),
    'hooks/nonsense.mjs': handler('console.log("sure, go ahead");'),
    'hooks/hangs.mjs': handler('setInterval(() => {}, 1000);'),
    'hooks/crash.mjs': handler('console.error("kaput"); process.exit(7);'),
    'hooks/slow-post.mjs': handler(
      'await new Promise((r) => setTimeout(r, 500)); appendFileSync("post.txt", context.payload.status + "\\n"); console.log("{}");',
    ),
    'hooks/chatty.mjs': handler(
      'console.log(JSON.stringify({ hook_signals: { routing_hints: ["x"] }, infra: { log: "l" } }));',
    ),
    ...operation('w.plain', 'return { ok: true };', { effects: 'write_idempotent' }),
    ...operation('w.as_root', 'appendFileSync("as-root.txt", "x"); return 1;', {
      ...bound('{ pre_call: [no_root] }'),
      script: '}\n  defaults: { user: root',
    }),
    ...workflow(
      'as_root',
      'input_schema: { type: object, properties: { user: { type: string } } }\nsteps: [{ id: a, call: w.as_root, with: { user: "${{ input.?user }}" } }]',
    ),
    ...operation(
      'w.ordered',
      'return 1;',
      bound('{ pre_call: [first, middle, second] }\nscope: { modules: [users.api] }'),
    ),
    ...operation('w.watched', 'return 1;', bound('{ pre_create: [bound], pre_call: [bound], post_call: [bound] }')),
    ...operation(
      'w.denied',
      'appendFileSync("executed.txt", "x"); return 1;',
      bound('{ pre_call: [first, denies, second] }'),
    ),
    ...operation('w.shell', 'return 1;', bound('{ pre_call: [no_run_bit] }')),
    ...operation('w.nonsense', 'return 1;', bound('{ pre_call: [first, nonsense] }')),
    ...operation('w.hangs', 'return 1;', bound('{ pre_call: [first, hangs] }')),
    ...operation('w.crash', 'return 1;', bound('{ pre_call: [first, crash] }')),
    ...operation('w.bad', 'return 1;', bound('{ pre_call: [first, bad_expression] }')),
    ...operation('w.early', 'return 1;', bound('{ pre_create: [ask_early] }')),
    ...operation('w.scoped', 'return 1;', bound('{ pre_create: [no_prod] }')),
    ...operation('w.token', 'return 1;', bound('{ pre_create: [needs_token] }')),
    ...operation('w.crash_create', 'return 1;', bound('{ pre_create: [crash] }')),
    ...operation('w.posts', 'return 1;', bound('{ post_call: [slow_post, crash, chatty] }')),
    ...operation('w.posts_failing', 'process.exit(1);', {
      yaml: 'hooks: { post_call: [slow_post] }',
      effects: 'write_additive',
    }),
    ...workflow(
      'guarded',
      'hooks: { pre_create: [no_prod], pre_call: [first, denies] }\nsteps: [{ id: a, call: w.plain, with: {} }]\nfinally: [{ id: b, call: w.plain, with: {} }]',
    ),
    ...workflow('calls_denied', 'steps: [{ id: a, call: w.denied, with: {}, continue_on_error: true }]'),
  });
});
afterAll(() => project.stop());

const read = (name: string) => {
  const file = join(project.root, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const decisions = ({ hooks }: TaskResult) =>
  hooks.map(({ hook_id, decision, status }) => `${hook_id}:${status}:${decision}`);

test('R-000-58, R-000-59, R-000-60: creation, run and end fire the hooks that the ability binds, and the matching global ones', async () => {
  const fired = ({ hooks }: TaskResult) =>
    hooks.filter(({ hook_id }) => hook_id !== 'usage_of_all').map(({ phase, hook_id }) => `${phase} ${hook_id}`);
  const atCreation = ['PreAbilityCreate global', 'PreAbilityCreate bound'];
  const { id } = await project.create('w.watched', {}, { run: false });
  expect(fired((await viewTask(project.connection, id)).result)).toEqual(atCreation);
  await runTask(project.connection, id);
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  const around = ['PreAbilityCall', 'PostAbilityCall'].flatMap((phase) => [`${phase} global`, `${phase} bound`]);
  expect(fired(end.result)).toEqual([...atCreation, ...around]);
});

describe('before a call', () => {
  test('R-000-59, R-000-76: a guard denies by condition; the normal call passes', async () => {
    const denied = await project.run('w.plain', {}, { environment: 'prod' });
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'guard.denied', suggestion: 'Pass ticket.' } });
    expect(denied.steps).toMatchObject([{ status: 'denied', attempts: 0 }]);
    expect(await project.run('w.plain', { ticket: 'T-1' }, { environment: 'prod' })).toMatchObject({
      status: 'succeeded',
    });
    expect(await project.run('w.plain')).toMatchObject({ status: 'succeeded' });
  });

  test('R-000-46: a guard of a step sees the parameters of the implementation that the step does not name', async () => {
    const denied = await project.run('as_root');
    expect(denied).toMatchObject({
      status: 'denied',
      error: { code: 'guard.denied', message: expect.stringContaining('Not as root') },
    });
    expect(read('as-root.txt')).toBe('');
    expect(await project.run('as_root', { user: 'ada' })).toMatchObject({ status: 'succeeded' });
  });

  test('R-002-22: hooks run one after another, scripts and expressions in the bound order', async () => {
    await project.startSession('sess-123');
    const result = await project.run('w.ordered', { a: 1 }, { session: 'sess-123' });
    expect(decisions(result).slice(0, 3)).toEqual(['first:ok:allow', 'middle:ok:allow', 'second:ok:allow']);
    expect(read('order.txt')).toBe('first\nsecond\n');
    expect(result.warnings).toContain('In between.');
  });

  test('R-002-17: a handler reads EventContext on stdin', () => {
    expect(JSON.parse(read('context.json'))).toMatchObject({
      event_type: 'PreAbilityCall',
      session_id: 'sess-123',
      task_id: expect.stringMatching(/^t-/),
      ability_id: 'w.ordered',
      module_id: 'users.api',
      user_id: 'tester',
      payload: { a: 1 },
      environment: { name: 'dev' },
      effects: 'write_idempotent',
      plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('R-000-59: a guard in bash that has lost its run bit denies as before', async () => {
    chmodSync(join(project.root, 'hooks/no-run-bit.sh'), 0o644);
    expect(await project.run('w.shell', { command: 'rm -rf /' })).toMatchObject({ status: 'denied' });
    expect(await project.run('w.shell', { command: 'ls' })).toMatchObject({ status: 'succeeded' });
  });

  test('R-000-74: the first denial ends the phase, and nothing is executed', async () => {
    const result = await project.run('w.denied');
    expect(result).toMatchObject({ status: 'denied', error: { code: 'guard.denied', suggestion: 'Ask Bob.' } });
    expect(result.error?.message).toMatch(/Not on my watch\. \(hook denies\)/);
    expect(decisions(result)).toEqual(['first:ok:allow', 'denies:ok:deny']);
    expect(read('executed.txt')).toBe('');
  });

  test.each([
    ['w.nonsense', /no HookResult/],
    ['w.hangs', /longer than 1000 ms/],
    ['w.crash', /exit code 7\nkaput/],
    ['w.bad', /input\.missing/],
  ])(
    'R-002-23: a guard that fails (%s) denies, its answer reports the failure, and the answers before it are retained',
    async (ability, message) => {
      const result = await project.run(ability);
      expect(result).toMatchObject({ status: 'denied', error: { code: 'hook.failed' } });
      expect(result.error?.message).toMatch(message);
      expect(decisions(result)).toEqual(['first:ok:allow', expect.stringMatching(/^\w+:error:deny$/)]);
    },
  );

  test('R-002-20, R-002-21: disabled and non-blocking hooks do not run before a call', async () => {
    const { hooks } = await project.run('w.plain');
    expect(hooks.map(({ hook_id }) => hook_id)).toEqual(['usage_of_all']);
  });

  test('no fallback hides a denial', async () => {
    expect(await project.run('calls_denied')).toMatchObject({
      status: 'denied',
      error: { code: 'guard.denied', step: 'a' },
    });
  });

  test('the guards of a workflow run before its first step; then there is nothing to clean up', async () => {
    const result = await project.run('guarded');
    expect(result).toMatchObject({ status: 'denied', cleanup_ran: null });
    expect(result.steps.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  });
});

describe('at creation', () => {
  test('R-000-58: a built-in handler refuses an environment, and nothing is created', async () => {
    const error = await failure(project.create('w.scoped', {}, { environment: 'prod' }));
    expect(error).toMatchObject({ code: 'guard.denied', suggestion: 'Run in dev.' });
    expect(await project.run('w.scoped')).toMatchObject({ status: 'succeeded' });
  });

  test('a missing credential is reported by name and environment', async () => {
    const error = await failure(project.create('w.token'));
    expect(error.message).toMatch(/Missing required configuration: NEVER_SET \(dev\)/);
  });

  test('a guard that crashes at creation denies', async () => {
    expect(await failure(project.create('w.crash_create'))).toMatchObject({ code: 'hook.failed' });
  });

  test('R-000-61: creation consults no guard of the call', async () => {
    const { id } = await project.create('w.denied', {}, { run: false });
    expect(id).toMatch(/^t-/);
  });

  test('a confirmation required at creation is a warning, and an approval when the task runs', async () => {
    const created = await project.create('w.early', { n: 6 });
    expect(created.warnings.join()).toMatch(/Large numbers need a second look/);
    const end = await project.wait(created.id, { approvalMs: 0 });
    expect(end).toMatchObject({ kind: 'approval', result: { approvals: [{ path: 'run', status: 'open' }] } });
    expect(await project.run('w.early', { n: 1 })).toMatchObject({ status: 'succeeded' });
  });
});

describe('after a call', () => {
  test('hooks run, are awaited at the end, and never change the result', async () => {
    const result = await project.run('w.posts');
    expect(result).toMatchObject({ status: 'succeeded', output: 1 });
    expect(read('post.txt')).toBe('succeeded\n');
    expect(result.warnings.join()).toMatch(/The hook crash failed: it ended with exit code 7/);
  });

  test('R-000-60: they carry no signals for an AI', async () => {
    const result = await project.run('w.posts');
    const chatty = result.hooks.find(({ hook_id }) => hook_id === 'chatty');
    expect(chatty?.infra).toEqual({ log: 'l' });
    expect(chatty).not.toHaveProperty('hook_signals');
    expect(result.warnings.join()).toMatch(/hook_signals after the call; they were dropped/);
  });

  test('they fire after a failure, too', async () => {
    await project.run('w.posts_failing');
    expect(read('post.txt')).toMatch(/failed\n$/);
  });

  test('R-002-63: usage is logged for every call', () => {
    const lines = read('.system/usage.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines[0]).toMatchObject({
      ability_id: expect.any(String),
      task_id: expect.any(String),
      status: 'succeeded',
    });
  });

  test('a usage log that cannot be written breaks no call: it is a warning', async () => {
    const log = join(project.root, '.system/usage.jsonl');
    rmSync(log, { force: true });
    mkdirSync(log);
    const result = await project.run('w.posts');
    rmdirSync(log);
    expect(result).toMatchObject({ status: 'succeeded', output: 1 });
    expect(result.warnings.join()).toMatch(/The hook usage_of_all failed: EISDIR/);
  });
});
