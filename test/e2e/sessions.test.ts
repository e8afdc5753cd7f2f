import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'registry/hooks/PromptSubmit.yaml': `
hooks:
  - { id: slow, blocking: true, match: { modules: [slow] }, handler: { script: { path: hooks/slow.mjs } } }
  - { id: freeze, blocking: true, handler: { expression: { deny_if: "input.prompt.contains('deploy')", reason: Frozen. } } }
`,
    'hooks/slow.mjs': [
      "import { appendFileSync } from 'node:fs';",
      "appendFileSync('began.txt', 'x');",
      'await new Promise((resolve) => setTimeout(resolve, 3000));',
      'console.log(\'{"hook_signals": {"risk_alert": "Slow."}}\');',
    ].join('\n'),
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: once, blocking: true, handler: { expression: { deny_if: "session != null && session.counts.total >= 1", reason: Once. } } }
`,
    'registry/hooks/PreAbilityCreate.yaml':
      'hooks: [{ id: module, blocking: true, match: { abilities: [util.shown] }, handler: { script: { path: hooks/module.mjs } } }]\n',
    'hooks/module.mjs': [
      "import { readFileSync, writeFileSync } from 'node:fs';",
      "writeFileSync('module.txt', JSON.parse(readFileSync(0, 'utf8')).module_id);",
      'console.log(\'{"guard_decision": "allow"}\');',
    ].join('\n'),
    ...operation('util.shown', 'return 1;'),
    'modules/users/ABILITY.md': '# Users\n',
    ...operation('util.echo', 'return 1;'),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const CLEAR = { ABILITY_SESSION: undefined, ABILITY_SCOPE: undefined };
const json = (args: string[], env: Record<string, string | undefined> = {}, input?: string, cwd = project.root) =>
  abilityJson(args, { cwd, env: { ...CLEAR, ...env }, ...(input !== undefined && { input }) });
const text = (args: string[]) => ability(args, { cwd: project.root, env: CLEAR });

describe('ability session', () => {
  test('start reports the session; prompt returns the turn context; show and stop work', async () => {
    const started = await json(['session', 'start', '--id', 'one', '--idle', '2h']);
    expect(started).toMatchObject({
      exitCode: 0,
      json: { session_id: 'one', environment: 'dev', scope: 'integration', idle_ms: 7_200_000, attached: false },
    });
    expect(await json(['session', 'start', '--id', 'one'])).toMatchObject({ json: { attached: true } });
    const turn = await json(['session', 'prompt', 'one', '-'], {}, 'deploy it');
    expect(turn).toMatchObject({ exitCode: 0 });
    expect(turn.json).toEqual({
      session_id: 'one',
      turn_index: 1,
      hook_signals: { routing_hints: [], ability_guards: [], risk_alerts: ['Frozen. (hook freeze)'] },
    });
    expect((await text(['session', 'prompt', 'one', 'deploy'])).stdout).toBe(
      'turn 2 of one\n  risk    Frozen. (hook freeze)',
    );
    expect(await json(['session', 'show', 'one'])).toMatchObject({
      json: { session_id: 'one', status: 'open', turn_index: 2, scope: 'integration', user: { name: 'tester' } },
    });
    expect(await json(['session', 'stop', 'one'])).toMatchObject({
      exitCode: 0,
      json: { status: 'stopped', reason: 'stop' },
    });
    expect((await text(['session', 'show', 'one'])).stdout).toContain('one  stopped (stop) in dev');
    for (const args of [
      ['session', 'prompt', 'one', 'x'],
      ['session', 'stop', 'one'],
      ['run', 'util.echo', '--session', 'one'],
    ])
      expect(JSON.stringify((await json(args)).json)).toContain('session.stopped');
  });

  test('takes the scope from the flag, the variable or the nearest ABILITY.md, in this order', async () => {
    const inside = join(project.root, 'modules/users');
    expect(await json(['session', 'start'], {}, undefined, inside)).toMatchObject({ json: { scope: 'modules/users' } });
    expect(await json(['session', 'start'], { ABILITY_SCOPE: 'a/b' }, undefined, inside)).toMatchObject({
      json: { scope: 'a/b' },
    });
    expect(await json(['session', 'start', '--scope', 'c'], { ABILITY_SCOPE: 'a/b' })).toMatchObject({
      json: { scope: 'c' },
    });
    for (const scope of ['../x', '/x', 'a//b', '.git'])
      expect(await json(['session', 'start', '--scope', scope])).toMatchObject({ exitCode: 2 });
    expect(await json(['session', 'start', '--idle', 'soon'])).toMatchObject({ exitCode: 2 });
  });

  test('ABILITY_SESSION and --session put tasks into it: run, run --direct and task create', async () => {
    const run = async (id: string, args: string[], env = {}) => {
      await json(['session', 'start', '--id', id]);
      return json(args, env);
    };
    expect(await run('a', ['run', 'util.echo'], { ABILITY_SESSION: 'a' })).toMatchObject({ exitCode: 0 });
    expect(await run('b', ['run', 'util.echo', '--direct', '--session', 'b'])).toMatchObject({ exitCode: 0 });
    const created = await run('c', ['task', 'create', 'util.echo', '--session', 'c']);
    expect(await json(['task', 'run', created.json.task_key])).toMatchObject({ exitCode: 0 });
    for (const id of ['a', 'b', 'c']) {
      expect((await json(['session', 'show', id])).json).toMatchObject({ counts: { total: 1 }, tasks: [{}] });
      expect(await json(['run', 'util.echo', '--session', id])).toMatchObject({ exitCode: 4 });
    }
    expect(await json(['run', 'util.echo', '--session', 'unknown'])).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'session.not_found' } },
    });
    expect(await json(['task', 'list', '--session', 'a'])).toMatchObject({ json: [{}, {}] });
  });

  test('scaffolded hooks are called by the next prompt and at the end [R-000-57]', async () => {
    const within = ['--handler', 'script', '--match', 'modules=scaffolded'];
    for (const [id, phase] of [
      ['intent', 'PromptSubmit'],
      ['ended', 'SessionStop'],
    ] as const)
      expect(await json(['scaffold', 'hook', id, '--phase', phase, ...within])).toMatchObject({ exitCode: 0 });
    await json(['session', 'start', '--id', 'made', '--scope', 'scaffolded']);
    const { json: turn } = await json(['session', 'prompt', 'made', ' Delete It ']);
    expect(turn.hook_signals).toMatchObject({ normalized_intent: 'delete it' });
    await json(['session', 'stop', 'made']);
    const shown = JSON.stringify((await json(['session', 'show', 'made'])).json);
    expect(shown).toContain('made ended after 1 turns: stop');
  });

  test('run, run --direct and task create have a scope, as sessions do', async () => {
    const inside = join(project.root, 'modules/users');
    const last = () => readFileSync(join(project.root, 'module.txt'), 'utf8');
    const moduleOf = async (args: string[], env = {}, cwd = project.root) => {
      expect(await json(args, env, undefined, cwd)).toMatchObject({ exitCode: 0 });
      return last();
    };
    const echo = 'util.shown';
    expect(await moduleOf(['run', echo])).toBe('integration');
    expect(await moduleOf(['run', echo], {}, inside)).toBe('modules/users');
    expect(await moduleOf(['run', echo], { ABILITY_SCOPE: 'a/b' }, inside)).toBe('a/b');
    expect(await moduleOf(['run', echo, '--scope', 'c'], { ABILITY_SCOPE: 'a/b' })).toBe('c');
    expect(await moduleOf(['run', echo, '--direct', '--scope', 'd/'])).toBe('d');
    expect(await moduleOf(['task', 'create', echo, '--scope', 'e'])).toBe('e');
    for (const args of [
      ['run', echo],
      ['task', 'create', echo],
    ])
      expect(await json([...args, '--scope', '../x'])).toMatchObject({ exitCode: 2 });
  });

  test('a prompt is answered even if runtime and worker are killed while its hooks run', LONG, async () => {
    await json(['session', 'start', '--id', 'cut', '--scope', 'slow']);
    const runtime = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
    const prompting = start(['session', 'prompt', 'cut', 'hello', '--json'], { cwd: project.root });
    const began = join(project.root, 'began.txt');
    await expect.poll(() => existsSync(began), { timeout: 10_000 }).toBe(true);
    await killProcesses(runtime.pid, runtime.server?.pid);
    const { stdout, exitCode } = await prompting;
    expect(exitCode).toBe(0);
    expect(JSON.parse(String(stdout))).toMatchObject({ turn_index: 1, hook_signals: { risk_alerts: ['Slow.'] } });
    expect(readFileSync(began, 'utf8')).toBe('xx');
    expect((await json(['session', 'show', 'cut'])).json.turn_index).toBe(1);
  });
});
