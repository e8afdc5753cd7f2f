import { expect, test } from 'vitest';
import type { Connection } from '../../../src/client/index.js';
import type { TaskEvent } from '../../../src/contracts/task-events.js';
import { withModelOutput } from '../../../src/operations/follow-events.js';

const connection = {
  paths: { records: '/nowhere' },
  project: 'p',
  store: { isShared: false },
} as unknown as Connection;

test('a listener that leaves while a model answers does not block the process', async () => {
  const stop = new AbortController();
  let isClosed = false;
  async function* events(): AsyncGenerator<TaskEvent, void> {
    try {
      const data = { step: 'turns/0/model', call: 'model:default' };
      yield { id: 'r.1', type: 'call.started', time: '2026-11-24T00:00:00Z', data };
      // It ends a moment after its signal, as a stream of Temporal does.
      await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => setTimeout(resolve, 50)));
    } finally {
      isClosed = true;
    }
  }
  const seen: string[] = [];
  const listening = (async () => {
    for await (const { type } of withModelOutput(connection, 'k', events(), stop.signal)) seen.push(type);
  })();
  setTimeout(() => stop.abort(), 20);
  await listening;
  expect(seen).toEqual(['call.started']);
  expect(isClosed).toBe(true);
}, 5_000);
