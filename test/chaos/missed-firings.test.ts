import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSchedule } from '../../src/client/index.js';
import { ability } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { runProject } from '../fixtures/running-project.js';
import { startTemporal } from '../fixtures/temporal-server.js';

const GUARD = `
hooks:
  - id: no_guarded
    blocking: true
    match: { abilities: [guarded] }
    handler: { expression: { deny_if: 'true', reason: Nothing at night. } }
`;

test('a night: a secret gone, a broken definition, a guard that denies, a server that was down: four notices, four lines', {
  ...LONG,
  timeout: 240_000,
}, async () => {
  const received: { type: string; data: { schedule: string; status: string; error?: { code: string } } }[] = [];
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
  const notify = `notify: [{ on: [schedule.refused, schedule.missed], webhook: "env:HOOK", secret: "env:KEY" }]\npolicy: { allowed_hosts: ["127.0.0.1:${port}"] }\n`;
  const fine = 'steps: [{ id: a, let: { x: 1 } }]';
  const project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: {} }', notify),
      '.env': `HOOK=http://127.0.0.1:${port}/\nKEY=whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
      'registry/config/gone.yaml': 'env_profiles: { gone: { secrets: { GONE: "env:GONE" } } }\n',
      ...operation('op.gone', 'return 1;', { script: ', env_profile: gone' }),
      ...workflow('backup', 'steps: [{ id: a, call: op.gone }]'),
      ...workflow('broken', 'steps: 3'),
      ...workflow('guarded', fine),
      ...workflow('report', fine),
      'registry/hooks/PreAbilityCreate.yaml': GUARD,
    },
    server,
  );
  try {
    const untilNext = () => 60_000 - (Date.now() % 60_000);
    // Not so close to the minute that a schedule is created after it.
    if (untilNext() < 10_000) await new Promise((resolve) => setTimeout(resolve, untilNext() + 100));
    const times = { cron: '* * * * *', timezone: 'UTC', overlap: 'skip', jitter_ms: 0 } as const;
    for (const id of ['backup', 'broken', 'guarded', 'report']) {
      const about = { id, ability: id, environment: 'dev', input: {} };
      await createSchedule(project.connection, { ...about, ...times, catch_up_ms: id === 'report' ? 10_000 : 600_000 });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilNext() - 3000)));
    process.kill(server.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    process.kill(server.pid, 'SIGCONT');
    const kinds = () => new Set(received.map(({ data: { schedule } }) => schedule));
    await expect.poll(() => kinds().size, { timeout: 60_000, interval: 500 }).toBe(4);
    const first = (id: string) => received.find(({ data }) => data.schedule === id);
    expect(['backup', 'broken', 'guarded'].map((id) => [first(id)?.type, first(id)?.data.error?.code])).toEqual([
      ['schedule.refused', 'config.missing_credential'],
      ['schedule.refused', 'definition.invalid'],
      ['schedule.refused', 'guard.denied'],
    ]);
    expect(first('report')).toMatchObject({
      type: 'schedule.missed',
      data: { status: 'missed', missed: 1, task_key: null },
    });
    const { address } = project.connection;
    const listed = await ability(['schedule', 'list'], { cwd: project.root, env: { TEMPORAL_ADDRESS: address } });
    const ends = listed.stdout
      .split('\n')
      .slice(1)
      .map((line) => /(refused|missed)( [a-z_]+\.[a-z_]+)?/.exec(line)?.[0]);
    expect(ends).toEqual([
      'refused config.missing_credential',
      expect.stringMatching(/^refused /),
      'refused guard.denied',
      'missed',
    ]);
  } finally {
    await project.stop();
    await server.stop();
    receiver.close();
  }
});
