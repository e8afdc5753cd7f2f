import { sleep } from '@temporalio/workflow';
import { readActivityFailure } from './step-failure.js';

/** How long a task waits before it asks again for a worker that has the key of its seal. */
export const KEY_WAIT_MS = 10_000;

/** Asks an activity again and again while no worker has the key of the seal: such a task waits, it does not fail. */
export async function untilKeyed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const end = readActivityFailure(error);
      if (end.kind !== 'problem' || end.problem.code !== 'seal.unknown_key') throw error;
    }
    await sleep(KEY_WAIT_MS, { summary: 'no worker has the key of the seal' });
  }
}
