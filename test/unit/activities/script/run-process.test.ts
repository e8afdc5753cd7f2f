import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import { KeptBytes, type ProcessRequest, runProcess } from '../../../../src/activities/script/run-process.js';
import { RunningGroups } from '../../../../src/worker/running-groups.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs JavaScript as a process of its own. */
async function run(code: string, more: Partial<ProcessRequest> = {}) {
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
  const outcome = await runProcess(request, new RunningGroups(join(folder, 'running')));
  return { ...outcome, printed: outcome.stdout.toString(), log };
}

describe('a process', () => {
  test('ends with its exit code, and what it prints is kept and in the log', async () => {
    const { log, ...ended } = await run(`console.log('out'); console.error('err'); process.exit(3)`);
    expect(ended).toMatchObject({ ended: 'exit', exitCode: 3, printed: 'out\n', reason: undefined });
    expect([log.tailOf('stdout'), log.tailOf('stderr')]).toEqual(['out', 'err']);
  });

  test('gets its folder, its variables and nothing else of ours', async () => {
    const { printed } = await run(
      `console.log(JSON.stringify([process.cwd(), process.env.MODE, process.env.HOME ?? null]))`,
    );
    expect(JSON.parse(printed)).toEqual([folder, 'on', null]);
  });

  test('gets a text or a file on stdin, and else an empty one', async () => {
    const copy = 'process.stdin.pipe(process.stdout)';
    const file = join(folder, 'input');
    writeFileSync(file, 'of a file');
    expect((await run(copy, { stdin: 'a text' })).printed).toBe('a text');
    expect((await run(copy, { stdin: { file } })).printed).toBe('of a file');
    expect((await run(copy)).printed).toBe('');
  });

  test('that a signal ended says which', async () => {
    expect(await run(`process.kill(process.pid, 'SIGKILL')`)).toMatchObject({ ended: 'signal', signal: 'SIGKILL' });
  });

  test('is stopped at its time-out, and killed where it does not stop', async () => {
    const ended = await run(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, { timeoutMs: 150 });
    expect(ended).toMatchObject({ ended: 'timeout' });
  });

  test('is stopped when the call is cancelled', async () => {
    const stop = new AbortController();
    const running = run('setInterval(() => {}, 1000)', { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(['aborted', 'not_started']).toContain((await running).ended);
  });

  test('of a call that was cancelled before is not started', async () => {
    expect(await run('', { signal: AbortSignal.abort() })).toMatchObject({
      ended: 'not_started',
      reason: expect.stringContaining('cancelled'),
    });
  });

  test('whose program is not there is not started, and says why', async () => {
    expect(await run('', { command: join(folder, 'none') })).toMatchObject({
      ended: 'not_started',
      exitCode: undefined,
      reason: expect.stringContaining('ENOENT'),
    });
  });
});

describe('of an output', () => {
  const kept = (most: number, pieces: string[]) => {
    const bytes = new KeptBytes(most);
    for (const piece of pieces) bytes.add(Buffer.from(piece));
    return bytes.bytes().toString();
  };

  test('the start is kept, to the end of the piece that reaches its size', () => {
    expect(kept(4, ['ab', 'cdef', 'gh'])).toBe('abcdef');
    expect(kept(2, ['ab', 'cd'])).toBe('ab');
    expect(kept(0, ['ab'])).toBe('');
  });

  test('many small pieces are kept in their order', () => {
    const pieces = Array.from({ length: 3000 }, (_, at) => String(at % 10));
    expect(kept(10_000, pieces)).toBe(pieces.join(''));
  });
});
