import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { explainTask, viewTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { previewPlan } from '../../src/planning/preview/preview-plan.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { type RecordingService, startService } from '../fixtures/servers/recording-service.js';

const SECRET = 'c4nary-hunter2-of-a-provider';
const ROTATED = 'c4nary-hunter2-after-rotation';

/** Prints a value of a file; where `broken` says so, fails that many times, and prints it on stderr. */
const GIVE = `#!/bin/sh
echo "$1" >> runs.log
left=$(cat broken 2>/dev/null || echo 0)
if [ "$left" -gt 0 ]; then
  echo $((left - 1)) > broken
  echo "debug: $(cat "values/$1")" >&2
  exit 3
fi
cat "values/$1"
`;

let project: RunningProject;
let service: RecordingService;

const uses = (key: string, code: string, more: JsonObject = {}) =>
  scriptAbility(key, `scripts/${key}.mjs`, code, {
    script: { args: [], env: { TOKEN: 'fresh:script' }, env_profile: 'plain' },
    more,
  });

beforeAll(async () => {
  service = await startService();
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: {}, test: {} }',
      `secrets:
  kept: { command: [./give.sh, "{path}"], ttl: 1h, env: { pass: [PATH] } }
  fresh: { command: [./give.sh, "{path}"], ttl: 1ms }
  fielded: { command: [./give.sh, "{path}-{field}"], ttl: 1h }
`,
    ),
    'give.sh': GIVE,
    ...Object.fromEntries(
      ['script', 'api', 'mcp', 'hook', 'db-password', 'late'].map((name) => [`values/${name}`, `${SECRET}\n`]),
    ),
    ...config('profiles', {
      env_profiles: { plain: { pass: ['PATH'] }, secret: { pass: ['PATH'], secrets: { TOKEN: 'kept:mcp' } } },
      mcp_servers: { tools: { command: process.execPath, args: [MCP_PROGRAMS.stdio], env_profile: 'secret' } },
    }),
    ...uses(
      'p.script',
      'console.error("it is " + process.env.TOKEN); console.log(JSON.stringify(process.env.TOKEN.length));',
    ),
    ...uses('p.fails', 'console.error("it is " + process.env.TOKEN); process.exit(1);', { effects: 'destructive' }),
    ...uses('p.gives', 'console.log(JSON.stringify({ token: process.env.TOKEN }));'),
    ...apiAbility(
      'p.api',
      service.origin,
      { path: '/api', headers: { authorization: 'Bearer {credential:t}' } },
      {
        settings: { credentials: { t: 'fielded:db#password' } },
      },
    ),
    ...apiAbility(
      'p.late',
      service.origin,
      { path: '/late', headers: { authorization: 'Bearer {credential:t}' } },
      {
        settings: { credentials: { t: 'fresh:late' } },
      },
    ),
    ...mcpAbility('p.mcp', { server: 'tools', tool: 'leak' }),
    ...scriptAbility('p.hooked', 'scripts/hooked.mjs', 'console.log(1);', {
      script: { args: [] },
      more: { hooks: { pre_call: ['asks'] } },
    }),
    'registry/high-level/gives_and_waits.yaml': `id: gives_and_waits
type: workflow
version: 1
summary: Waits after a call.
steps:
  - { id: give, call: p.gives }
  - { id: on, wait: { signal: "on", timeout: 1m } }
output: { token: "\${{ steps.give.output.token }}" }
`,
    'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
      hooks: [{ id: 'asks', handler: { script: { path: 'hooks/asks.mjs', env: { TOKEN: 'kept:hook' } } } }],
    }),
    'hooks/asks.mjs': `console.log(JSON.stringify({ guard_decision: 'deny', reason: 'it is ' + process.env.TOKEN }));`,
  });
  const { chmodSync } = await import('node:fs');
  chmodSync(join(project.root, 'give.sh'), 0o755);
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});
beforeEach(() => project.write({ broken: '0\n' }));

