import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { ResultPromise } from 'execa';
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Stall } from '../../src/client/index.js';
import { SIGNALS } from '../../src/contracts/names.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { findProcesses, markOf } from '../../src/server/processes/processes.js';
import { atTerminal } from '../fixtures/at-terminal.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { startRelay } from '../fixtures/tcp-relay.js';
import { WHOLE } from './extent.js';

const FILES = {
  ...operation('util.echo', 'return input;'),
  ...operation(
    'util.patient',
    'console.error("at work"); appendFileSync(input.begun, "x"); while (!existsSync(input.file)) await sleep(20); return { done: true };',
    { effects: 'write_idempotent', script: ', timeout_sec: 60' },
  ),
  ...workflow(
    'cleans',
    'input_schema: { type: object, properties: { begun: { type: string }, file: { type: string } } }\nsteps: [{ id: hold, wait: { signal: go } }]\nfinally: [{ id: last, call: util.patient, with: { begun: "${{ input.begun }}", file: "${{ input.file }}" } }]',
  ),
  ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: util.echo, with: { x: 1 } }]'),
};

let project: ProjectFolder;
const runtime = (): RuntimeFile => JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
const servers = () => findProcesses(['--db-filename', join(project.root, '.system/temporal/temporal.db')]);

/** What a command has printed on stderr so far. */
function listen(command: ResultPromise): () => string {
  let output = '';
  command.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  return () => output;
}

