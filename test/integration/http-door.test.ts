import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeInput, waitForTask } from '../../src/client/index.js';
import { USUAL_LIMITS } from '../../src/doors/http/http-door.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { listenTo, type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { NO_PROVIDER } from '../fixtures/no-provider.js';
import { operation, projectFile, shellOperation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
let door: OpenDoor;

const ENVIRONMENTS = `
  dev: {}
  strict: { self_approval: false, approve: [destructive], approvers: [alice, bob] }
  proven: { protected: true, approve: [destructive], approvers: [alice], proof: required }`;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(ENVIRONMENTS, 'default_environment: dev\npolicy: { max_file: 200KB }'),
      ...operation('util.echo', 'console.log("logged"); return input;'),
      ...shellOperation('reads', 'cat "$1"', {
        yaml: 'input_schema: { type: object, properties: { page: { type: object, format: file } } }',
        args: ['"${{ input.page }}"'],
        output: 'text',
      }),
      ...operation('db.drop', 'return input;', { effects: 'destructive' }),
      ...operation('only.people', 'return 1;'),
      ...workflow(
        'listens',
        'steps: [{ id: a, call: util.echo, with: { x: 1 } }, { id: ready, wait: { signal: go, timeout: 10m } }]\noutput: "${{ steps.ready.output }}"',
      ),
      ...operation('util.fail', 'throw new Error("no");'),
      ...operation('util.quick', 'return 1;'),
      ...workflow(
        'nested',
        `
steps:
  - { id: inner, call: counts }
  - { id: bad, call: util.fail, retry: { attempts: 1 }, continue_on_error: true }
  - { id: quick, call: util.quick }`,
      ),
      ...workflow('counts', 'steps: [{ id: n, let: { n: 1 } }]'),
      'registry/low-level/util.quick.yaml': [
        'operation_key: util.quick',
        'version: 1',
        'summary: A fast one.',
        'effects: read',
        'implementation: { kind: script, tags: [fast], script: { path: scripts/util.quick.mjs } }',
      ].join('\n'),
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: no_agents, blocking: true, match: { abilities: [only.people], callers: [session] }, handler: { expression: { deny_if: "true", reason: No agents } } }]',
    },
    { proves: true },
  );
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

const post = (path: string, body?: unknown, sent: { token?: string; headers?: Record<string, string> } = {}) =>
  door.call('POST', path, { ...(body !== undefined && { body }), ...sent });
const run = (ability: string, more: object = {}, sent: { token?: string; headers?: Record<string, string> } = {}) =>
  post('/v1/runs', { ability, wait: '60s', ...more }, sent);
const get = (path: string, token?: string) => door.call('GET', path, token === undefined ? {} : { token });

describe('PATCH /v1/tasks/{key}/input (R-000-83, R-000-84)', () => {
  const change = (key: string, body: unknown) => door.call('PATCH', `/v1/tasks/${key}/input`, { body });

  test('changes tasks that were created, which then run in the order of the caller (R-000-79, R-000-80)', async () => {
    const keys: string[] = [];
    for (const n of [1, 2]) {
      const { body } = await post('/v1/tasks', { ability: 'util.echo', input: { n, other: n } });
      keys.push(body.task_key);
    }
    const [first = '', second = ''] = keys;
    expect(await change(second, { set: { n: 20, more: [null] }, unset: ['other'] })).toMatchObject({
      status: 200,
      body: {
        status: 'available',
        task_key: second,
        changed: true,
        fields: ['more', 'n', 'other'],
        input: { n: 20, more: [null] },
      },
    });
    const outputs = [];
    for (const key of [second, first]) {
      outputs.push((await post(`/v1/tasks/${key}/run`, { wait: '60s' })).body.output);
    }
    expect(outputs).toEqual([
      { n: 20, more: [null] },
      { n: 1, other: 1 },
    ]);
    expect(await change(first, { set: { n: 3 } })).toMatchObject({ status: 409, body: { code: 'task.started' } });
  });

  test('refuses what contradicts itself, and tasks that are not there', async () => {
    const { body } = await post('/v1/tasks', { ability: 'util.echo', input: {} });
    expect(await change(body.task_key, { set: { n: 1 }, unset: ['n'] })).toMatchObject({
      status: 400,
      body: { code: 'usage.invalid', detail: 'n cannot be both set and unset' },
    });
    expect(await change('t-none', { set: { n: 1 } })).toMatchObject({ status: 404, body: { code: 'task.not_found' } });
  });
});

