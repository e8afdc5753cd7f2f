import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import {
  KeptBytes,
  type ProcessGroups,
  type ProcessRequest,
  runProcess,
} from '../../../../src/activities/processes/run-process.js';
import { markOf } from '../../../../src/server/processes/processes.js';
import { RunningGroups } from '../../../../src/worker/running-groups.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs JavaScript as a separate process. @param groups absent: those of a worker. */
async function run(code: string, more: Partial<ProcessRequest> = {}, groups?: ProcessGroups) {
  const log = new CallLog(undefined, '', 1);
  const request: ProcessRequest = {
    command: process.execPath,
    args: ['-e', code],
    cwd: folder,
    env: { MODE: 'on' },
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    log,
    keepStdout: 1000,
    patience: { graceMs: 200, endMs: 1000 },
    ...more,
  };
  const outcome = await runProcess(request, groups ?? new RunningGroups(join(folder, 'running')));
  return { ...outcome, printed: outcome.stdout.toString(), log };
}

describe('a process', () => {
  test('ends with its exit code, and what it prints is returned and logged', async () => {
    const { log, ...ended } = await run(`console.log('out'); console.error('err'); process.exit(3)`);
    expect(ended).toMatchObject({ ended: 'exit', exitCode: 3, printed: 'out\n', reason: undefined });
    expect([log.tailOf('stdout'), log.tailOf('stderr')]).toEqual(['out', 'err']);
  });

  test('has its folder and its variables, and inherits nothing else', async () => {
    const { printed } = await run(
      `console.log(JSON.stringify([process.cwd(), process.env.MODE, process.env.HOME ?? null]))`,
    );
    expect(JSON.parse(printed)).toEqual([folder, 'on', null]);
  });

  test('receives a text or a file on stdin, or else nothing', async () => {
    const copy = 'process.stdin.pipe(process.stdout)';
    const file = join(folder, 'input');
    writeFileSync(file, 'of a file');
    expect((await run(copy, { stdin: 'a text' })).printed).toBe('a text');
    expect((await run(copy, { stdin: { file } })).printed).toBe('of a file');
    expect((await run(copy)).printed).toBe('');
  });

  test('that was ended by a signal reports which', async () => {
    expect(await run(`process.kill(process.pid, 'SIGKILL')`)).toMatchObject({ ended: 'signal', signal: 'SIGKILL' });
  });

  test('is stopped at its time-out, and killed if it does not stop', async () => {
    const ended = await run(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, { timeoutMs: 150 });
    expect(ended).toMatchObject({ ended: 'timeout' });
  });

  test('is stopped when the call is cancelled', async () => {
    const stop = new AbortController();
    const running = run('setInterval(() => {}, 1000)', { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(['aborted', 'not_started']).toContain((await running).ended);
  });

  test('of a call that was already cancelled is not started', async () => {
    expect(await run('', { signal: AbortSignal.abort() })).toMatchObject({
      ended: 'not_started',
      reason: expect.stringContaining('cancelled'),
    });
  });

  test('whose program does not exist is not started, and the reason is given', async () => {
    expect(await run('', { command: join(folder, 'none') })).toMatchObject({
      ended: 'not_started',
      exitCode: undefined,
      reason: expect.stringContaining('ENOENT'),
    });
  });
});

describe('the processes of a call', () => {
  /** Processes as a worker keeps track of them; signals reach only the given process. */
  function watched({ reaches = true, left = 0 }: { reaches?: boolean; left?: number | Error } = {}) {
    const seen: unknown[] = [];
    let group: number | undefined;
    const processes = {
      variables: { CALL_ID: 'c-1' },
      started: (pid: number | undefined, leads: boolean) => {
        group = pid;
        seen.push(['started', typeof pid, leads]);
      },
      look: async () => {},
      signal: async (signal: NodeJS.Signals) => {
        seen.push(signal);
        if (reaches && group !== undefined) process.kill(-group, signal);
      },
      end: async (limitMs: number) => {
        seen.push(['end', limitMs]);
        if (left instanceof Error) throw left;
        return left;
      },
    };
    const kill = () => {
      if (group !== undefined) process.kill(-group, 'SIGKILL');
    };
    return {
      seen,
      kill,
      pid: () => group,
      groups: { begin: () => processes, turn: async () => void seen.push('turn') },
    };
  }
  const FOREVER = 'setInterval(() => {}, 1000)';

  test('wait for their turn, are recorded with their group, and end with the first one', async () => {
    const { groups, seen } = watched();
    const { printed, log } = await run('console.log(process.env.CALL_ID)', {}, groups);
    expect(printed).toBe('c-1\n');
    expect(seen).toEqual(['turn', ['started', 'number', true], ['end', 1000]]);
    expect(log.tailOf('runtime')).toBe('');
  });

  test('receive SIGTERM at the time-out, and SIGKILL if they continue', async () => {
    const { groups, seen } = watched();
    const stubborn = `process.on('SIGTERM', () => {}); ${FOREVER}`;
    const patience = { graceMs: 50, endMs: 5000 };
    expect(await run(stubborn, { timeoutMs: 300, patience }, groups)).toMatchObject({ ended: 'timeout' });
    expect(seen.filter((each) => typeof each === 'string')).toEqual(['turn', 'SIGTERM', 'SIGKILL']);
  });

  test('that cannot be killed lose their pipes, and are not waited for', async () => {
    const { groups, pid } = watched({ reaches: false });
    const printing = `setInterval(() => process.stdout.write('x'), 5)`;
    const ended = await run(printing, { timeoutMs: 20, patience: { graceMs: 10, endMs: 10 } }, groups);
    expect(ended).toMatchObject({ ended: 'timeout', exitCode: undefined });
    // It fails when it prints, since its output is no longer read.
    await expect.poll(() => markOf(pid() ?? 0)).toBeUndefined();
  });

  test('that outlive the first one delay its end only for the patience of a call', { timeout: 5000 }, async () => {
    const { groups, kill } = watched({ reaches: false });
    const code = `require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); console.log('done'); process.exit(0)`;
    const patience = { graceMs: 10, endMs: 50 };
    expect(await run(code, { patience }, groups)).toMatchObject({ ended: 'exit', exitCode: 0, printed: 'done\n' });
    kill();
  });

  test('that remain are named in the log', async () => {
    const { log } = await run('', {}, watched({ left: 2 }).groups);
    expect(log.tailOf('runtime')).toContain('2 processes');
  });

  test('fail the call if it is unknown whether they ended', async () => {
    const failed = new Error('no table of processes');
    await expect(run('', {}, watched({ left: failed }).groups)).rejects.toBe(failed);
  });

  test('receive no signal if the call is cancelled after their end, and leave no timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const { groups, seen } = watched();
    const stop = new AbortController();
    const before = timers();
    await run('', { signal: stop.signal }, groups);
    stop.abort();
    expect(seen).not.toContain('SIGTERM');
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('a limited output', () => {
  const kept = (most: number, pieces: string[]) => {
    const bytes = new KeptBytes(most);
    for (const piece of pieces) bytes.add(Buffer.from(piece));
    return bytes.bytes().toString();
  };

  test('keeps its start, up to the end of the piece that reaches the limit', () => {
    expect(kept(4, ['ab', 'cdef', 'gh'])).toBe('abcdef');
    expect(kept(2, ['ab', 'cd'])).toBe('ab');
    expect(kept(0, ['ab'])).toBe('');
  });

  test('keeps many small pieces in their order', () => {
    const pieces = Array.from({ length: 3000 }, (_, at) => String(at % 10));
    expect(kept(10_000, pieces)).toBe(pieces.join(''));
  });
});