describe('a runtime that has ended', () => {
  afterEach(async () => {
    await ability(['down'], { cwd: project.root });
    project.remove();
  });

  test('kill -9 while two commands wait: one runtime starts, both report it in one line, and the task ends', {
    ...LONG,
    timeout: 120_000,
  }, async () => {
    project = makeProject(FILES);
    const [begun, file] = [join(project.root, 'begun'), join(project.root, 'file')];
    const input = ['--set', `begun=${begun}`, '--set', `file=${file}`];
    const run = start(['run', 'util.patient', ...input, '--key', 'two', '--json'], { cwd: project.root });
    await expect.poll(() => existsSync(begun), { timeout: 30_000 }).toBe(true);
    const watch = start(['task', 'watch', 'two', '--json', '--verbose'], { cwd: project.root });
    const [ran, watched] = [listen(run), listen(watch)];
    const before = runtime();
    // It waits once it shows what the script has printed.
    await expect.poll(watched, { timeout: 20_000 }).toMatch(/at work/);
    process.kill(before.pid, 'SIGKILL');
    if (WHOLE) process.kill(before.server?.pid as number, 'SIGKILL');
    for (const printed of [ran, watched]) {
      await expect
        .poll(printed, { timeout: 30_000 })
        .toMatch(/^The runtime of this project had ended .*the task goes on\.$/m);
    }
    writeFileSync(file, '');
    for (const command of [run, watch]) {
      const end = await command;
      expect(end.exitCode).toBe(0);
      expect(JSON.parse(String(end.stdout))).toMatchObject({ status: 'succeeded', output: { done: true } });
    }
    expect(ran().match(/had ended/g)).toHaveLength(1);
    expect(`${ran()}${watched()}`.match(/it has been started again/g)).not.toBeNull();
    expect(servers()).toHaveLength(1);
    expect(runtime().pid).not.toBe(before.pid);
  });

  test.skipIf(!WHOLE)(
    'it may come back at another port, and a waiting command does not undo `ability down`',
    async () => {
      project = makeProject(FILES);
      const run = start(['run', 'asks', '--key', 'moved', '--wait-approval', '5m'], { cwd: project.root });
      const printed = listen(run);
      await expect.poll(printed, { timeout: 30_000 }).toMatch(/Go on\?/);
      const before = runtime();
      // Another program has taken its former port.
      const taken = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void taken.close());
      await once(taken, 'listening');
      const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
      process.kill(before.pid, 'SIGKILL');
      process.kill(before.server?.pid as number, 'SIGKILL');
      writeFileSync(join(project.root, '.system/runtime.json'), JSON.stringify({ ...before, address }));
      await expect.poll(printed, { timeout: 30_000 }).toMatch(/had ended/);
      expect([before.address, address]).not.toContain(runtime().address);
      await ability(['down'], { cwd: project.root });
      const end = await run;
      expect(end.exitCode).toBe(7);
      expect(String(end.stderr)).toMatch(/stopped with `ability down`/);
      expect(servers()).toEqual([]);
    },
    120_000,
  );

  test.skipIf(!WHOLE)(
    'every waiting command continues: following the logs, a deletion, a retry',
    async () => {
      project = makeProject(FILES);
      const [begun, file] = [join(project.root, 'begun'), join(project.root, 'file')];
      const input = ['--set', `begun=${begun}`, '--set', `file=${file}`];
      const options = { cwd: project.root };
      await ability(['run', 'util.patient', ...input, '--key', 'long', '--detach'], options);
      await expect.poll(() => existsSync(begun), { timeout: 30_000 }).toBe(true);
      await ability(['run', 'util.patient', ...input, '--key', 'broken', '--detach'], options);
      await ability(['task', 'cancel', 'broken'], options);
      expect((await ability(['task', 'watch', 'broken'], options)).exitCode).not.toBe(0);
      await ability(['run', 'cleans', ...input, '--key', 'doomed', '--detach'], options);
      const logs = start(['task', 'logs', 'long', '-f'], options);
      const deletion = start(['task', 'delete', 'doomed', '--yes'], options);
      const retry = start(['task', 'retry', 'broken', '--verbose'], options);
      const [followed, deleted, retried] = [listen(logs), listen(deletion), listen(retry)];
      await expect.poll(deleted, { timeout: 30_000 }).toMatch(/is cancelled first/);
      await expect.poll(retried, { timeout: 30_000 }).toMatch(/at work/);
      const before = runtime();
      process.kill(before.pid, 'SIGKILL');
      process.kill(before.server?.pid as number, 'SIGKILL');
      for (const printed of [followed, deleted, retried])
        await expect.poll(printed, { timeout: 60_000 }).toMatch(/had ended .*the task goes on\.$/m);
      writeFileSync(file, '');
      expect((await Promise.all([logs, deletion, retry])).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      expect(servers()).toHaveLength(1);
      // A decision that is sent while nothing is up.
      await ability(['run', 'asks', '--key', 'undecided'], options);
      await killProcesses(runtime().pid);
      expect((await ability(['approve', 'undecided', '--yes'], options)).exitCode).toBe(0);
      expect((await ability(['task', 'watch', 'undecided'], options)).exitCode).toBe(0);
    },
    300_000,
  );

  test.skipIf(!WHOLE)(
    'a command at a terminal continues as well',
    async () => {
      project = makeProject(FILES);
      await ability(['up', '--detach'], { cwd: project.root });
      const [begun, file] = [join(project.root, 'begun'), join(project.root, 'file')];
      const input = ['--set', `begun=${begun}`, '--set', `file=${file}`];
      const watching = atTerminal(['run', 'util.patient', ...input], project.root, []);
      await expect.poll(() => existsSync(begun), { timeout: 30_000 }).toBe(true);
      const { pid } = runtime();
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => runtime().pid !== pid && runtime().state, { timeout: 30_000 }).toBe('up');
      writeFileSync(file, '');
      const { exitCode, screen } = await watching;
      expect(screen).toMatch(/The runtime of this project had ended/);
      expect(exitCode).toBe(0);
    },
    120_000,
  );

  test.skipIf(!WHOLE)(
    'a process that only holds a connection keeps the runtime up, however long, until it closes it or ends',
    async () => {
      project = makeProject(FILES);
      const idle = 8000;
      // The holder of the connection need not know how long the runtime waits.
      await ability(['task', 'list'], { cwd: project.root, env: { ABILITY_RUNTIME_IDLE_MS: String(idle) } });
      const name = /project: (\S+)/.exec(readFileSync(join(project.root, 'ability.yaml'), 'utf8'))?.[1];
      const client = join(import.meta.dirname, '../../build/client/index.js');
      const code = `
      const { connect } = await import(${JSON.stringify(client)});
      const session = await connect({ root: ${JSON.stringify(project.root)}, project: ${JSON.stringify(name)} });
      process.stdout.write('connected');
      process.stdin.once('data', async () => { await session.close(); process.stdout.write('closed'); });
      setTimeout(() => {}, 600_000);`;
      const holder = spawn(process.execPath, ['--input-type=module', '-e', code]);
      try {
        let output = '';
        holder.stdout.on('data', (chunk) => {
          output += chunk;
        });
        await expect.poll(() => output, { timeout: 30_000 }).toBe('connected');
        const { pid } = runtime();
        const begun = performance.now();
        // More than twice the time that it would otherwise outlive the last command.
        await expect.poll(() => performance.now() - begun > idle * 2.5, { timeout: idle * 4 }).toBe(true);
        expect(markOf(pid)).toBeDefined();
        holder.stdin.write('x');
        await expect.poll(() => markOf(pid), { timeout: 20_000 }).toBeUndefined();
        expect(output).toBe('connectedclosed');
      } finally {
        holder.kill('SIGKILL');
      }
    },
    120_000,
  );

  test('--timeout counts from the start of the command, including the start of the runtime', async () => {
    project = makeProject(FILES);
    const end = await abilityJson(['run', 'util.echo', '--timeout', '100ms'], { cwd: project.root });
    expect(end).toMatchObject({ exitCode: 6, json: { error: { code: 'wait.timeout' } } });
    expect(end.json.error.message).toBe('No task was created within 100ms, counted from the start of the command');
    // It did not wait for the runtime that it had started.
    expect(existsSync(join(project.root, '.system/runtime.json')) && runtime().state === 'up').toBe(false);
    if (WHOLE) expect((await abilityJson(['task', 'list'], { cwd: project.root })).json).toEqual([]);
  }, 60_000);
});

