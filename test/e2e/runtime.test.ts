import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { obtainTemporal } from '../../src/server/binary/find-temporal.js';
import { findProcesses, isAlive, markOf, ownSpace } from '../../src/server/processes/processes.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start, abilityJson as startAbilityJson } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

const FILES = {
  ...operation('util.echo', 'return input;'),
  ...operation(
    'util.count',
    'appendFileSync(input.file, process.env.ABILITY_IDEMPOTENCY_KEY + "\\n"); await sleep(input.ms ?? 0); return { ok: true };',
    { effects: 'write_idempotent', script: ', timeout_sec: 60' },
  ),
  ...operation('util.once', 'appendFileSync(input.file, "once\\n"); await sleep(input.ms ?? 0); return { ok: true };', {
    effects: 'write_additive',
    script: ', timeout_sec: 60',
  }),
  ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: util.echo, with: { x: 1 } }]'),
};

afterEach(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (args: string[], env: Record<string, string> = {}) => ability(args, { cwd: project.root, env });
const json = (args: string[], env: Record<string, string> = {}) => abilityJson(args, { cwd: project.root, env });
const runtime = (): RuntimeFile => JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
const servers = () => findProcesses(['--db-filename', join(project.root, '.system/temporal/temporal.db')]);

describe('on demand', () => {
  test('twenty runs at once, three of them separate processes, without a runtime: one server, twenty results', {
    ...LONG,
    timeout: 180_000,
  }, async () => {
    project = makeProject(FILES);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n < 3 ? startAbilityJson : abilityJson)(['run', 'util.echo', '--input', JSON.stringify({ n })], {
          cwd: project.root,
        }),
      ),
    );
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(Array(20).fill(0));
    expect(ends.map(({ json: { output } }) => output.n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(servers()).toHaveLength(1);
  });

  test(
    'announces itself in one line, serves the next command, and exits when it is no longer needed',
    LONG,
    async () => {
      project = makeProject(FILES);
      // Long enough for the next command on a busy machine.
      const env = { ABILITY_RUNTIME_IDLE_MS: '6000' };
      const first = await run(['run', 'util.echo'], env);
      expect(first.stderr).toMatch(/^Started the runtime of this project; Temporal UI: http:\/\/127\.0\.0\.1:\d+$/m);
      const { pid } = runtime();
      expect((await run(['run', 'util.echo'], env)).stderr).not.toMatch(/Started the runtime/);
      expect(runtime().pid).toBe(pid);
      await expect.poll(() => markOf(pid), { timeout: 20_000 }).toBeUndefined();
      expect(servers()).toEqual([]);
    },
  );

  test('stays while a task is executing, and exits while one only waits', LONG, async () => {
    project = makeProject(FILES);
    const env = { ABILITY_RUNTIME_IDLE_MS: '4000' };
    const file = join(project.root, 'counted');
    const { json: busy } = await json(
      ['run', 'util.count', '--set', `file=${file}`, '--set', 'ms:=9000', '--detach'],
      env,
    );
    const { pid } = runtime();
    const waiting = await json(['run', 'asks'], env);
    expect(waiting).toMatchObject({ exitCode: 5, json: { status: 'waiting_approval', output: null } });
    await expect.poll(() => markOf(pid), { timeout: 30_000 }).toBeUndefined();
    // It exited after the call had ended, not before.
    const result = await json(['task', 'result', busy.task_key], env);
    expect(result, JSON.stringify(result)).toMatchObject({
      exitCode: 0,
      json: { status: 'succeeded', steps: [{ attempts: 1 }] },
    });
    // The waiting task continues with the next command.
    expect((await run(['approve', waiting.json.task_key], env)).exitCode).toBe(0);
    expect(await json(['task', 'watch', waiting.json.task_key], env)).toMatchObject({ exitCode: 0 });
  });
});

