import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
let server: Server;
const requests: unknown[] = [];

/** A low-level ability that computes its answer from `input` by the body. */
const guard = (key: string, body: string, more: { effects?: string; yaml?: string } = {}) =>
  operation(key, body, { ...more, yaml: `input_schema: { type: object }\n${more.yaml ?? ''}` });
const hook = (id: string, ability: string, phase = '') => `  - { id: ${id}, handler: { ability: ${ability} }${phase} }`;
const bound = (id: string, list: string, hook_id: string) =>
  operation(id, 'return { done: true }', { yaml: `hooks: { ${list}: [${hook_id}] }` });

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      requests.push({ body: JSON.parse(body), token: request.headers['x-token'] });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ guard_decision: 'deny', reason: 'The service says no.' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', `policy: { allowed_hosts: ["127.0.0.1:${port}"] }\n`),
    '.env': 'GUARD_TOKEN=a-token-of-the-guard\n',
    'registry/hooks/PreAbilityCreate.yaml': ['hooks:', hook('create', 'guard.small')].join('\n'),
    'registry/hooks/PreAbilityCall.yaml': [
      'hooks:',
      hook('small', 'guard.small'),
      hook('given', '{ key: guard.given, with: { number: "${{ input.n }}", who: "${{ user.name }}" } }'),
      hook('service', '{ key: guard.service, with: { what: "${{ ability.id }}" } }'),
      hook('unknown_key', '{ key: guard.echo, with: { answer: { guard_decision: allow, decison: deny } } }'),
      hook('unknown_word', '{ key: guard.echo, with: { answer: { guard_decision: maybe } } }'),
      hook('silent', '{ key: guard.echo, with: { answer: {} } }'),
      hook('hangs', '{ key: guard.hangs, timeout_sec: 1 }'),
      hook('crashes', 'guard.crashes'),
      '  - { id: apart }',
    ].join('\n'),
    'registry/config/hooks_impl.yaml': 'hooks: [{ id: apart, impl: { ability_id: guard.small } }]',
    'registry/hooks/PostAbilityCall.yaml': ['hooks:', hook('after', 'guard.log')].join('\n'),
    ...guard(
      'guard.small',
      'return { guard_decision: input.payload.n > 5 ? "deny" : "allow", reason: input.ability_id }',
      {
        yaml: 'hooks: { pre_call: [small] }',
      },
    ),
    ...guard('guard.given', 'return { guard_decision: input.number === 7 && input.who ? "deny" : "allow" }'),
    ...guard('guard.echo', 'return input.answer'),
    ...guard('guard.hangs', 'await sleep(60_000)'),
    ...guard('guard.crashes', 'process.stderr.write("broken inside\\n"); process.exit(3)'),
    ...guard('guard.log', 'return { log: input.payload.status, hook_signals: { risk_alerts: ["x"] } }'),
    'registry/low-level/guard.service.yaml': [
      'operation_key: guard.service',
      'summary: Asks a service.',
      'effects: external_read',
      'input_schema: { type: object }',
      'implementation:',
      '  kind: api',
      '  api:',
      '    endpoint: default',
      '    method: POST',
      '    path: /check',
      '    headers: { X-Token: "{credential:token}" }',
    ].join('\n'),
    'registry/config/abilities.yaml': [
      'abilities:',
      '  - id: guard.service',
      '    environments:',
      '      dev:',
      `        endpoints: { default: "http://127.0.0.1:${port}" }`,
      '        credentials: { token: env:GUARD_TOKEN }',
    ].join('\n'),
    ...bound('op.create', 'pre_create', 'create'),
    ...bound('op.after', 'post_call', 'after'),
    ...Object.assign(
      {},
      ...['small', 'given', 'service', 'unknown_key', 'unknown_word', 'silent', 'hangs', 'crashes', 'apart'].map((id) =>
        bound(`op.${id}`, 'pre_call', id),
      ),
    ),
  });
}, 120_000);
afterAll(async () => {
  await project?.stop();
  server?.close();
});

test.each([
  ['small', 3, 'succeeded'],
  ['small', 9, 'denied'],
  ['apart', 9, 'denied'],
  ['given', 7, 'denied'],
  ['given', 8, 'succeeded'],
])('R-002-11: the ability of the hook %s decides about n = %d: %s', async (id, n, status) => {
  const result = await project.run(`op.${id}`, { n });
  expect(result.status).toBe(status);
  expect(result.hooks).toHaveLength(1);
  expect(result.hooks[0]).toMatchObject({ hook_id: id, status: 'ok', duration_ms: expect.any(Number) });
});

test('the ability reads the EventContext, and its own hooks do not fire', async () => {
  const { error, hooks } = await project.run('op.small', { n: 9 });
  expect(error).toMatchObject({ code: 'guard.denied', message: 'op.small (hook small)' });
  // `guard.small` binds the very hook that it serves.
  expect(hooks.map(({ hook_id }) => hook_id)).toEqual(['small']);
});

test('before creation, a denial prevents the task', async () => {
  await expect(project.run('op.create', { n: 9 })).rejects.toMatchObject({ code: 'guard.denied' });
  expect((await project.run('op.create', { n: 1 })).status).toBe('succeeded');
});

test('a service is called with its credential, which is not exposed', async () => {
  const result = await project.run('op.service', { n: 1 });
  expect(result).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
  expect(requests).toEqual([{ body: { what: 'op.service' }, token: 'a-token-of-the-guard' }]);
  expect(JSON.stringify(result)).not.toContain('a-token-of-the-guard');
});

test('after a call, it only informs', async () => {
  const { id } = await project.create('op.after', {}, { run: true });
  const { result } = (await project.wait(id)) as { result: Awaited<ReturnType<RunningProject['run']>> };
  expect(result.status).toBe('succeeded');
  expect(result.hooks).toMatchObject([{ hook_id: 'after', status: 'ok', infra: { log: 'succeeded' } }]);
  expect(result.warnings.join()).toContain('gave hook_signals');
});

describe('an invalid answer refuses the call, as for a script', () => {
  test.each([
    ['unknown_key', /unknown key: "decison"/],
    ['unknown_word', /no HookResult/],
    ['silent', /decides nothing/],
    ['hangs', /took longer than 1000 ms/],
    ['crashes', /exit code 3/],
  ])('%s', async (id, reason) => {
    const began = performance.now();
    const { status, error } = await project.run(`op.${id}`, { n: 1 });
    expect(performance.now() - began).toBeLessThan(id === 'hangs' ? 4_000 : 15_000);
    expect([status, error?.code]).toEqual(['denied', 'hook.failed']);
    expect(error?.message).toMatch(reason);
  });
});
