import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CAN_LIST } from '../../../src/server/processes/process-table.js';
import { SharedProcessTable } from '../../../src/worker/shared-process-table.js';

const onLinux = CAN_LIST ? describe : describe.skip;

async function startSleeper(callId: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sleep', ['300'], { env: { PATH: process.env.PATH, ABILITY_CALL_ID: callId }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child as ChildProcess & { pid: number };
}

onLinux('a look at processes', () => {
  test('is shared by concurrent callers, and contains what each of them started', async () => {
    const looks = new SharedProcessTable();
    const requests = [];
    const pids: number[] = [];
    for (const id of ['a.1', 'a.2', 'a.3']) {
      const began = performance.now();
      const { pid } = await startSleeper(id);
      pids.push(pid);
      requests.push({ pid, began });
    }
    // The youngest first: the look still reaches back to the oldest.
    const tables = await Promise.all(requests.toReversed().map((one) => looks.take(one)));
    expect(new Set(tables).size).toBe(1);
    const found = tables[0]?.entries.filter(({ pid }) => pids.includes(pid)) ?? [];
    expect(found.map(({ callId }) => callId).toSorted()).toEqual(['a.1', 'a.2', 'a.3']);
    expect(tables[0]?.starts.get(pids[0] as number)).toBe(found.find(({ pid }) => pid === pids[0])?.started);
  });

  test('begins after the request, so that it contains what was started before', async () => {
    const looks = new SharedProcessTable();
    const began = performance.now();
    const { pid: first } = await startSleeper('b.1');
    const early = looks.take({ pid: first, began });
    const { pid: second } = await startSleeper('b.2');
    const late = looks.take({ pid: first, began });
    expect((await late).starts.has(second)).toBe(true);
    expect((await early).starts.has(first)).toBe(true);
  });

  test('covers the whole machine for a call that has started nothing yet, and excludes this process', async () => {
    const looks = new SharedProcessTable();
    const began = performance.now();
    const { pid } = await startSleeper('c.1');
    const [table] = await Promise.all([
      looks.take({ pid: undefined, began }),
      looks.take({ pid, began: performance.now() }),
    ]);
    expect(table?.starts.has(1)).toBe(true);
    expect(table?.starts.has(process.pid)).toBe(false);
    expect(table?.entries.find((entry) => entry.pid === pid)).toMatchObject({ callId: 'c.1', parent: process.pid });
  });
});
