import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CallLog } from '../../src/activities/call/call-log.js';
import { type ProcessRequest, runProcess } from '../../src/activities/processes/run-process.js';
import { CAN_LIST } from '../../src/server/processes/process-table.js';
import { markOf } from '../../src/server/processes/processes.js';
import { RunningGroups } from '../../src/worker/running-groups.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { times } from './extent.js';

/** Where processes cannot be listed, only the process group ends with the call: docs/operations.md. */
const onLinux = CAN_LIST ? describe : describe.skip;

let folder: string;
let groups: RunningGroups;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ability-test-escape-')));
  groups = new RunningGroups(join(folder, 'running'));
});
afterEach(() => {
  for (const pid of noted()) if (markOf(pid)) process.kill(pid, 'SIGKILL');
  groups.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The pids that the processes of an attack have written to a file. */
const noted = (root = folder): number[] => {
  const file = join(root, 'pids');
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? [] : text.split('\n').map(Number);
};
const living = (root = folder): number[] => noted(root).filter((pid) => markOf(pid) !== undefined);

/** A shell that writes down its pid and sleeps; `$0` names the file even if the environment was cleared. */
const SLEEPER = `sh -c 'trap "" TERM HUP; echo $$ >> "$0"; while :; do sleep 300; done' "$PIDS"`;

/** Ways out of the process group, and how many processes each leaves behind. */
const ESCAPES: Record<string, { start: string; count?: number }> = {
  'a new session': { start: `setsid ${SLEEPER} &` },
  'a new session with the pipes of the call closed': { start: `setsid ${SLEEPER} </dev/null >/dev/null 2>&1 &` },
  'a daemon whose parents are gone': { start: `(setsid sh -c '${quoted(SLEEPER)} &' & ) ` },
  'nohup in a new session': { start: `setsid nohup ${SLEEPER} >/dev/null 2>&1 &` },
  'a group of its own and no environment': { start: `set -m; env -i PATH="$PATH" ${SLEEPER} & set +m` },
  'a new session whose child has no environment': {
    start: `setsid sh -c '${quoted(`env -i PATH="$PATH" ${SLEEPER}`)} & echo $$ >> "$PIDS"; wait' &`,
    count: 2,
  },
  'one that starts another one when it ends': {
    start: `setsid sh -c 'while :; do ${quoted(SLEEPER)}; done' &`,
  },
};

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** Runs a shell script that continues once `count` pids are written down. */
function run(start: string, count: number, rest: string, more: Partial<ProcessRequest> = {}) {
  const script = [start, `while [ "$(wc -l < "$PIDS")" -lt ${count} ]; do sleep 0.02; done`, rest].join('\n');
  writeFileSync(join(folder, 'pids'), '');
  const log = new CallLog(undefined, 'call', 1);
  const env = { PATH: process.env.PATH ?? '', PIDS: join(folder, 'pids') };
  const { signal } = new AbortController();
  const request = { command: 'bash', args: ['-c', script], cwd: folder, env, timeoutMs: 20_000, signal, log };
  return runProcess({ ...request, ...more }, groups);
}

onLinux('a process that leaves its group by', () => {
  describe.each(Object.entries(ESCAPES))('%s', (_, { start, count = 1 }) => {
    test('ends when the call has ended', async () => {
      const outcome = await run(start, count, 'echo done', { keepStdout: 100 });
      expect(outcome).toMatchObject({ ended: 'exit', exitCode: 0, stdout: Buffer.from('done\n') });
      expect(noted().length).toBeGreaterThanOrEqual(count);
      expect(living()).toEqual([]);
    });

    test('ends when the call is cancelled', async () => {
      const cancel = new AbortController();
      const patience = { graceMs: 100, endMs: 1000 };
      const ended = run(start, count, 'sleep 300', { signal: cancel.signal, patience });
      await expect.poll(() => noted().length, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(count);
      cancel.abort();
      expect(await ended).toMatchObject({ ended: 'aborted' });
      expect(living()).toEqual([]);
    });
  });

  test('a new session ends when the call times out, many times in a row', async () => {
    for (let round = 0; round < times(1, 50); round += 1) {
      const patience = { graceMs: 50, endMs: 1000 };
      const start = `for i in 1 2 3; do setsid ${SLEEPER} & done`;
      const outcome = await run(start, 3, 'sleep 300', { timeoutMs: 600, patience });
      expect(outcome).toMatchObject({ ended: 'timeout' });
      expect(living()).toEqual([]);
    }
  });
});

onLinux('the processes of other calls', () => {
  test('keep running, even with the same parent and outside of their groups', async () => {
    const cancel = new AbortController();
    const other = run(ESCAPES['a new session']?.start ?? '', 1, 'sleep 300', { signal: cancel.signal });
    await expect.poll(() => living().length, { timeout: 10_000, interval: 20 }).toBe(1);
    const [stays] = living();
    const { signal } = new AbortController();
    const log = new CallLog(undefined, 'call', 1);
    const request = { cwd: folder, env: { PATH: process.env.PATH ?? '' }, timeoutMs: 5000, signal, log };
    await runProcess({ command: 'sh', args: ['-c', 'setsid sleep 300 & sleep 0.1'], ...request }, groups);
    expect(living()).toEqual([stays]);
    cancel.abort();
    await other;
    expect(living()).toEqual([]);
  });

  test('keep running while many calls end at once, each of which ends its own processes', async () => {
    const cancel = new AbortController();
    const stays = run(`setsid ${SLEEPER} &`, 1, 'sleep 300', { signal: cancel.signal });
    await expect.poll(() => living().length, { timeout: 10_000, interval: 20 }).toBe(1);
    const [other] = living();
    const calls = times(20, 100);
    const script = `setsid ${SLEEPER} & while [ ! -e go ]; do sleep 0.05; done`;
    const ends = Array.from({ length: calls }, async () => {
      const log = new CallLog(undefined, 'call', 1);
      const env = { PATH: process.env.PATH ?? '', PIDS: join(folder, 'pids') };
      const request = { command: 'bash', args: ['-c', script], cwd: folder, env, timeoutMs: 60_000, log };
      return runProcess({ ...request, signal: new AbortController().signal }, groups);
    });
    await expect.poll(() => living().length, { timeout: 60_000, interval: 50 }).toBe(1 + calls);
    writeFileSync(join(folder, 'go'), '');
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ ended: 'exit', exitCode: 0 });
    expect(living()).toEqual([other]);
    cancel.abort();
    await stays;
    expect(living()).toEqual([]);
  });

  test('keep running if they carry the id of another call, or none', async () => {
    // Without the pipes of the call, which would otherwise wait for them to close.
    await run(`ABILITY_CALL_ID=none setsid ${SLEEPER} </dev/null >/dev/null 2>&1 &`, 1, 'true');
    expect(living()).toHaveLength(1);
  });
});

/** A worker with the built code, which is killed while its script runs. */
const WORKER = `
import { CallLog } from '${new URL('../../build/activities/call/call-log.js', import.meta.url).href}';
import { runProcess } from '${new URL('../../build/activities/processes/run-process.js', import.meta.url).href}';
import { RunningGroups } from '${new URL('../../build/worker/running-groups.js', import.meta.url).href}';
const [, , cwd, script] = process.argv;
const env = { PATH: process.env.PATH, PIDS: cwd + '/pids' };
const request = { command: 'bash', args: ['-c', script], cwd, env, timeoutMs: 60_000, log: new CallLog(undefined, 'x', 1) };
runProcess({ ...request, signal: new AbortController().signal }, new RunningGroups(cwd + '/running'));
`;

onLinux('what a killed worker leaves', () => {
  test('is detected by the name of the worker if it had not noted the group yet', async () => {
    writeFileSync(join(folder, 'worker.mjs'), WORKER);
    const worker = fork(join(folder, 'worker.mjs'), [folder, `${ESCAPES['a new session']?.start}\nsleep 300`]);
    await expect.poll(() => living().length, { timeout: 20_000, interval: 20 }).toBe(1);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const own = join(folder, 'running', readdirSync(join(folder, 'running'))[0] as string);
    for (const note of readdirSync(own)) rmSync(join(own, note));
    expect(groups.reap()).toBeGreaterThanOrEqual(2);
    await expect.poll(living, { interval: 10 }).toEqual([]);
  });

  test('ends when the next worker starts, wherever it has gone; a second start finds nothing', async () => {
    writeFileSync(join(folder, 'worker.mjs'), WORKER);
    const escapes = ['a new session', 'a daemon whose parents are gone', 'a group of its own and no environment'];
    const script = [...escapes.map((name) => ESCAPES[name]?.start), 'sleep 300'].join('\n');
    const worker = fork(join(folder, 'worker.mjs'), [folder, script]);
    await expect.poll(() => living().length, { timeout: 20_000, interval: 20 }).toBe(3);
    // On a busy machine all of them may run before the worker has noted their group.
    const notes = () => readdirSync(join(folder, 'running'), { recursive: true }).length;
    await expect.poll(notes, { timeout: 20_000, interval: 20 }).toBe(2);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(living()).toHaveLength(3);
    expect(groups.reap()).toBeGreaterThanOrEqual(3);
    await expect.poll(living, { interval: 10 }).toEqual([]);
    expect(groups.reap()).toBe(0);
  });
});

onLinux('in a project', () => {
  let project: RunningProject;

  /** A server with a child that has left its group and holds its pipes. */
  const STDIO = fileURLToPath(new URL('../fixtures/servers/mcp-stdio.mjs', import.meta.url));
  const MCP_SERVER = `setsid sleep 300 & echo $! >> pids; exec '${process.execPath}' '${STDIO}'`;
  const NODE_ESCAPE = [
    "import { spawn } from 'node:child_process';",
    "import { appendFileSync } from 'node:fs';",
    "const away = (stdio) => { const child = spawn('sleep', ['300'], { detached: true, stdio }); child.unref();",
    "  appendFileSync('pids', child.pid + '\\n'); };",
  ].join('\n');

  beforeAll(async () => {
    project = await runProject({
      ...scriptAbility('x.script', 'scripts/away.mjs', `${NODE_ESCAPE}\naway('inherit'); console.log(1);`, {
        script: { args: [] },
      }),
      ...config('servers', {
        mcp_servers: { away: { command: 'sh', args: ['-c', MCP_SERVER] } },
      }),
      ...mcpAbility('x.mcp', { server: 'away', tool: 'add' }),
      ...mcpAbility('x.dies', { server: 'away', tool: 'die' }, { more: { effects: 'destructive' } }),
      'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
        hooks: [
          { id: 'away', handler: { script: { path: 'hooks/away.mjs', timeout_sec: 60 } } },
          { id: 'hangs', handler: { script: { path: 'hooks/hangs.mjs', timeout_sec: 1 } } },
        ],
      }),
      'hooks/away.mjs': `${NODE_ESCAPE}\naway('inherit'); console.log('{"guard_decision":"allow"}');`,
      'hooks/hangs.mjs': `${NODE_ESCAPE}\naway('inherit'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`,
      ...scriptAbility('x.guarded', 'scripts/plain.mjs', 'console.log(1);', {
        script: { args: [] },
        more: { hooks: { pre_call: ['away'] } },
      }),
      ...scriptAbility('x.hung', 'scripts/plain.mjs', 'console.log(1);', {
        script: { args: [] },
        more: { hooks: { pre_call: ['hangs'] } },
      }),
    });
  });
  afterAll(() => project.stop());

  const escaped = () => noted(project.root).length;

  test('a script, a guard and a hanging guard leave nothing behind', async () => {
    const ends = await Promise.all(['x.script', 'x.guarded', 'x.hung'].map((ability) => project.run(ability)));
    expect(ends).toMatchObject([
      { status: 'succeeded', output: 1 },
      { status: 'succeeded', output: 1 },
      { status: 'denied', error: { code: 'hook.failed' } },
    ]);
    expect(escaped()).toBe(3);
    expect(living(project.root)).toEqual([]);
  });

  test('an MCP server that dies leaves nothing behind, and its call ends before its time-out', async () => {
    const before = escaped();
    const started = performance.now();
    expect(await project.run('x.dies')).toMatchObject({ status: 'unknown' });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(escaped()).toBe(before + 1);
    await expect.poll(() => living(project.root)).toEqual([]);
  });

  test('an MCP server that is closed leaves nothing behind', async () => {
    const before = escaped();
    expect(await project.run('x.mcp', { a: 1, b: 2 })).toMatchObject({ status: 'succeeded' });
    expect(escaped()).toBe(before + 1);
    expect(living(project.root)).toHaveLength(1);
    await project.stopWorkers();
    await expect.poll(() => living(project.root)).toEqual([]);
  });
});
