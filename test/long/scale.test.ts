import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTemporal } from '../fixtures/temporal-server.js';
import { runAtScale, scaleTable } from '../postgres/scale.js';

/** The whole is `npm run test:scale`: PostgreSQL, a bucket, 10,000 tasks. */
test('four workers of two builds, one of which is killed, lose none of 200 tasks and make none twice', {
  timeout: 300_000,
}, async () => {
  const server = await startTemporal();
  const store = mkdtempSync(join(tmpdir(), 'ability-scale-'));
  try {
    const runs = await runAtScale({
      address: server.address,
      shared: { temporal: () => [server.pid] },
      store: { address: store, env: {} },
      one: 100,
      four: 200,
      clients: 20,
    });
    process.stdout.write(`${scaleTable(runs)}\n`);
    for (const run of [runs.one, runs.four]) expect([run.wrong, run.notOnce]).toEqual([[], []]);
    const { one = 0, two = 0 } = runs.four.byBuild;
    expect([one > 0, two > 0, one + two]).toEqual([true, true, 200]);
  } finally {
    await server.stop();
    rmSync(store, { recursive: true, force: true });
  }
});
