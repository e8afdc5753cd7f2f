import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerForeign } from '../../../../src/activities/hooks/claude-code/answer-foreign.js';
import { proveGuards, reportMustDeny } from '../../../../src/activities/hooks/claude-code/check-guards.js';
import { checkMustDeny, ProvenGuards } from '../../../../src/activities/hooks/claude-code/proven-guards.js';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { MustDeny, PlanForeignHook } from '../../../../src/contracts/foreign-hooks.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import type { ForeignHandler } from '../../../../src/planning/hooks/foreign-guards.js';
import { hookDependenciesOf } from '../../../../src/worker/prove-guards.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../../../fixtures/project-folder.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { pinnedFile } from '../pinned-file.js';
import { sessionRun, taskRun } from './example-run.js';

/** Records each event that it receives, and does what the command requests. */
const CODE = `
const { appendFileSync, readFileSync } = require('node:fs');
const event = JSON.parse(readFileSync(0, 'utf8'));
const { HOME, CLAUDE_PROJECT_DIR, CLAUDE_PLUGIN_ROOT, ABILITY_HOOK_ID, ABILITY_ENVIRONMENT } = process.env;
const names = { HOME, CLAUDE_PROJECT_DIR, CLAUDE_PLUGIN_ROOT, ABILITY_HOOK_ID, ABILITY_ENVIRONMENT };
appendFileSync(CLAUDE_PROJECT_DIR + '/events.jsonl', JSON.stringify({ event, names }) + '\\n');
const command = event.tool_input?.command ?? event.prompt ?? '';
const specific = (more) => console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: event.hook_event_name, ...more } }));
const secret = process.env.TOKEN;
if (command.startsWith('rm')) { console.error('No removing: ' + secret); process.exitCode = 2; }
else if (command === 'ask') specific({ permissionDecision: 'ask', permissionDecisionReason: 'Sure? ' + secret });
else if (command === 'allow') specific({ permissionDecision: 'allow' });
else if (command === 'context') specific({ additionalContext: 'use ' + secret });
else if (command === 'message') console.log(JSON.stringify({ systemMessage: 'hello ' + secret }));
else if (command === 'note') console.log(JSON.stringify({ note: 1, decision: 'block' }));
else if (command === 'invalid') { console.error('it prints invalid JSON ' + secret); console.log('{"decision": ' + secret); }
else if (command === 'kill') process.kill(process.pid, 'SIGKILL');
else if (command === 'long') { console.log('x'.repeat(2 ** 20)); process.exitCode = 2; }
`;

let project: ProjectFolder;
let dependencies: ReturnType<typeof hookDependenciesOf>;
beforeAll(() => {
  project = makeProject({ 'guards/any.cjs': CODE });
  dependencies = hookDependenciesOf(project.root, { ...process.env, HOME: '/home/ada', TOKEN: 'hunter2-hunter2' });
});
afterAll(() => {
  dependencies.groups.close();
  project.remove();
});
beforeEach(() => rmSync(join(project.root, 'events.jsonl'), { force: true }));