const runs = (): string[] => {
  const file = join(project.root, 'runs.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

/** All that is kept of a task: history, record and logs, what is shown of it. */
async function keptOf(id: string): Promise<string> {
  const { connection, root } = project;
  const handle = connection.temporal.workflow.getHandle(id);
  const folder = join(root, '.system/implement', id);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'));
  const shown = [await viewTask(connection, id), await explainTask(connection, id)];
  return [historyToJSON(await handle.fetchHistory()), ...files, JSON.stringify(shown)].join('\n');
}

describe('a secret of a provider', () => {
  test('reaches a script, and is masked in its log and record', async () => {
    const { id } = await project.create('p.script');
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded', output: SECRET.length } });
    const kept = await keptOf(id);
    expect(kept).toContain('it is ***');
    expect(kept).toContain('fresh:script');
    expect(kept).not.toContain('hunter2');
  });

  test('is masked in the error of a script that fails', async () => {
    const { id } = await project.create('p.fails');
    const end = await project.wait(id);
    expect(end).toMatchObject({
      result: { error: { code: 'script.exit', message: expect.stringContaining('it is ***') } },
    });
    expect(await keptOf(id)).not.toContain('hunter2');
  });

  test('reaches a request, by path and field', async () => {
    expect(await project.run('p.api')).toMatchObject({ status: 'succeeded' });
    expect(service.requestsOf('/api')[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(runs()).toContain('db-password');
  });

  test('reaches an MCP server, and is masked in what its tool fails with', async () => {
    const { id } = await project.create('p.mcp');
    expect(await project.wait(id)).toMatchObject({
      result: { error: { message: expect.stringContaining('it is ***') } },
    });
    expect(await keptOf(id)).not.toContain('hunter2');
  });

  test('reaches a hook, and is masked in its answer', async () => {
    const { id } = await project.create('p.hooked');
    expect(await project.wait(id)).toMatchObject({
      result: { error: { code: 'guard.denied', message: expect.stringContaining('it is ***') } },
    });
    expect(await keptOf(id)).not.toContain('hunter2');
  });

  test('is masked in the record of a task that another worker ends, which never read it', async () => {
    const { id } = await project.create('gives_and_waits');
    const handle = project.connection.temporal.workflow.getHandle(id);
    await vi.waitFor(async () =>
      expect(historyToJSON(await handle.fetchHistory())).toContain('ACTIVITY_TASK_COMPLETED'),
    );
    await project.restartWorkers();
    await handle.signal('on');
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    const record = readFileSync(join(project.root, '.system/implement', id, 'record.json'), 'utf8');
    expect(record).toContain('"token": "***"');
    expect(record).not.toContain('hunter2');
  });

  test('is kept for its ttl, over tasks; then it is read again, so that one that was changed is used', async () => {
    await project.run('p.api');
    const before = runs().filter((path) => path === 'db-password').length;
    await Promise.all([project.run('p.api'), project.run('p.api')]);
    expect(runs().filter((path) => path === 'db-password')).toHaveLength(before);
    project.write({ 'values/late': `${ROTATED}\n` });
    await project.run('p.late');
    expect(service.requestsOf('/late').at(-1)?.headers.authorization).toBe(`Bearer ${ROTATED}`);
  });
});

describe('a provider that fails', () => {
  test('refuses a task before it is created, and shows nothing that it printed', async () => {
    project.write({ broken: '9\n' });
    const end = await project.create('p.late', {}, { key: 'refused-1' }).then(
      ({ id }) => project.wait(id),
      (error: unknown) => error,
    );
    const said = JSON.stringify(end, Object.getOwnPropertyNames(end));
    expect(said).toContain('secret.unavailable');
    expect(said).toContain('exit code 3');
    expect(said).not.toContain('hunter2');
    expect(
      service.requestsOf('/late').filter(({ headers }) => headers['idempotency-key']?.includes('refused-1')),
    ).toEqual([]);
    project.write({ broken: '0\n' });
    expect(await project.run('p.late', {}, { key: 'refused-1' })).toMatchObject({ status: 'succeeded' });
  });

  test('fails an attempt of a call, which is made again as the ability allows', async () => {
    const { id } = await project.create('p.late', {}, { run: false });
    project.write({ broken: '1\n' });
    await project.connection.temporal.workflow.getHandle(id).signal('run');
    const end = await project.wait(id);
    expect(end).toMatchObject({ result: { status: 'succeeded', steps: [{ attempts: 2 }] } });
    expect(await keptOf(id)).not.toContain('hunter2');
  });

  test('fails a call that may be made once only, which had no effect', async () => {
    const { id } = await project.create('p.fails', {}, { run: false });
    project.write({ broken: '9\n' });
    await project.connection.temporal.workflow.getHandle(id).signal('run');
    const end = await project.wait(id);
    expect(end).toMatchObject({ result: { status: 'failed', error: { code: 'secret.unavailable' } } });
    expect(await keptOf(id)).not.toContain('hunter2');
  });
});

test('a preview shows the reference and runs nothing', () => {
  const before = runs().length;
  const registry = loadRegistry(project.root);
  const user = { name: 'ada', source: 'claimed' } as const;
  const preview = previewPlan(registry, { ability: 'p.late', environment: 'dev', input: {}, user, env: process.env });
  expect(preview.problems).toEqual([]);
  expect(preview.operations[0]?.credentials).toEqual([{ reference: 'fresh:late', what: 'credential t', is_set: null }]);
  expect(runs()).toHaveLength(before);
});