describe('up and down', () => {
  test('up twice: the second reports that; Ctrl-C stops the first and everything with it', async () => {
    project = makeProject(FILES);
    const first = start(['up'], { cwd: project.root });
    await expect
      .poll(() => existsSync(join(project.root, '.system/runtime.json')) && runtime().state, { timeout: 30_000 })
      .toBe('up');
    const second = await run(['up']);
    expect(second).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^up already {2}.*\n {2}UI {8}http.*\n {2}Temporal {2}127\.0\.0\.1:\d+ /),
    });
    first.kill('SIGINT');
    expect(await first).toMatchObject({ exitCode: 0 });
    expect(servers()).toEqual([]);
    expect((await run(['down'])).stdout).toBe('It was not up.');
  });

  test(
    'Ctrl-C at the terminal, which reaches the whole group, lets a call finish that must not be repeated',
    LONG,
    async () => {
      project = makeProject(FILES);
      const up = start(['up'], { cwd: project.root, detached: true });
      await expect
        .poll(() => existsSync(join(project.root, '.system/runtime.json')) && runtime().state, { timeout: 30_000 })
        .toBe('up');
      const file = join(project.root, 'counted');
      const { json: task } = await json(['run', 'util.once', '--set', `file=${file}`, '--set', 'ms:=3000', '--detach']);
      await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
      process.kill(-(up.pid as number), 'SIGINT');
      expect(await up).toMatchObject({ exitCode: 0 });
      expect(servers()).toEqual([]);
      const end = await json(['task', 'watch', task.task_key]);
      expect(end).toMatchObject({ exitCode: 0, json: { status: 'succeeded', steps: [{ attempts: 1 }] } });
    },
  );

  test('up --detach stays until down, even if it is not needed', LONG, async () => {
    project = makeProject(FILES);
    const env = { ABILITY_RUNTIME_IDLE_MS: '500' };
    expect((await run(['up', '--detach'], env)).exitCode).toBe(0);
    const { pid } = runtime();
    const { json: task } = await json(['run', 'util.echo'], env);
    expect(task.status).toBe('succeeded');
    // Well beyond the idle limit: a command that comes a while later finds the same process.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(markOf(pid)).toBeDefined();
    expect((await run(['down'])).stdout).toMatch(/^down {2}process \d+ and its Temporal server have stopped$/);
    expect(markOf(pid)).toBeUndefined();
  });

  test('the UI keeps its address across a restart', LONG, async () => {
    project = makeProject(FILES);
    const { json: before } = await json(['up', '--detach']);
    await run(['down']);
    const { json: after } = await json(['up', '--detach']);
    expect(after.ui).toBe(before.ui);
  });

  test('an environment added later is served without a restart', LONG, async () => {
    project = makeProject(FILES);
    expect((await run(['run', 'util.echo', '--env', 'dev'])).exitCode).toBe(0);
    const file = readFileSync(join(project.root, 'ability.yaml'), 'utf8');
    project.write({ 'ability.yaml': file.replace('{ dev: {} }', '{ dev: {}, qa: {} }') });
    await expect
      .poll(async () => (await run(['run', 'util.echo', '--env', 'qa'])).exitCode, { timeout: 30_000 })
      .toBe(0);
  });

  test('placements of the project are served, also one added later', LONG, async () => {
    const at = (name: string) =>
      workflow(`at_${name}`, `placement: ${name}\nsteps: [{ id: a, call: util.echo, with: { x: 1 } }]`);
    project = makeProject({ ...FILES, ...at('near') });
    const file = readFileSync(join(project.root, 'ability.yaml'), 'utf8');
    project.write({ 'ability.yaml': `${file}placements: { near: }\n` });
    expect((await run(['run', 'at_near', '--env', 'dev'])).exitCode).toBe(0);
    project.write({ ...at('far'), 'ability.yaml': `${file}placements: { near: , far: }\n` });
    await expect.poll(async () => (await run(['run', 'at_far', '--env', 'dev'])).exitCode, { timeout: 30_000 }).toBe(0);
  });
});

describe('stopped while it starts', () => {
  const starting = () =>
    expect
      .poll(() => existsSync(join(project.root, '.system/runtime.json')) && runtime().state, {
        timeout: 30_000,
        interval: 20,
      })
      .toBe('starting');

  test('Ctrl-C ends `up`, and leaves no server', async () => {
    project = makeProject(FILES);
    const command = start(['up'], { cwd: project.root });
    await starting();
    command.kill('SIGINT');
    const signalled = Date.now();
    expect(await command).toMatchObject({ exitCode: 0 });
    expect(Date.now() - signalled).toBeLessThan(15_000);
    expect(servers()).toEqual([]);
  });

  test('SIGTERM ends the background runtime in the same way', LONG, async () => {
    project = makeProject(FILES);
    const binary = (await obtainTemporal(() => {})).path;
    const program = join(import.meta.dirname, '../../dist/hosting/runtime-main.js');
    const args = [program, '--project', project.root, '--temporal', binary];
    const background = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(background, 'exit');
    await starting();
    background.kill('SIGTERM');
    const signalled = Date.now();
    expect(await ended).toEqual([0, null]);
    expect(Date.now() - signalled).toBeLessThan(15_000);
    expect(servers()).toEqual([]);
  });
});