describe('a queue that no worker serves any more', () => {
  let running: RunningProject;
  const env = () => ({
    TEMPORAL_ADDRESS: inject('temporal').address,
    ABILITY_SEAL_KEYS: `main:${randomBytes(32).toString('base64url')}`,
  });
  afterEach(() => running.stop());

  test('is reported within 10 s, once, with the queue, and again at the time-out', async () => {
    running = await runProject(FILES);
    const { id } = await running.create('asks');
    await running.wait(id, { approvalMs: 0 });
    await running.stopWorkers();
    await running.connection.temporal.workflow.getHandle(id).signal(SIGNALS.pause);
    const stalls: Stall[] = [];
    const end = await running.wait(id, { timeoutMs: 8500, onStall: (stall) => void stalls.push(stall) });
    const stall = { task: id, what: 'turn', queue: `${running.connection.project}-dev-local` };
    expect(stalls).toEqual([expect.objectContaining(stall)]);
    expect(end).toMatchObject({ kind: 'timeout', stall });
  }, 60_000);

  test.skipIf(!WHOLE)(
    'is reported by the command, with the queue and the command for a worker, and again at the time-out',
    async () => {
      running = await runProject(FILES);
      const { id } = await running.create('asks');
      await running.wait(id, { approvalMs: 0 });
      await running.stopWorkers();
      await running.connection.temporal.workflow.getHandle(id).signal(SIGNALS.pause);
      const begun = performance.now();
      const watch = start(['task', 'watch', id, '--timeout', '13s', '--json'], { cwd: running.root, env: env() });
      const printed = listen(watch);
      await expect.poll(printed, { timeout: 12_000 }).toMatch(/No worker has taken up the next turn/);
      const { project: name, address } = running.connection;
      const help = `ability worker --address ${address} --env dev --placement local`;
      expect(printed()).toContain(help);
      expect(printed()).toContain(`on the queue ${name}-dev-local`);
      const end = await watch;
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(end.exitCode).toBe(6);
      expect(printed().match(/No worker has taken up/g)).toHaveLength(1);
      const { error } = JSON.parse(String(end.stdout));
      expect(error).toMatchObject({ code: 'wait.timeout', message: expect.stringContaining(`${name}-dev-local`) });
      expect(error.suggestion).toContain(help);
    },
    60_000,
  );
});

describe('a server that is killed, or stops responding, during a wait', LONG, () => {
  let running: RunningProject;
  afterEach(() => running.stop());

  test('--timeout and Ctrl-C end the command, whatever the server does', async () => {
    running = await runProject(FILES);
    const { id } = await running.create('asks');
    await running.wait(id, { approvalMs: 0 });
    const watch = async (end: 'mute' | 'kill and mute' | 'kill', stop: '--timeout' | 'SIGINT'): Promise<void> => {
      const relay = await startRelay(inject('temporal').address);
      onTestFinished(() => relay.stop());
      const args = ['task', 'watch', id, '--wait-approval', '5m', '--timeout', stop === 'SIGINT' ? '5m' : '15s'];
      const began = performance.now();
      const command = start(args, { cwd: running.root, env: { TEMPORAL_ADDRESS: relay.address } });
      const printed = listen(command);
      await expect.poll(printed, { timeout: 20_000 }).toMatch(/ask/);
      relay.end(end);
      const ended = performance.now();
      // Calls are retried, or wait for their answer.
      await expect.poll(() => performance.now() - ended > 2000, { timeout: 5000 }).toBe(true);
      if (stop === 'SIGINT') command.kill('SIGINT');
      const interrupted = performance.now();
      const { exitCode, stderr } = await command;
      const late = stop === 'SIGINT' ? performance.now() - interrupted : performance.now() - began - 15_000;
      const what = `${end}, ${stop}, ${Math.round(late)} ms late: ${stderr}`;
      expect(exitCode, what).toBe(stop === 'SIGINT' ? 130 : 6);
      // 2 s, plus what a busy machine adds to the start and end of a process.
      expect(late, what).toBeLessThan(4000);
    };
    await Promise.all([
      watch('mute', '--timeout'),
      watch('kill and mute', '--timeout'),
      watch('kill and mute', 'SIGINT'),
      ...(WHOLE ? [watch('kill', '--timeout'), watch('kill', 'SIGINT'), watch('mute', 'SIGINT')] : []),
    ]);
  }, 60_000);
});
