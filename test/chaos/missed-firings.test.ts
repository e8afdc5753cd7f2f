import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSchedule, listSchedules } from '../../src/client/index.js';
import { LONG } from '../fixtures/extent.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { runProject } from '../fixtures/running-project.js';
import { startTemporal } from '../fixtures/temporal-server.js';

test('a server that was down beyond the catch-up is one notice, and is seen in the list', {
  ...LONG,
  timeout: 240_000,
}, async () => {
  const received: { type: string; data: object }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const server = await startTemporal();
  const notify = `notify: [{ on: [schedule.missed], webhook: "env:HOOK", secret: "env:KEY" }]\npolicy: { allowed_hosts: ["127.0.0.1:${port}"] }\n`;
  const project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: {} }', notify),
      '.env': `HOOK=http://127.0.0.1:${port}/\nKEY=whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
      ...workflow('backup', 'steps: [{ id: a, let: { x: 1 } }]'),
    },
    server,
  );
  try {
    const times = { cron: '* * * * *', timezone: 'UTC', overlap: 'skip', jitter_ms: 0, catch_up_ms: 10_000 } as const;
    await createSchedule(project.connection, {
      id: 'backup',
      ability: 'backup',
      environment: 'dev',
      input: {},
      ...times,
    });
    const untilNext = 60_000 - (Date.now() % 60_000);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilNext - 3000)));
    process.kill(server.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    process.kill(server.pid, 'SIGCONT');
    await expect.poll(() => received.length, { timeout: 60_000, interval: 500 }).toBe(1);
    expect(received).toMatchObject([
      { type: 'schedule.missed', data: { schedule: 'backup', status: 'missed', missed: 1, task_key: null } },
    ]);
    expect(await listSchedules(project.connection)).toMatchObject([
      { counts: { missed: 1 }, last: { status: 'missed' } },
    ]);
  } finally {
    await project.stop();
    await server.stop();
    receiver.close();
  }
});
