import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation('util.echo', 'return input;'),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow('waits', 'steps: [{ id: a, wait: 8s }]'),
    ...workflow(
      'fills',
      `
steps:
  - id: ask
    approval:
      title: "Ticket?\\u001b[2J"
      fields: { ticket: { type: string, title: The ticket }, count: { type: integer }, urgent: { type: boolean, optional: true } }
output: "\${{ steps.ask.output.fields }}"`,
    ),
    ...workflow(
      'listens',
      'steps: [{ id: ready, wait: { signal: build_done, if: signal.ok, timeout: 10m } }, { id: a, call: util.echo, with: { x: 1 } }]\noutput: "${{ steps.ready.output }}"',
    ),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });
const json = (...args: string[]) => abilityJson(args, { cwd: project.root });

describe('without a terminal', () => {
  test('a direct run that waits for people exits with 5, and what it started is stopped', async () => {
    const end = await json('run', 'asks', '--direct');
    expect(end).toMatchObject({ exitCode: 5, json: { status: 'cancelled', task_key: null } });
    expect(end.stderr).toMatch(/waits for an approval/);
  });

  test('a direct run waits for people as long as requested', async () => {
    const started = Date.now();
    expect(await json('run', 'asks', '--direct', '--wait-approval', '2s')).toMatchObject({
      exitCode: 5,
      json: { status: 'cancelled', error: { code: 'approval.not_awaited' } },
    });
    expect(Date.now() - started).toBeGreaterThan(2000);
  });

  test('flags about waiting are refused if the command does not wait', async () => {
    const create = await json('task', 'create', 'util.echo');
    for (const flag of ['--junit', '--timeout', '--wait-approval']) {
      for (const command of [
        ['run', 'util.echo'],
        ['task', 'run', create.json.task_key],
      ]) {
        const end = await json(...command, '--detach', flag, '1m');
        expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
        expect(end.json.error.message).toContain(flag);
      }
    }
  });

  test('a longer wait causes no warning', async () => {
    const end = await run('run', 'waits');
    expect(end.exitCode).toBe(0);
    expect(end.stderr).not.toMatch(/Warning|listener/i);
  });

  test('closing the pipe causes no error output', async () => {
    const command = `"${process.execPath}" "${CLI}" doctor | head -1`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: project.root });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).not.toMatch(/EPIPE|at /);
  });
});

describe('fields of an approval', () => {
  test('are shown, filled in with their types, and reach the output', async () => {
    const end = await run('run', 'fills', '--key', 'fill');
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain('  fill in: ticket (string): The ticket');
    expect(end.stderr).toContain('  fill in: urgent (boolean, optional)');
    expect(end.stderr).toMatch(
      /ability approve fill --approval ask-[0-9a-f]{12} --set ticket=STRING --set count=INTEGER /,
    );
    // Terminal control characters are shown, not obeyed.
    expect(end.stderr).toContain('Ticket?\\u001b[2J');
    expect(end.stderr).not.toContain('\u001b');
    expect((await run('approvals')).stdout).toMatch(/decide: ability approve fill .*--set ticket=STRING/);
    expect(await json('approve', 'fill', '--set', 'ticket=A', '--set', 'count=two')).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'input.invalid' } },
    });
    const missing = await json('approve', 'fill', '--set', 'ticket=7');
    expect(missing).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.ignored' } } });
    expect(missing.json.error.message).toMatch(/needs the field count/);
    expect((await run('approve', 'fill', '--set', 'ticket=7', '--set', 'count=2')).exitCode).toBe(0);
    const { json: result } = await json('task', 'watch', 'fill');
    expect(result).toMatchObject({ status: 'succeeded', output: { ticket: '7', count: 2 } });
  });
});

describe('a task is sent', () => {
  test('the signal it waits for; our own signals have commands', async () => {
    await run('run', 'listens', '--key', 'listener', '--detach');
    expect(await json('task', 'signal', 'listener', 'build_done', '--payload', '{"ok": false}')).toMatchObject({
      exitCode: 0,
      json: { status: 'accepted', signal: 'build_done' },
    });
    for (const [name, command] of [
      ['approve', 'ability approve listener'],
      ['pause', 'ability task pause listener'],
    ] as const) {
      const end = await json('task', 'signal', 'listener', name);
      expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid', suggestion: command } } });
    }
    expect(await json('task', 'signal', 'listener', 'build_done', '--payload', '{')).toMatchObject({ exitCode: 2 });
    await run('task', 'signal', 'listener', 'build_done', '--payload', '{"ok": true, "n": 1}');
    const { json: result } = await json('task', 'watch', 'listener');
    expect(result).toMatchObject({ status: 'succeeded', output: { ok: true, n: 1 } });
    expect(await json('task', 'signal', 'listener', 'build_done')).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'task.closed' } },
    });
  });

  test('a pause: it starts nothing new until it is resumed', async () => {
    await run('run', 'listens', '--key', 'pausing', '--detach');
    expect((await run('task', 'pause', 'pausing')).exitCode).toBe(0);
    expect((await run('task', 'show', 'pausing')).stdout).toMatch(/paused: .*ability task resume pausing/);
    await run('task', 'signal', 'pausing', 'build_done', '--payload', '{"ok": true}');
    await expect
      .poll(async () => (await json('task', 'show', 'pausing')).json.progress.ready?.status, { timeout: 20_000 })
      .toBe('succeeded');
    expect((await json('task', 'show', 'pausing')).json).toMatchObject({ paused: true, status: 'running' });
    expect((await run('task', 'resume', 'pausing')).exitCode).toBe(0);
    expect(await json('task', 'watch', 'pausing')).toMatchObject({ exitCode: 0 });
    expect(await json('task', 'pause', 'pausing')).toMatchObject({ json: { error: { code: 'task.closed' } } });
    expect(await json('task', 'resume', 'unknown-key')).toMatchObject({ json: { error: { code: 'task.not_found' } } });
  });
});
