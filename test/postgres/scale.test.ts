import { mkdirSync, writeFileSync } from 'node:fs';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, inject, test } from 'vitest';
import { startS3 } from '../fixtures/servers/s3-server.js';
import { startPostgres } from './postgresql.js';
import { startRealTemporal } from './real-temporal.js';
import { runAtScale, scaleTable } from './scale.js';

/** `TASKS=500 npm run test:scale` is a shorter run. */
const TASKS = Number(process.env.TASKS ?? 10_000);
const BUCKET = 'scale';

const real = inject('real');
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';

test.skipIf('missing' in real)(
  `on PostgreSQL and a bucket, four workers of two builds lose none of ${TASKS} tasks and make none twice${why}`,
  async () => {
    if ('missing' in real) return;
    const s3 = await startS3();
    if (!s3.server) throw new Error(s3.why);
    const database = await startPostgres(real.postgres);
    const temporal = await startRealTemporal(real.programs, database);
    try {
      Object.assign(process.env, s3.server.env);
      const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      const runs = await runAtScale({
        address: temporal.address,
        shared: {
          temporal: () => temporal.pids() ?? [],
          postgresql: () => database.pids() ?? [],
          bucket: () => [s3.server.pid],
        },
        store: { address: `s3://${BUCKET}/team`, env: s3.server.env },
        one: Math.max(100, TASKS / 10),
        four: TASKS,
        clients: 50,
      });
      process.stdout.write(`${scaleTable(runs)}\n`);
      mkdirSync('coverage', { recursive: true });
      writeFileSync('coverage/scale.json', JSON.stringify(runs, null, 2));
      for (const run of [runs.one, runs.four]) expect([run.wrong, run.notOnce]).toEqual([[], []]);
      const { one = 0, two = 0 } = runs.four.byBuild;
      expect([one > 0, two > 0, one + two]).toEqual([true, true, TASKS]);
    } finally {
      await temporal.stop();
      await database.stop();
      await s3.server.stop();
    }
  },
  3 * 60 * 60_000,
);
