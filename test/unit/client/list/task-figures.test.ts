import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/index.js';
import { readEnds } from '../../../../src/client/list/task-figures.js';

const at = (seconds: number): Date => new Date(Date.parse('2026-11-23T12:00:00Z') + seconds * 1000);

/** A connection whose list has these runs. */
function listing(found: { key: string; status: string; from: number; to: number; attribute?: string }[]) {
  const queries: string[] = [];
  const list = async function* ({ query }: { query: string }) {
    queries.push(query);
    const isEarlier = query.startsWith("ExecutionStatus = 'ContinuedAsNew'");
    for (const { key, status, from, to, attribute = '' } of found) {
      if ((status === 'CONTINUED_AS_NEW') !== isEarlier || (isEarlier && !query.includes(`'${key}'`))) continue;
      yield {
        workflowId: key,
        runId: `${key}-${from}`,
        type: 'does',
        status: { name: status },
        searchAttributes: { AbilityEnvironment: ['dev'], AbilityStatus: [attribute] },
        startTime: at(from),
        closeTime: at(to),
      };
    }
  };
  return { queries, connection: { project: 'acme', temporal: { workflow: { list } } } as unknown as Connection };
}

test('a task whose history was continued has lasted since its first run began', async () => {
  const { connection, queries } = listing([
    { key: 'long', status: 'CONTINUED_AS_NEW', from: 0, to: 50 },
    { key: 'long', status: 'CONTINUED_AS_NEW', from: 50, to: 90 },
    { key: 'long', status: 'COMPLETED', from: 90, to: 100 },
    { key: 'short', status: 'FAILED', from: 98, to: 100, attribute: 'timed_out' },
  ]);
  expect(await readEnds(connection, at(95))).toEqual([
    { run: 'long-90', ability: 'does', environment: 'dev', status: 'succeeded', seconds: 100 },
    { run: 'short-98', ability: 'does', environment: 'dev', status: 'timed_out', seconds: 2 },
  ]);
  expect(queries[0]).toContain("CloseTime >= '2026-11-23T12:01:35.000Z'");
  expect(queries[0]).toContain('AbilityParent IS NULL');
});

test('many ends are looked up in batches, and nothing is looked up if there are none', async () => {
  const many = Array.from({ length: 120 }, (_, n) => ({ key: `t-${n}`, status: 'COMPLETED', from: n, to: n + 1 }));
  const { connection, queries } = listing(many);
  expect(await readEnds(connection, at(0))).toHaveLength(120);
  expect(queries).toHaveLength(4);
  const none = listing([]);
  expect(await readEnds(none.connection, at(0))).toEqual([]);
  expect(none.queries).toHaveLength(1);
});

test('ends that the caller already has are not looked up again', async () => {
  const many = Array.from({ length: 120 }, (_, n) => ({ key: `t-${n}`, status: 'COMPLETED', from: n, to: n + 1 }));
  const { connection, queries } = listing(many);
  const ends = await readEnds(connection, at(0), (run) => run !== 't-7-7');
  expect(ends.map(({ run }) => run)).toEqual(['t-7-7']);
  expect(queries).toHaveLength(2);
});