test('ABILITY_SEAL_KEYS, if set, signs in place of the keys of the project', LONG, async () => {
  project = makeProject(FILES);
  const env = { ABILITY_SEAL_KEYS: `given:${randomBytes(32).toString('base64url')}` };
  const { json: task } = await json(['run', 'asks'], env);
  // The proof key is not a seal key.
  expect(readdirSync(join(project.root, '.system/keys'))).toEqual(['proof']);
  expect((await run(['approve', task.task_key], env)).exitCode).toBe(0);
  expect(await json(['task', 'watch', task.task_key], env)).toMatchObject({ exitCode: 0 });
});

describe('killed', () => {
  test('kill -9 of the runtime: the next command stops what it left behind, and tasks continue', async () => {
    project = makeProject(FILES);
    const { json: waiting } = await json(['run', 'asks', '--key', 'survivor']);
    const { pid, server } = runtime();
    await killProcesses(pid);
    expect(server && isAlive(server)).toBe(true);
    expect((await run(['approve', waiting.task_key])).exitCode).toBe(0);
    expect(server && isAlive(server)).toBe(false);
    expect(await json(['task', 'watch', 'survivor'])).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
    expect(servers()).toHaveLength(1);
  });

  test(
    'kill -9 of the worker during a step: it is done again under the same key, and its effect counts once',
    LONG,
    async () => {
      project = makeProject(FILES);
      const file = join(project.root, 'counted');
      const { json: task } = await json([
        'run',
        'util.count',
        '--set',
        `file=${file}`,
        '--set',
        'ms:=4000',
        '--detach',
      ]);
      await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
      await killProcesses(runtime().pid);
      const end = await json(['task', 'watch', task.task_key]);
      expect(end).toMatchObject({ exitCode: 0, json: { status: 'succeeded', steps: [{ attempts: 2 }] } });
      const keys = readFileSync(file, 'utf8').trim().split('\n');
      expect(new Set(keys)).toEqual(new Set([`${task.task_key}/run`]));
      // The script of the killed worker was ended before the second one began.
      expect(findProcesses([join(project.root, 'scripts/util.count.mjs')])).toEqual([]);
    },
  );

  test('kill -9 of the server: the runtime starts it again, and the task finishes', LONG, async () => {
    project = makeProject(FILES);
    const file = join(project.root, 'counted');
    const { json: task } = await json(['run', 'util.count', '--set', `file=${file}`, '--set', 'ms:=2500', '--detach']);
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    const { server, pid } = runtime();
    await killProcesses(server?.pid);
    const end = await json(['task', 'watch', task.task_key]);
    expect(end).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
    expect(runtime().pid).toBe(pid);
    expect(runtime().server?.pid).not.toBe(server?.pid);
    expect(new Set(readFileSync(file, 'utf8').trim().split('\n')).size).toBe(1);
  });

  test('suspended for 30 s, it is waited for, and the command says that the task goes on', {
    ...LONG,
    timeout: 180_000,
  }, async () => {
    project = makeProject({ ...FILES, ...workflow('waits', 'steps: [{ id: a, wait: 5s }]') });
    expect((await run(['run', 'util.echo'])).exitCode).toBe(0);
    const { pid, server } = runtime();
    const both = [pid, server?.pid as number];
    for (const suspended of [[pid], both]) {
      const key = `suspended-${suspended.length}`;
      const waiting = run(['run', 'waits', '--key', key]);
      const has = async () => (await run(['task', 'list', '--json'])).stdout.includes(key);
      await expect.poll(has, { timeout: 20_000 }).toBe(true);
      for (const each of suspended) process.kill(each, 'SIGSTOP');
      const beginning = run(['run', 'util.echo']);
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      for (const each of suspended) process.kill(each, 'SIGCONT');
      for (const end of await Promise.all([waiting, beginning])) {
        expect(end).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/does not answer.*tasks go on/s) });
      }
    }
  });

  test('a stale lock and a half-written file are harmless', LONG, async () => {
    project = makeProject(FILES);
    mkdirSync(join(project.root, '.system'), { recursive: true });
    writeFileSync(
      join(project.root, '.system/runtime.lock'),
      JSON.stringify({ ...ownSpace(), pid: 999_999, started: '1' }),
    );
    writeFileSync(join(project.root, '.system/runtime.json'), '{"format": 1, "state": "up", "pi');
    expect((await run(['run', 'util.echo'])).exitCode).toBe(0);
  });

  test('Ctrl-C of a waiting command leaves the task running, and prints its key', LONG, async () => {
    project = makeProject(FILES);
    const file = join(project.root, 'counted');
    const command = start(['run', 'util.count', '--set', `file=${file}`, '--set', 'ms:=3000', '--key', 'goes-on'], {
      cwd: project.root,
    });
    let output = '';
    command.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    // The call may begin before the command knows that its task was created; the command waits once it prints the key.
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/^task goes-on$/m);
    await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
    command.kill('SIGINT');
    const end = await command;
    expect(end.exitCode).toBe(130);
    expect(String(end.stderr)).toMatch(/the task goes on: ability task watch goes-on/);
    expect(await json(['task', 'watch', 'goes-on'])).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
  });

  test('Ctrl-C of a direct run stops the work', LONG, async () => {
    project = makeProject(FILES);
    const file = join(project.root, 'counted');
    const command = start(['run', 'util.count', '--set', `file=${file}`, '--set', 'ms:=30000', '--direct'], {
      cwd: project.root,
    });
    await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
    command.kill('SIGINT');
    expect(await command).toMatchObject({ exitCode: 130 });
    await expect.poll(() => findProcesses([join(project.root, 'scripts/util.count.mjs')])).toEqual([]);
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('a full disk (needs root on Linux, to mount a small file system)', () => {
  test('is reported clearly; with free space the same command works', LONG, async () => {
    project = makeProject(FILES);
    const small = join(project.root, '.system');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
    try {
      writeFileSync(join(small, 'filler'), Buffer.alloc(60 * 1024));
      try {
        writeFileSync(join(small, 'filler2'), Buffer.alloc(8 * 1024));
      } catch {
        // As full as it gets.
      }
      const began = performance.now();
      const end = await run(['run', 'util.echo']);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(end.exitCode).toBe(7);
      expect(end.stderr).toMatch(/disk is full|no space left/i);
      const up = await json(['up']);
      expect(up).toMatchObject({ exitCode: 7, json: { error: { code: 'runtime.failed' } } });
      expect(up.json.error.message).toMatch(/disk is full/);
      expect(servers()).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', small]);
    }
    expect((await run(['run', 'util.echo'])).exitCode).toBe(0);
  });

  test('while the runtime is up, a start is answered within 10 s', { ...LONG, timeout: 240_000 }, async () => {
    project = makeProject(FILES);
    const small = join(project.root, '.system');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', small]);
    try {
      expect((await run(['run', 'util.echo'])).exitCode).toBe(0);
      try {
        writeFileSync(join(small, 'filler'), Buffer.alloc(40 * 1024 * 1024));
      } catch {
        // As full as it gets.
      }
      const input = join(project.root, 'input.json');
      writeFileSync(input, JSON.stringify({ text: randomBytes(48 * 1024).toString('hex') }));
      let end = { exitCode: 0 as number | undefined, stderr: '' };
      // The database takes some more in its own free pages.
      for (let left = 40; left > 0 && end.exitCode === 0; left -= 1) {
        const began = performance.now();
        end = await run(['run', 'util.echo', '--input', `@${input}`]);
        expect(performance.now() - began).toBeLessThan(10_000);
      }
      expect(end).toMatchObject({ exitCode: 7, stderr: expect.stringMatching(/disk is full/) });
      rmSync(join(small, 'filler'));
      expect((await run(['run', 'util.echo'])).exitCode).toBe(0);
    } finally {
      await run(['down']);
      execFileSync('umount', ['-l', small]);
    }
  });
});

test(
  'a project that is renamed while its runtime is up is served under its new name, and old tasks are not lost',
  LONG,
  async () => {
    project = makeProject({ ...FILES, 'ability.yaml': 'format: 1\nproject: before\nenvironments: { dev: {} }\n' });
    expect((await run(['run', 'asks', '--key', 'k1'])).exitCode).toBe(5);
    const first = runtime();
    expect(first.project).toBe('before');
    project.write({ 'ability.yaml': 'format: 1\nproject: after\nenvironments: { dev: {} }\n' });
    const renamed = await run(['run', 'util.echo', '--set', 'x:=1']);
    expect(renamed).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/was called before and is after now/) });
    expect(runtime()).toMatchObject({ project: 'after', address: first.address });
    expect(await run(['approve', 'k1'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/belongs to the project before/),
    });
    const { checks } = (await json(['doctor'])).json as { checks: { name: string; message: string }[] };
    expect(checks.find(({ name }) => name === 'renamed')?.message).toMatch(/1 of before$/);
    project.write({ 'ability.yaml': 'format: 1\nproject: before\nenvironments: { dev: {} }\n' });
    expect((await run(['approve', 'k1'])).exitCode).toBe(0);
    expect((await run(['task', 'watch', 'k1'])).exitCode).toBe(0);
  },
);