/** The events that the hook received, with its variables. */
function received(root = project.root): { event: Record<string, unknown>; names: Record<string, string> }[] {
  appendFileSync(join(root, 'events.jsonl'), '');
  const lines = readFileSync(join(root, 'events.jsonl'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

const SHOWN = { tool_name: 'Bash', tool_input: { command: '${{ input.command }}' } };
const mustDeny = (command: string): MustDeny => ({
  ability: 'db.write',
  input: { command },
  tool_name: 'Bash',
  tool_input: { command },
});

function guard(foreign: Partial<PlanForeignHook> = {}): ForeignHandler {
  return {
    kind: 'script',
    timeout_ms: 20_000,
    script: {
      ...pinnedFile('guards/any.cjs', CODE),
      files: [],
      interpreter: ['node'],
      args: [],
      env: { pass: [], set: {}, secrets: { TOKEN: 'env:TOKEN' } },
    },
    foreign: { format: 'claude-code', silence: 'deny', shown: SHOWN, ...foreign },
  };
}

/** What a hook of another tool answers in a run. */
function answer(run: HookRun, foreign: Partial<PlanForeignHook> = {}, given = dependencies) {
  return answerForeign(given, new ProvenGuards(given), { id: 'h', handler: guard(foreign), run });
}
const callOf = (command: string) => taskRun({ input: { command } });

describe('a guard of another tool', () => {
  test('receives the event of that tool, and the location of the project', async () => {
    await answer(callOf('ls'), { plugin_root: 'plugins/mine' });
    const [{ event, names } = { event: {}, names: {} as Record<string, string> }] = received();
    expect(event).toMatchObject({
      hook_event_name: 'PreToolUse',
      session_id: 't-1',
      cwd: project.root,
      tool_input: { command: 'ls' },
    });
    const { root } = project;
    expect(names).toMatchObject({
      HOME: '/home/ada',
      CLAUDE_PROJECT_DIR: root,
      ABILITY_HOOK_ID: 'h',
      ABILITY_ENVIRONMENT: 'staging',
    });
    expect(names['CLAUDE_PLUGIN_ROOT']).toMatch(/\.system\/pinned\/[0-9a-f]+\/plugins\/mine$/);
  });

  test('has a HOME even if the worker has none, and no plugin folder', async () => {
    const secrets = (environment: string) =>
      secretsHere(project.root, environment, { PATH: process.env['PATH'], TOKEN: 'x' });
    await answer(callOf('ls'), {}, { ...dependencies, secrets });
    expect(received()[0]?.names).toMatchObject({ HOME: homedir() });
    expect(received()[0]?.names).not.toHaveProperty('CLAUDE_PLUGIN_ROOT');
  });

  test('has the session of its task, if there is one', async () => {
    await answer(taskRun({ input: { command: 'ls' }, session: 's-7' }));
    expect(received()[0]?.event).toMatchObject({ session_id: 's-7' });
  });

  test.each<[string, string, object]>([
    ['denies by its exit code', 'rm x', { status: 'ok', decision: 'deny', reason: 'No removing: ***' }],
    ['denies by its exit code, whatever it prints', 'long', { status: 'ok', decision: 'deny' }],
    ['asks for confirmation', 'ask', { decision: 'need_user_confirm', reason: 'Sure? ***' }],
    ['allows', 'allow', { decision: 'allow' }],
    ['is silent', 'ls', { status: 'ok', decision: 'deny', reason: expect.stringContaining('abstain') }],
    ['is silent with a message for people', 'message', { decision: 'deny', warnings: ['hello ***'] }],
    [
      'prints invalid JSON',
      'invalid',
      { status: 'error', reason: expect.stringMatching(/no JSON[\s\S]*it prints invalid JSON \*\*\*/) },
    ],
    ['is killed', 'kill', { status: 'error', reason: expect.stringContaining('it was killed by SIGKILL') }],
  ])('%s', async (_, command, expected) => {
    expect(await answer(callOf(command))).toMatchObject({
      hook_id: 'h',
      phase: 'PreAbilityCall',
      path: 'a',
      ...expected,
    });
  });

  test('that allows gives no reason', async () => {
    expect(await answer(callOf('allow'))).not.toHaveProperty('reason');
  });

  test('of Codex must not have unknown keys in its answer', async () => {
    expect(await answer(callOf('note'))).toMatchObject({ status: 'ok', decision: 'deny' });
    expect(await answer(callOf('note'), { format: 'codex' })).toMatchObject({ status: 'error' });
  });

  test('is not consulted about a call that it is not shown', async () => {
    const shown = { ...SHOWN, if: 'tool_input.command != "ls"' };
    expect(await answer(callOf('ls'), { shown })).toEqual({
      hook_id: 'h',
      phase: 'PreAbilityCall',
      path: 'a',
      status: 'ok',
      decision: 'allow',
    });
    expect(received()).toEqual([]);
  });

  test('is not consulted about an event other than its own', async () => {
    const outcome = { status: 'succeeded', output: null, error: null };
    const run = taskRun({ phase: 'PostAbilityCall', input: { command: 'rm' }, outcome });
    expect(await answer(run, { event: 'PostToolUseFailure' })).toMatchObject({ decision: 'allow' });
    expect(received()).toEqual([]);
  });

  test('fails if its plan does not define how it sees the call', async () => {
    const { shown: _, ...foreign } = guard().foreign;
    await expect(
      answerForeign(dependencies, new ProvenGuards(dependencies), {
        id: 'h',
        handler: { ...guard(), foreign },
        run: callOf('ls'),
      }),
    ).rejects.toThrow('as which tool');
  });

  test('of a prompt passes context to the AI with its secrets masked', async () => {
    const run = sessionRun({ payload: { prompt: 'context' } });
    expect(await answer(run)).toMatchObject({ decision: 'allow', hook_signals: { context: 'use ***' } });
    expect(received()[0]?.event).toMatchObject({
      hook_event_name: 'UserPromptSubmit',
      session_id: 's-1',
      prompt: 'context',
    });
    expect(received()[0]?.event).not.toHaveProperty('tool_input');
  });
});

describe('the calls that a guard must deny', () => {
  const environment = { name: 'dev', protected: false, vars: {} };
  const never = new AbortController().signal;
  const check = (foreign: Partial<PlanForeignHook>, limit?: number) =>
    checkMustDeny(dependencies, 'h', guard(foreign), environment, never, limit);

  test('are denied by a guard that works', async () => {
    expect(await check({ must_deny: [mustDeny('rm a'), mustDeny('rm b')] })).toEqual([]);
    expect(await check({})).toEqual([]);
  });

  test('are reported as not denied by a guard that answers in another way', async () => {
    const must_deny = ['rm a', 'ls', 'allow', 'ask', 'invalid'].map(mustDeny);
    expect((await check({ must_deny })).map(({ said }) => said)).toEqual([
      'it is silent',
      'it allows',
      'it asks for a person',
      expect.stringMatching(/^it fails: .*no JSON/),
    ]);
  });

  test('are no longer made once the limit of calls that were not denied is reached', async () => {
    expect(await check({ must_deny: ['ls', 'ls', 'ls'].map(mustDeny) }, 2)).toHaveLength(2);
    expect(received()).toHaveLength(2);
  });

  test('arrive as the event of the guard, and answers are read in its format', async () => {
    const request = { event: 'PermissionRequest', must_deny: [mustDeny('ls')] } as const;
    await check({ ...request, must_deny: [...request.must_deny] });
    await check({ must_deny: [mustDeny('ls')] });
    expect(received().map(({ event }) => event['hook_event_name'])).toEqual(['PermissionRequest', 'PreToolUse']);
    const [undenied] = await check({ format: 'codex', must_deny: [mustDeny('note')] });
    expect(undenied?.said).toContain('unknown key');
  });

  test('fail with the reason that prevents the guard from being started', async () => {
    const handler = guard({ must_deny: [mustDeny('rm')] });
    const script = { ...handler.script, env: { ...handler.script.env, secrets: { TOKEN: 'env:GONE' } } };
    const [undenied] = await checkMustDeny(dependencies, 'h', { ...handler, script }, environment, never);
    expect(undenied?.said).toMatch(/^it fails: .*GONE/);
  });

  test('are made before the first call, and once for each version of the guard', async () => {
    const proven = new ProvenGuards(dependencies);
    const fault = (foreign: Partial<PlanForeignHook>) => proven.faultOf('h', guard(foreign), environment, never);
    const good = { must_deny: [mustDeny('rm a')] };
    expect(await fault(good)).toBeUndefined();
    expect(await fault(good)).toBeUndefined();
    expect(received()).toHaveLength(1);
    expect(await fault({ must_deny: [mustDeny('rm b')] })).toBeUndefined();
    expect(received()).toHaveLength(2);
    expect(await fault({})).toBeUndefined();
    expect(received()).toHaveLength(2);
  });

  test('are made once for concurrent calls', async () => {
    const proven = new ProvenGuards(dependencies);
    const handler = guard({ must_deny: [mustDeny('rm a')] });
    await Promise.all([1, 2].map(() => proven.faultOf('h', handler, environment, never)));
    expect(received()).toHaveLength(1);
  });

  test('are made again for a guard that failed', async () => {
    const proven = new ProvenGuards(dependencies);
    const handler = guard({ must_deny: [mustDeny('ls')] });
    for (const _ of [1, 2]) {
      expect(await proven.faultOf('h', handler, environment, never)).toMatch(
        /does not deny what it must deny \(db\.write, shown as Bash {"command":"ls"}\): it is silent/,
      );
    }
    expect(received()).toHaveLength(2);
  });

  test('fail a guard that does not deny them, before it is consulted about a call', async () => {
    const result = await answer(callOf('allow'), { must_deny: [mustDeny('ls')] });
    expect(result).toMatchObject({
      status: 'error',
      decision: 'deny',
      suggestion: expect.stringContaining('--check-hooks'),
    });
    expect(received()).toHaveLength(1);
  });

  test('are not made after a call', async () => {
    const run = taskRun({ phase: 'PostAbilityCall', input: { command: 'ls' } });
    await answer(run, { must_deny: [mustDeny('ls')] });
    expect(received().map(({ event }) => event['hook_event_name'])).toEqual(['PostToolUse']);
  });
});

describe('the guards of a project', () => {
  const hook = (id: string, command: string, ability = 'ops.run') => `
  - id: ${id}
    match: { abilities: [ops.run] }
    blocking: true
    handler: { script: { path: guards/any.cjs }, format: claude-code }
    as: [{ match: { abilities: [ops.run] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }]
    must_deny: [{ ability: ${ability}, input: { command: ${command} } }, { ability: ops.run, input: { command: rm b } }]`;
  let guarded: ProjectFolder;
  let own: ReturnType<typeof hookDependenciesOf>;
  beforeAll(() => {
    guarded = makeProject({
      'ability.yaml': projectFile('{ dev: {}, test: {} }'),
      ...operation('ops.run', 'return input;', { effects: 'write_idempotent' }),
      'guards/any.cjs': CODE,
      'registry/hooks/PreAbilityCall.yaml': `hooks:${hook('good', 'rm a')}${hook('bad', 'ls')}${hook('wrong', 'rm a', 'ops.rum')}\n`,
    });
    own = hookDependenciesOf(guarded.root, process.env);
  });
  afterAll(() => {
    own.groups.close();
    guarded.remove();
  });
  const row = (
    hook: string,
    environment: string,
    must_deny: number,
    said: string,
    ability: string | null = 'ops.run',
  ) => {
    const status = said === 'deny' ? 'passed' : 'failed';
    return { hook, phase: 'PreAbilityCall', environment, must_deny, ability, status, expected: 'deny', said };
  };

  test('are proven in an environment before their first call, and those that fail are named', async () => {
    const faults = await proveGuards(guarded.root, 'dev', new ProvenGuards(own), new AbortController().signal);
    expect(faults).toEqual([{ hook: 'bad', fault: expect.stringContaining('it is silent') }]);
  });

  test('are no longer proven once the worker ends', async () => {
    const checked: string[] = [];
    const worker = new AbortController();
    const faultOf = async (id: string) => {
      checked.push(id);
      worker.abort();
      return 'it was stopped';
    };
    expect(await proveGuards(guarded.root, 'dev', { faultOf }, worker.signal)).toEqual([]);
    expect(checked).toEqual(['good']);
  });

  test('are reported with each call that they must deny, in each environment', async () => {
    const reports = await reportMustDeny(loadRegistry(guarded.root), own);
    expect(reports.filter(({ environment }) => environment === 'test')).toEqual([
      row('wrong', 'test', 0, expect.stringContaining('ops.rum'), null),
      row('good', 'test', 1, 'deny'),
      row('good', 'test', 2, 'deny'),
      row('bad', 'test', 1, 'it is silent'),
      row('bad', 'test', 2, 'deny'),
    ]);
    expect(reports).toHaveLength(10);
  });

  test('are reported one by one', async () => {
    const registry = loadRegistry(guarded.root);
    const hooks = (registry.hooks.get('PreAbilityCall') ?? []).filter(({ value }) => value.id !== 'bad');
    const reports = await Promise.all(hooks.map((only) => reportMustDeny(registry, own, only)));
    expect(reports.map((all) => [...new Set(all.map(({ hook }) => hook))])).toEqual([['good'], ['wrong']]);
  });
});