describe('POST /v1/files', () => {
  const keep = async (name: string, bytes: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${door.url}/v1/files?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test('stores a file for the input of a task, which then has its bytes', async () => {
    const { status, body: value } = await keep('a/né.txt', 'one\n');
    expect([status, value]).toEqual([
      200,
      { $file: expect.stringMatching(/^[0-9a-f]{64}$/), name: 'a_né.txt', bytes: 4, media_type: 'text/plain' },
    ]);
    const { body } = await run('reads', { input: { page: value } });
    expect(body).toMatchObject({ status: 'succeeded', output: { text: 'one' } });
    // Without bytes, it is a file, too.
    expect(await keep('empty', '')).toMatchObject({ status: 200, body: { bytes: 0 } });
  });

  test('refuses one that is too large, other types, and who may only read', async () => {
    const large = await keep('large', new Uint8Array(200_001));
    expect(large).toMatchObject({ status: 413, body: { code: 'file.too_large' } });
    expect((await keep('type', '{}', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await keep('', 'x')).status).toBe(400);
    expect((await keep('x', 'x', { authorization: `Bearer ${door.token('a', ['read'])}` })).status).toBe(403);
    // Nobody has the file of another task by its digest with a wrong size.
    const { body: value } = await keep('y', 'yy');
    const { body } = await run('reads', { input: { page: { ...value, bytes: 3 } } });
    expect(body).toMatchObject({ code: 'file.not_of_task' });
  });
});

describe('POST /v1/runs', () => {
  test('runs an ability and answers with the output of the command line', async () => {
    const { status, body, headers } = await run('util.echo', { input: { a: [1, null, 'x'] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'succeeded', output: { a: [1, null, 'x'] }, requested_by: { name: 'local' } });
    expect(headers.get('location')).toBe(`/v1/tasks/${body.task_key}`);
    const { json } = await abilityJson(['task', 'result', body.task_key, '--address', project.connection.address], {
      cwd: project.root,
    });
    expect({ ...body, links: json.links }).toEqual(json);
  });

  test('without `wait` answers with the key, by which the caller can follow it', async () => {
    const { status, body } = await post('/v1/runs', { ability: 'counts', intent: 'look  at it' });
    expect([status, body.status]).toEqual([202, 'available']);
    const result = await get(`/v1/tasks/${body.task_key}/result?wait=60s`);
    expect(result).toMatchObject({ status: 200, body: { status: 'succeeded', task_key: body.task_key } });
  });

  test('answers while the task waits for people, or runs longer than the requested time', async () => {
    const pending = await run('db.drop', { environment: 'strict' });
    expect(pending).toMatchObject({
      status: 202,
      body: { status: 'waiting_approval', waiting: { approvals: [expect.any(String)] } },
    });
    await post(`/v1/tasks/${pending.body.task_key}/cancel`);
    const waits = await run('listens', { wait: '1s' });
    expect(waits).toMatchObject({ status: 202, body: { status: 'running', output: null } });
    await post(`/v1/tasks/${waits.body.task_key}/cancel`);
  });

  test.each([
    [{}, 400, 'usage.invalid'],
    [{ ability: 7 }, 400, 'door.bad_request'],
    [{ ability: 'util.echo', inputs: {} }, 400, 'door.bad_request'],
    [{ ability: 'util.echo', input: [] }, 400, 'door.bad_request'],
    [{ ability: 'util.echo', wait: '6m' }, 400, 'door.bad_request'],
    [{ ability: 'util.echo', wait: 'soon' }, 400, 'door.bad_request'],
    [{ ability: 'util.nothing' }, 404, 'ability.not_found'],
    [{ ability: 'util.echo', environment: 'moon' }, 404, 'environment.not_found'],
    [{ ability: 'util.echo', session: 'never' }, 404, 'session.not_found'],
    [{ ability: 'util.echo', plan: 'f'.repeat(64) }, 422, 'plan.changed'],
  ])('answers %j with %d %s', async (body, status, code) => {
    const got = await post('/v1/runs', body);
    expect(got).toMatchObject({ status, body: { status, code, detail: expect.any(String) } });
    expect(got.headers.get('content-type')).toMatch('application/problem+json');
  });
});

describe('an Idempotency-Key is the task key', () => {
  const keyed = (key: string, body: object) => post('/v1/tasks', body, { headers: { 'idempotency-key': key } });

  test('so that the same request is one task, even many at once; another request under it is a conflict', async () => {
    const body = { ability: 'util.echo', input: { n: 1 } };
    const all = await Promise.all(Array.from({ length: 5 }, () => keyed('once', body)));
    for (const one of all) expect(one).toMatchObject({ status: 201, body: { task_key: 'once' } });
    expect(await keyed('once', { ...body, input: { n: 2 } })).toMatchObject({
      status: 409,
      body: { code: 'task.key_conflict' },
    });
    const { body: list } = await get('/v1/tasks?ability=util.echo&status=created');
    expect(list.tasks.filter(({ task_key }: { task_key: string }) => task_key === 'once')).toHaveLength(1);
  });

  test.each(['a/b', '../x', 'a b', '-a'])('and %j is invalid', async (key) => {
    expect(await keyed(key, { ability: 'util.echo' })).toMatchObject({
      status: 400,
      body: { code: 'task.key_invalid' },
    });
  });
});

describe('a task', () => {
  test('is created, shown, run, signalled, read and deleted', async () => {
    const { body: made } = await post('/v1/tasks', { ability: 'listens' });
    const path = `/v1/tasks/${made.task_key}`;
    expect(await get(path)).toMatchObject({ status: 200, body: { status: 'created', source: 'worker' } });
    expect(await post(`${path}/run`)).toMatchObject({ status: 202, body: { status: 'running' } });
    await post(`${path}/signals/go`, { payload: { ok: true } });
    expect(await get(`${path}/result?wait=60s`)).toMatchObject({
      status: 200,
      body: { status: 'succeeded', output: { ok: true } },
    });
    const { body: lines } = await get(`${path}/logs?step=a`);
    expect(lines.map(({ text }: { text: string }) => text)).toContain('logged');
    expect(await post(`${path}/cancel`)).toMatchObject({ status: 409, body: { code: 'task.closed' } });
    expect(await door.call('DELETE', path)).toMatchObject({ status: 200, body: { status: 'deleted', purged: false } });
    expect(await get(path)).toMatchObject({ status: 410, body: { code: 'task.deleted' } });
  });

  test('that does not exist is reported as such, on each route', async () => {
    for (const rest of ['', '/result', '/logs', '/events', '/approvals']) {
      expect(await get(`/v1/tasks/nothing${rest}`)).toMatchObject({ status: 404, body: { code: 'task.not_found' } });
    }
    for (const rest of ['/run', '/cancel']) {
      expect(await post(`/v1/tasks/nothing${rest}`)).toMatchObject({ status: 404, body: { code: 'task.not_found' } });
    }
    expect(await door.call('DELETE', '/v1/tasks/nothing')).toMatchObject({ status: 404 });
  });

  test('is listed with others in pages, each of them once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => post('/v1/tasks', { ability: 'counts' })));
    const keys = made.map(({ body }) => body.task_key as string);
    const seen: string[] = [];
    let cursor = '';
    await expect.poll(async () => (await get('/v1/tasks?ability=counts&status=created')).body.tasks.length).toBe(5);
    for (let part = 0; part < 10; part += 1) {
      const { body } = await get(`/v1/tasks?ability=counts&status=created&limit=2${cursor}`);
      expect(body.tasks.length).toBeLessThanOrEqual(2);
      seen.push(...body.tasks.map(({ task_key }: { task_key: string }) => task_key));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen.sort()).toEqual(keys.sort());
    for (const wrong of ['limit=0', 'limit=x', 'status=odd', 'cursor=$', 'since=yesterday', 'color=red']) {
      expect((await get(`/v1/tasks?${wrong}`)).status).toBe(400);
    }
  });
});

describe('the events of a task', () => {
  test('are sent as they happen to all listeners, and from any event on to a client that reconnects', async () => {
    const { body } = await post('/v1/runs', { ability: 'listens' });
    const key = body.task_key as string;
    const isStep = (type: string) => (event: { event: string }) => event.event === type;
    const first = await listenTo(door, key, { until: isStep('call.ended') });
    expect(first.map(({ event }) => event)).toEqual(['task.created', 'call.started', 'call.ended']);
    expect(first.at(-1)?.data.data).toEqual({ step: 'a', call: 'util.echo', status: 'succeeded' });
    const listening = Promise.all([
      listenTo(door, key),
      listenTo(door, key),
      listenTo(door, key, { last: first.at(-1)?.id ?? '' }),
    ]);
    await post(`/v1/tasks/${key}/signals/go`, { payload: 1 });
    const [one, two, later] = await listening;
    expect(later.map(({ event }) => event)).toEqual(['task.signal', 'task.ended']);
    expect(later.at(-1)?.data.data).toEqual({ status: 'succeeded', error: null });
    expect(one).toEqual([...first, ...later]);
    expect(two).toEqual(one);
    // Long after its end the same events are sent, and nothing after the last one.
    expect(await listenTo(door, key)).toEqual(one);
    expect(await listenTo(door, key, { last: first[0]?.id ?? '' })).toEqual(one.slice(1));
    expect(await listenTo(door, key, { last: later.at(-1)?.id ?? '' })).toEqual([]);
  });

  test('report which calls failed, also fast ones and those of called tasks', async () => {
    const { body } = await run('nested');
    const key = body.task_key as string;
    const seen = (await listenTo(door, key)).map(({ event, data }) => [event, data.data]);
    expect(seen).toEqual([
      ['task.created', { ability: 'nested' }],
      ['child.started', { step: 'inner', call: 'counts', task: `${key}/inner` }],
      ['child.ended', { step: 'inner', call: 'counts', task: `${key}/inner`, status: 'succeeded' }],
      ['call.started', { step: 'bad', call: 'util.fail' }],
      [
        'call.ended',
        { step: 'bad', call: 'util.fail', status: 'failed', error: expect.objectContaining({ code: 'script.exit' }) },
      ],
      ['call.ended', { step: null, call: 'util.quick', status: 'succeeded' }],
      ['task.ended', { status: 'succeeded', error: null }],
    ]);
    const inner = await listenTo(door, encodeURIComponent(`${key}/inner`));
    expect(inner.map(({ event }) => event)).toEqual(['task.created', 'task.ended']);
  });

  test('continue over the runs of a task whose input was changed', LONG, async () => {
    const { body } = await post('/v1/tasks', { ability: 'util.echo', input: { n: 1 } });
    const key = body.task_key as string;
    const by = { name: 'local', source: 'claimed' } as const;
    await changeInput(project.connection, key, { set: { n: 2 }, unset: [], by });
    await post(`/v1/tasks/${key}/run`, { wait: '60s' });
    const all = await listenTo(door, key);
    expect(all.map(({ event }) => event)).toEqual([
      'task.created',
      'task.changed',
      'task.run',
      'call.started',
      'call.ended',
      'task.ended',
    ]);
    expect(new Set(all.map(({ id }) => id.split('.')[0])).size).toBe(2);
    for (const [at, { id }] of all.entries())
      expect(await listenTo(door, key, { last: id })).toEqual(all.slice(at + 1));
  });

  test('are refused after an event of another task', async () => {
    const { body: one } = await run('counts');
    const { body: other } = await run('counts');
    const [event] = await listenTo(door, other.task_key);
    for (const last of ['x', '1', event?.id ?? '']) {
      await expect(listenTo(door, one.task_key, { last })).rejects.toThrow(/^400: .*usage\.invalid/);
    }
  });

  test('have a limited number of listeners', async () => {
    const small = await openDoor(project.connection, {
      limits: { ...USUAL_LIMITS, streams: 1 },
    });
    const { body } = await post('/v1/runs', { ability: 'listens' });
    let begin = (): void => {};
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const listening = listenTo(small, body.task_key, {
      until: ({ event }) => {
        begin();
        return event === 'task.ended';
      },
    });
    await started;
    const got = await small.call('GET', `/v1/tasks/${body.task_key}/events`);
    expect(got).toMatchObject({ status: 429, body: { code: 'door.too_many' } });
    expect(got.headers.get('retry-after')).toBe('5');
    await post(`/v1/tasks/${body.task_key}/cancel`);
    expect((await listening).at(-1)).toMatchObject({ event: 'task.ended', data: { data: { status: 'cancelled' } } });
    await small.close();
  });
});

test(
  '200 listeners of one task each receive all of its events in order, over one request to Temporal',
  LONG,
  async () => {
    const { body } = await post('/v1/runs', { ability: 'listens' });
    const requests = vi.spyOn(project.connection.temporal.workflowService, 'getWorkflowExecutionHistory');
    try {
      const countRequests = (): number =>
        requests.mock.calls.filter(([{ execution }]) => execution?.workflowId === body.task_key).length;
      let connected = 0;
      const all = Array.from({ length: 200 }, () => {
        let first = true;
        return listenTo(door, body.task_key, {
          until: ({ event }) => {
            if (first) connected += 1;
            first = false;
            return event === 'task.ended';
          },
        });
      });
      await expect.poll(() => connected, { timeout: 20_000 }).toBe(200);
      expect(countRequests()).toBeLessThan(10);
      await post(`/v1/tasks/${body.task_key}/cancel`);
      const [one, ...others] = await Promise.all(all);
      expect(one?.at(-1)).toMatchObject({ event: 'task.ended', data: { data: { status: 'cancelled' } } });
      for (const other of others) expect(other).toEqual(one);
      expect(countRequests()).toBeLessThan(20);
    } finally {
      requests.mockRestore();
    }
  },
);

describe('approvals', () => {
  const createWaiting = async (environment: string, token?: string) => {
    const { body } = await run('db.drop', { environment }, token === undefined ? {} : { token });
    expect(body.status).toBe('waiting_approval');
    const key = body.task_key as string;
    const id = body.waiting.approvals[0] as string;
    return { key, id, path: `/v1/tasks/${key}/approvals/${id}` };
  };

  test('are listed, shown, and decided with a token of an approver', async () => {
    const { key, id, path } = await createWaiting('strict');
    await expect
      .poll(async () => (await get('/v1/approvals?environment=strict')).body.map((one: { id: string }) => one.id))
      .toContain(id);
    expect((await get(`/v1/tasks/${key}/approvals`)).body).toMatchObject([{ id, approvers: ['alice', 'bob'] }]);
    expect(await post(path, { decision: 'approve' })).toMatchObject({ status: 401 });
    const got = await post(path, { decision: 'approve', comment: 'fine' }, { token: door.token('alice') });
    expect(got).toMatchObject({
      status: 200,
      body: { task_key: key, approval_id: id, status: 'approved', missing: 0 },
    });
    const { body } = await get(`/v1/tasks/${key}/result?wait=60s`);
    expect(body.approvals[0].decisions).toMatchObject([{ by: { name: 'alice', source: 'claimed' }, comment: 'fine' }]);
  });

  test('that require proof are given with a token, end to end', async () => {
    const { key, path } = await createWaiting('proven');
    expect(await post(path, { decision: 'approve' }, { token: door.token('alice') })).toMatchObject({ status: 200 });
    const { body } = await get(`/v1/tasks/${key}/result?wait=60s`);
    expect(body).toMatchObject({
      status: 'succeeded',
      approvals: [{ decisions: [{ by: { name: 'alice', source: 'token' } }] }],
    });
  });

  test('are denied, and returned with requested changes', async () => {
    const denied = await createWaiting('proven');
    await post(denied.path, { decision: 'deny', comment: 'no' }, { token: door.token('alice') });
    expect((await get(`/v1/tasks/${denied.key}/result?wait=60s`)).body).toMatchObject({
      status: 'denied',
      error: { code: 'approval.denied' },
    });
    const back = await createWaiting('proven');
    const alice = door.token('alice');
    expect(await post(back.path, { decision: 'request_changes' }, { token: alice })).toMatchObject({
      status: 409,
      body: { code: 'approval.ignored' },
    });
    await post(back.path, { decision: 'request_changes', comment: 'less' }, { token: alice });
    expect((await get(`/v1/tasks/${back.key}/result?wait=60s`)).body.error).toMatchObject({
      code: 'approval.changes_requested',
    });
  });

  test('treat a request of an agent as a request of its person', async () => {
    const agent = door.token('alice', ['read', 'run'], { agent: 'bot' });
    const { key, path } = await createWaiting('strict', agent);
    expect((await get(`/v1/tasks/${key}`)).body.requested_by).toMatchObject({ name: 'alice' });
    expect(await post(path, { decision: 'approve' }, { token: agent })).toMatchObject({
      status: 403,
      body: { code: 'door.forbidden' },
    });
    const own = await post(path, { decision: 'approve' }, { token: door.token('alice') });
    expect(own).toMatchObject({ status: 409, body: { code: 'approval.ignored' } });
    expect(own.body.detail).toMatch(/alice asked for it/);
    expect(await post(path, { decision: 'approve' }, { token: door.token('bob') })).toMatchObject({ status: 200 });
  });

  test('are given on the command line with ABILITY_TOKEN, and with no other token', async () => {
    const { key, id } = await createWaiting('proven');
    const { root: cwd, connection } = project;
    const approve = (token: string, ...more: string[]) =>
      abilityJson(['approve', key, '--address', connection.address, ...more], { cwd, env: { ABILITY_TOKEN: token } });
    const codes = async (token: string, ...more: string[]) => (await approve(token, ...more)).json.error?.code;
    expect(await codes('abt_x')).toBe('door.unauthenticated');
    expect(await codes(door.token('alice', ['read', 'run']))).toBe('door.forbidden');
    expect(await codes(door.token('alice', ['run'], { agent: 'bot' }))).toBe('approval.by_agent');
    expect(await codes(door.token('alice'), '--as', 'bob')).toBe('approval.unproved');
    expect((await get(`/v1/tasks/${key}/approvals`)).body).toMatchObject([{ id, decisions: [], ignored: [] }]);
    await post(`/v1/tasks/${key}/cancel`);
  });
});

describe('the caller', () => {
  test('is a person, an agent in a session of its token, or unknown, so that every guard applies (R-000-82)', async () => {
    const person = await run('only.people', {}, { token: door.token('alice') });
    expect(person.body).toMatchObject({ status: 'succeeded', requested_by: { name: 'alice' } });
    expect(person.body).not.toHaveProperty('_meta');
    const agent = door.token('alice', ['read', 'run'], { agent: 'bot' });
    const [one, two] = [await run('only.people', {}, { token: agent }), await run('util.echo', {}, { token: agent })];
    expect(one.body).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(one.body._meta.session_id).toBe(two.body._meta.session_id);
    const { body: session } = await get(`/v1/sessions/${one.body._meta.session_id}`);
    expect(session.tasks.map(({ task_key }: { task_key: string }) => task_key).sort()).toEqual(
      [one.body.task_key, two.body.task_key].sort(),
    );
    const other = await run('util.echo', {}, { token: door.token('alice', ['run'], { agent: 'bot' }) });
    expect(other.body._meta.session_id).not.toBe(one.body._meta.session_id);
    expect((await run('only.people')).body).toMatchObject({ status: 'denied' });
    const planned = async (token: string) =>
      (await post('/v1/abilities/only.people/plan', {}, { token })).body.steps[0].call.hooks;
    expect(await planned(agent)).toMatchObject([{ id: 'no_agents', decision: 'deny' }]);
    expect(await planned(door.token('alice'))).toEqual([]);
  });

  test('has the rights of the token, and no others', async () => {
    const only = {
      read: door.token('a', ['read']),
      run: door.token('a', ['run']),
      approve: door.token('a', ['approve']),
    };
    const statusesOf = async (token: string) => [
      (await get('/v1/tasks', token)).status,
      (await post('/v1/tasks', { ability: 'counts' }, { token })).status,
      (await post('/v1/tasks/none/approvals/none', { decision: 'deny' }, { token })).status,
    ];
    expect(await statusesOf(only.read)).toEqual([200, 403, 403]);
    expect(await statusesOf(only.run)).toEqual([403, 201, 403]);
    expect(await statusesOf(only.approve)).toEqual([403, 403, 404]);
  });

  test('an agent whose session has ended gets another one', async () => {
    const token = door.token('alice', ['read', 'run'], { agent: 'bot' });
    const { body: first } = await run('counts', {}, { token });
    await post(`/v1/sessions/${first._meta.session_id}/stop`);
    const { body: second } = await run('counts', {}, { token });
    expect(second).toMatchObject({ status: 'succeeded' });
    expect(second._meta.session_id).not.toBe(first._meta.session_id);
  });
});

describe('abilities', () => {
  test.each([
    ['/v1/abilities', ['list']],
    ['/v1/abilities/listens', ['show', 'listens']],
    ['/v1/abilities/listens/graph', ['graph', 'listens']],
    ['/v1/pages', ['list', '--pages']],
  ])('GET %s answers with the output of `ability %j`', async (path, args) => {
    const { json } = await abilityJson(args, { cwd: project.root });
    expect((await get(path)).body).toEqual(json);
  });

  test('have pages, answered as they are now (R-000-01)', async () => {
    project.write({ 'modules/users/ABILITY.md': '# Users\n' });
    expect((await get('/v1/pages')).body).toEqual({ pages: [{ path: 'modules/users/ABILITY.md', text: '# Users\n' }] });
    project.write({ 'modules/users/ABILITY.md': '# Users now\n' });
    const shown = await ability(['list', '--pages'], { cwd: project.root });
    expect(shown.stdout).toBe('modules/users/ABILITY.md\n\n# Users now');
  });

  test('are planned without running', async () => {
    const { status, body } = await post('/v1/abilities/db.drop/plan', { input: {}, environment: 'strict' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'available', code: null });
    const { json } = await abilityJson(['plan', 'db.drop', '--env', 'strict'], { cwd: project.root });
    expect(Object.keys(body)).toEqual(Object.keys(json));
    expect(await post('/v1/abilities/none/plan')).toMatchObject({ status: 404 });
  });
});

test('sessions are started, prompted, shown and stopped', async () => {
  const { status, body } = await post('/v1/sessions', { scope: 'integration', idle: '1h' });
  expect([status, body.attached]).toEqual([201, false]);
  const path = `/v1/sessions/${body.session_id}`;
  expect((await post(`${path}/prompts`, { prompt: 'go on' })).body).toMatchObject({ turn_index: 1 });
  const { body: ran } = await run('counts', { session: body.session_id });
  expect(ran.status).toBe('succeeded');
  expect((await get(path)).body).toMatchObject({ status: 'open', tasks: [{ task_key: ran.task_key }] });
  expect((await post(`${path}/stop`)).body).toMatchObject({ status: 'stopped' });
  expect(await post(`${path}/prompts`, { prompt: 'more' })).toMatchObject({
    status: 409,
    body: { code: 'session.stopped' },
  });
});

test('without a token, only the health and the description of the door are available', async () => {
  const closed = await openDoor(project.connection, { authentication: { ...NO_PROVIDER, findToken: () => undefined } });
  expect(await closed.call('GET', '/v1/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  const description = await fetch(`${closed.url}/v1/openapi.json`);
  expect(await description.json()).toMatchObject({ openapi: '3.1.0' });
  const got = await closed.call('GET', '/v1/abilities');
  expect(got).toMatchObject({ status: 401, body: { code: 'door.unauthenticated' } });
  expect(got.headers.get('www-authenticate')).toBe('Bearer');
  expect(await closed.call('GET', '/v1/nothing')).toMatchObject({ status: 404, body: { code: 'door.no_route' } });
  expect(await closed.call('PUT', '/v1/tasks')).toMatchObject({ status: 404, body: { code: 'door.no_route' } });
  await closed.close();
});

test('of more calls than a caller may make at once, the rest is refused, and accepted ones are carried out', async () => {
  const small = await openDoor(project.connection, {
    limits: { ...USUAL_LIMITS, rate: { burst: 10, perSecond: 1 } },
  });
  const all = await Promise.all(
    Array.from({ length: 50 }, () => small.call('POST', '/v1/runs', { body: { ability: 'counts' } })),
  );
  const accepted = all.filter(({ status }) => status === 202);
  expect(accepted.length).toBeGreaterThanOrEqual(10);
  expect(accepted.length).toBeLessThan(20);
  for (const { status, headers } of all.filter((one) => !accepted.includes(one))) {
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  }
  for (const { body } of accepted) {
    expect(await waitForTask(project.connection, body.task_key, {})).toMatchObject({ result: { status: 'succeeded' } });
  }
  await small.close();
});
