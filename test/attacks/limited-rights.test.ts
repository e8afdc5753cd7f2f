import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSchedule, decide, listGrants, listTasks, pauseSchedule, readApprovals } from '../../src/client/index.js';
import type { RightLimits, Rights } from '../../src/contracts/access.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { ScheduleSpec } from '../../src/contracts/schedules.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { callerHere, projectHere } from '../../src/operations/in-process.js';
import { allOperations, OPERATIONS, type Operations } from '../../src/operations/operations.js';
import { runOperation } from '../../src/operations/run-operation.js';
import { GapLog } from '../../src/server/logs/gap-log.js';
import { type DoorResponse, type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { connectOverHttp, type HttpAgent } from '../fixtures/mcp-agent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const WAITS = 'steps: [{ id: ready, wait: { signal: go, timeout: 10m } }]';
const EFFECT = { effects: 'write_additive' };
/** The tokens of these tests hold for `report.*` in dev. */
const WITHIN: RightLimits = { environments: ['dev'], abilities: ['report.*'] };

let project: RunningProject;
let door: OpenDoor;
let token: string;
/** Keys of tasks: one that the token is for, and others. */
let keys: Record<'own' | 'other' | 'elsewhere' | 'parent', string>;
/** The id of the approval that the parent waits for: that of a called task. */
let asked: string;
/** The id of a grant for another ability. */
let granted: string;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(
      '\n  dev: { approve: [destructive] }\n  prod: { approve: [destructive] }',
      'default_environment: dev',
    ),
    ...operation('report.daily', "appendFileSync('written.log', 'r'); return 1;", EFFECT),
    ...operation('reports.x', "appendFileSync('written.log', 'x'); return 1;", EFFECT),
    ...operation('db.drop', "appendFileSync('written.log', 'd'); return 1;", { effects: 'destructive' }),
    ...operation('db.vacuum', 'return 1;', { effects: 'destructive' }),
    ...workflow('db.granted', 'steps: [{ id: v, call: db.vacuum }, { id: ready, wait: { signal: go, timeout: 10m } }]'),
    ...workflow('report.waits', WAITS),
    ...workflow('db.waits', WAITS),
    ...workflow('db.asks', 'steps: [{ id: drop, call: db.drop }]'),
    ...workflow('report.parent', 'steps: [{ id: inner, call: db.asks }]'),
    'ABILITY.md': '# All abilities, with db.drop\n',
  });
  door = await openDoor(project.connection);
  token = door.token('support', ['read', 'run', 'approve'], { within: WITHIN });
  const start = async (ability: string, environment: string) => (await project.create(ability, {}, { environment })).id;
  keys = {
    own: await start('report.waits', 'dev'),
    other: await start('db.waits', 'dev'),
    elsewhere: await start('report.waits', 'prod'),
    parent: await start('report.parent', 'dev'),
  };
  for (const [id, ability, environment] of [
    ['mine', 'report.daily', 'dev'],
    ['theirs', 'db.waits', 'dev'],
    ['far', 'report.daily', 'prod'],
  ] as const) {
    const times = { cron: '0 3 1 1 *', timezone: 'UTC', overlap: 'skip', jitter_ms: 0, catch_up_ms: 60_000 } as const;
    const spec: ScheduleSpec = { id, ability, environment, input: {}, ...times };
    await createSchedule(project.connection, spec);
    await pauseSchedule(project.connection, id, 'a test');
  }
  await project.startSession('somebodys');
  new GapLog(join(project.root, '.system')).note({
    ...{ request: 'fly to the moon', kind: 'nothing_fits', environment: 'dev', nearest: ['db.drop'] },
    ...{ door: 'route', scope: null },
  });
  await project.wait(keys.parent, { approvalMs: 0 });
  asked = await openIn(keys.parent);
  const giving = await start('db.granted', 'dev');
  await project.wait(giving, { approvalMs: 0 });
  const approval_id = await openIn(giving);
  const grant = { for: 'task', up_to: 5 } as const;
  await decide(project.connection, giving, 'approve', { by: 'ada', approval_id, grant });
  granted = await vi.waitFor(async () => {
    const [grant] = await listGrants(project.connection, false);
    if (!grant) throw new Error('There is no grant yet');
    return grant.id;
  }, 20_000);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

const written = (): string => {
  const file = join(project.root, 'written.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const tasks = async (): Promise<number> => (await listTasks(project.connection, { limit: 1000 })).length;
const ask = (name: string, input: object, by = token): Promise<DoorResponse> =>
  door.call('POST', `/v1/operations/${name}`, { body: input, token: by, isForeign: true });
const openIn = async (key: string): Promise<string> => {
  const [approval] = await readApprovals(project.connection, key);
  if (!approval) throw new Error(`${key} has no open approval`);
  return approval.id;
};
const idsOf = (list: JsonObject[], field: string): unknown[] => list.map((one) => one[field]).sort();

/** What an operation is asked for: refused with a code, or answered with `kept` of it only. */
type Attack =
  | { code: string; input: () => object }
  | { input: () => object; kept: (answer: never) => unknown; expected: unknown };

const forTask = (more: object = {}): Attack[] =>
  (['other', 'elsewhere'] as const).map((which) => ({
    code: 'task.not_found',
    input: () => ({ key: keys[which], ...more }),
  }));
const forAbility = (field: string, more: object = {}): Attack[] =>
  [
    { [field]: 'db.drop' },
    { [field]: 'reports.x' },
    { [field]: 'report.daily', environment: 'prod' },
    { [field]: 'no.such' },
    { [field]: 'db.drop', environment: 'no_such' },
  ].map((input) => ({ code: 'door.forbidden', input: () => ({ ...input, ...more }) }));
const inSession: Attack = {
  code: 'session.not_found',
  input: () => ({ ability: 'report.daily', session: 'somebodys' }),
};
const forSchedule = (more: object = {}): Attack[] =>
  ['theirs', 'far', 'none'].map((name) => ({ code: 'schedule.not_found', input: () => ({ name, ...more }) }));
const forSession = (more: object = {}): Attack[] =>
  ['somebodys', 'none'].map((id) => ({ code: 'session.not_found', input: () => ({ id, ...more }) }));

/** An operation that is missing here fails the type check and the test below. */
const ATTACKS: Record<keyof Operations, Attack[]> = {
  runAbility: [
    ...forAbility('ability', { wait: '1s' }),
    inSession,
    { code: 'door.forbidden', input: () => ({ prompt: 'run report.daily' }) },
    { code: 'door.forbidden', input: () => ({ prompt: 'run report.daily', dry_run: true }) },
  ],
  createTask: [...forAbility('ability'), inSession],
  listTasks: [
    { input: () => ({}), kept: ({ tasks: all }: { tasks: JsonObject[] }) => idsOf(all, 'task_key'), expected: 'own' },
    {
      input: () => ({ ability: 'db.waits' }),
      kept: ({ tasks: all }: { tasks: JsonObject[] }) => all,
      expected: [],
    },
    {
      input: () => ({ environment: 'prod' }),
      kept: ({ tasks: all }: { tasks: JsonObject[] }) => all,
      expected: [],
    },
  ],
  viewTask: forTask(),
  readInput: forTask(),
  changeInput: forTask({ set: { a: 1 } }),
  runTask: forTask(),
  readResult: forTask({ wait: '1s' }),
  readLogs: forTask(),
  readRecord: forTask(),
  signalTask: forTask({ name: 'go' }),
  cancelTask: forTask(),
  pauseTask: forTask(),
  resumeTask: forTask(),
  retryTask: [
    ...forTask(),
    { code: 'usage.invalid', input: () => ({ key: keys.own, environment: 'prod' }) },
    { code: 'usage.invalid', input: () => ({ key: keys.own, ability: 'db.drop' }) },
  ],
  reconcileTask: forTask(),
  explainTask: forTask(),
  deleteTask: forTask({ purge: true }),
  followEvents: forTask(),
  watchTask: forTask(),
  listApprovals: [{ input: () => ({}), kept: (all: JsonObject[]) => idsOf(all, 'task_ability'), expected: [] }],
  readApprovals: forTask(),
  decide: [
    ...forTask({ approval: 'drop', decision: 'approve' }),
    { code: 'door.forbidden', input: () => ({ key: keys.parent, approval: asked, decision: 'approve' }) },
    { code: 'door.forbidden', input: () => ({ key: keys.parent, approval: asked, decision: 'deny', comment: 'x' }) },
    { code: 'approval.not_found', input: () => ({ key: keys.own, approval: 'drop', decision: 'approve' }) },
  ],
  listGrants: [{ input: () => ({ all: true }), kept: (all: JsonObject[]) => idsOf(all, 'ability'), expected: [] }],
  revokeGrant: [() => granted, () => '0123456789abcdef'].map((id) => ({
    code: 'grant.not_found',
    input: () => ({ id: id() }),
  })),
  readAuditLog: [
    { code: 'door.forbidden', input: () => ({}) },
    { code: 'door.forbidden', input: () => ({ task: keys.own }) },
  ],
  listAbilities: [
    {
      input: () => ({}),
      kept: (all: JsonObject[]) => idsOf(all, 'id'),
      expected: ['report.daily', 'report.parent', 'report.waits'],
    },
    { input: () => ({ environment: 'prod' }), kept: (all: JsonObject[]) => all, expected: [] },
  ],
  describeAbility: forAbility('id'),
  planAbility: forAbility('id'),
  drawAbility: forAbility('id'),
  searchAbilities: [
    {
      input: () => ({ request: 'db.drop and reports.x and report.daily', detail: 'schema', limit: 100 }),
      kept: ({ suggestions, nearest, question }: JsonObject & { suggestions: JsonObject[] }) => [
        idsOf(suggestions, 'id'),
        nearest,
        /db\.|reports/.test(String(question)),
      ],
      expected: [['report.daily'], [], false],
    },
    {
      input: () => ({ request: 'db.drop' }),
      kept: ({ suggestions, nearest, fits }: JsonObject) => [suggestions, nearest, fits],
      expected: [[], [], false],
    },
    {
      input: () => ({ request: 'report.daily', environment: 'prod' }),
      kept: ({ suggestions, nearest }: JsonObject) => [suggestions, nearest],
      expected: [[], []],
    },
  ],
  listGaps: [{ input: () => ({}), kept: ({ gaps }: JsonObject) => gaps, expected: [] }],
  listRecruits: [
    { input: () => ({}), kept: ({ packs, capabilities }: JsonObject) => [packs, capabilities], expected: [[], []] },
  ],
  listUsage: [
    {
      input: () => ({}),
      kept: ({ usage }: JsonObject) =>
        (usage as JsonObject[]).filter(({ ability_id: id }) => !String(id).startsWith('report.')),
      expected: [],
    },
  ],
  listPages: [{ input: () => ({}), kept: ({ pages }: JsonObject) => pages, expected: [] }],
  startSession: [
    { code: 'door.forbidden', input: () => ({}) },
    { code: 'door.forbidden', input: () => ({ id: 'somebodys', environment: 'dev' }) },
    { code: 'door.forbidden', input: () => ({ environment: 'prod' }) },
  ],
  promptSession: forSession({ prompt: 'drop all' }),
  showSession: forSession(),
  stopSession: forSession(),
  listSchedules: [
    {
      input: () => ({}),
      kept: ({ schedules }: { schedules: { spec: JsonObject }[] }) =>
        idsOf(
          schedules.map(({ spec }) => spec),
          'id',
        ),
      expected: ['mine'],
    },
  ],
  createSchedule: forAbility('ability', { cron: '0 3 1 1 *', name: 'new' }),
  showSchedule: forSchedule(),
  pauseSchedule: forSchedule(),
  resumeSchedule: forSchedule(),
  fireSchedule: forSchedule(),
  deleteSchedule: forSchedule(),
};

describe('a token for report.* in dev', () => {
  test('has an attack on each operation', () => {
    expect(Object.keys(ATTACKS).sort()).toEqual(
      allOperations()
        .map(([name]) => name)
        .sort(),
    );
    expect(Object.values(ATTACKS).filter((attacks) => attacks.length === 0)).toEqual([]);
  });

  test.each(Object.entries(ATTACKS))('gets nothing else by %s', async (name, attacks) => {
    const before = [await tasks(), written()];
    for (const attack of attacks) {
      const { status, body } = await ask(name, attack.input());
      if ('code' in attack) {
        expect([name, attack.input(), body.code]).toEqual([name, attack.input(), attack.code]);
        expect(status).toBeGreaterThanOrEqual(400);
      } else {
        expect(status).toBe(200);
        const expected = attack.expected === 'own' ? [keys.own, keys.parent].sort() : attack.expected;
        expect(attack.kept(body as never)).toEqual(expected);
        // There is more.
        expect(attack.kept((await ask(name, attack.input(), door.token('ada'))).body as never)).not.toEqual(expected);
      }
    }
    expect([await tasks(), written()]).toEqual(before);
  });

  test.each(
    Object.entries(ATTACKS).filter(([, [attack]]) => attack && 'code' in attack && attack.code === 'task.not_found'),
  )('learns from %s of no task that it may not read', async (name, [attack]) => {
    const unknown = await ask(name, { ...attack?.input(), key: 'no-such-key' });
    const hidden = await ask(name, { ...attack?.input(), key: keys.other });
    const answer = JSON.stringify(hidden.body).replaceAll(keys.other, 'no-such-key');
    expect([hidden.status, JSON.parse(answer)]).toEqual([unknown.status, unknown.body]);
  });

  test('gets no more by the routes of the operations, nor files or metrics', async () => {
    const digest = '0'.repeat(64);
    for (const [method, path, code, body] of [
      ['GET', `/v1/tasks/${keys.other}`, 'task.not_found'],
      ['GET', `/v1/tasks/${keys.other}/events`, 'task.not_found'],
      ['GET', `/v1/tasks/${keys.other}/files/${digest}`, 'task.not_found'],
      ['GET', `/v1/tasks/${keys.parent}/files/${digest}`, 'file.not_of_task'],
      ['DELETE', `/v1/tasks/${keys.elsewhere}`, 'task.not_found'],
      ['POST', `/v1/tasks/${encodeURIComponent(`${keys.parent}/inner`)}/cancel`, 'task.not_found'],
      ['GET', `/v1/tasks/${encodeURIComponent(`session:${project.connection.project}:somebodys`)}`, 'task.not_found'],
      ['POST', '/v1/runs', 'door.forbidden', { ability: 'db.drop' }],
      ['GET', '/metrics', 'door.forbidden'],
    ] as const) {
      const got = await door.call(method, path, { token, isForeign: true, ...(body && { body }) });
      expect([path, got.body.code]).toEqual([path, code]);
    }
    expect(written()).toBe('');
  });

  test('is told its limits', async () => {
    const { body } = await door.call('GET', '/v1/me', { token });
    expect(body).toMatchObject({ rights: ['read', 'run', 'approve'], limits: { read: [WITHIN], run: [WITHIN] } });
  });

  test('is told where its right holds by what it may read, and not change', async () => {
    const here = projectHere(
      {
        registry: () => loadRegistry(project.root),
        ask: (action) => action(project.connection),
        note: () => {},
      },
      process.env,
    );
    const rights: Rights = { read: [{}], run: [WITHIN] };
    const caller = { ...callerHere(project.root, project.root, process.env), rights };
    const cancel = runOperation(OPERATIONS.cancelTask, here, caller, { key: keys.other }, new AbortController().signal);
    await expect(cancel).rejects.toMatchObject({
      code: 'door.forbidden',
      message: 'The right run does not hold for db.waits in dev; it holds for report.* in dev',
    });
  });

  test('does not attach to a task by its key, and learns no ability of it', async () => {
    const first = await ask('runAbility', { ability: 'db.waits', key: 'taken-key' }, door.token('ada'));
    expect(first.status).toBe(202);
    const { body } = await ask('runAbility', { ability: 'report.waits', key: 'taken-key' });
    expect(body.code).toBe('task.key_conflict');
    expect(JSON.stringify(body)).not.toContain('db.');
    const near = await ask('createTask', { ability: 'report.drop' });
    expect([near.body.code, JSON.stringify(near.body)]).toEqual([
      'ability.not_found',
      expect.not.stringMatching(/db\./),
    ]);
  });

  test('may do all of that where its rights hold', async () => {
    expect((await ask('viewTask', { key: keys.own })).body).toMatchObject({ ability_id: 'report.waits' });
    expect((await ask('showSchedule', { name: 'mine' })).body).toMatchObject({ spec: { ability: 'report.daily' } });
    const { body } = await ask('listTasks', { limit: 1 });
    expect([body.tasks.length, typeof body.next_cursor]).toEqual([1, 'string']);
    expect((await ask('signalTask', { key: keys.own, name: 'go' })).status).toBe(202);
    expect((await ask('readResult', { key: keys.own, wait: '30s' })).body).toMatchObject({ status: 'succeeded' });
    expect((await ask('runAbility', { ability: 'report.daily', wait: '30s' })).body).toMatchObject({ output: 1 });
    expect(written()).toBe('r');
  });
});

describe('the right to approve', () => {
  const decide = (key: string, approval: string, within: RightLimits) =>
    ask('decide', { key, approval, decision: 'approve' }, door.token('support', ['read', 'approve'], { within }));

  test('is that for what is approved, and not for the task through which it is asked', async () => {
    const got = await decide(keys.parent, asked, { abilities: ['report.*', 'db.asks'] });
    expect(got.body.code).toBe('door.forbidden');
    expect((await decide(keys.parent, asked, { abilities: ['db.drop'], environments: ['prod'] })).body.code).toBe(
      'task.not_found',
    );
    expect(await openIn(keys.parent)).toBe(asked);
    expect((await decide(keys.parent, asked, { abilities: ['db.drop'], environments: ['dev'] })).status).toBe(200);
    expect((await project.wait(keys.parent)).kind).toBe('ended');
  });
});

describe('an agent with a token for report.* in dev', () => {
  let agent: HttpAgent;
  let other: HttpAgent;
  let exposing: OpenDoor;

  beforeAll(async () => {
    exposing = await openDoor(project.connection);
    const bot = (within?: RightLimits) => exposing.token('ada', ['read', 'run'], { agent: 'bot', within });
    agent = await connectOverHttp(exposing.url, { token: bot(WITHIN) });
    other = await connectOverHttp(exposing.url, { token: bot() });
  });
  afterAll(async () => {
    await agent.close();
    await other.close();
    await exposing.close();
  });

  test.each([
    ['ability_run', { id: 'db.drop' }],
    ['ability_run', { id: 'reports.x' }],
    ['ability_run', { id: 'no.such' }],
    ['task_create', { id: 'reports.x' }],
    ['ability_describe', { id: 'db.drop' }],
    ['ability_plan', { id: 'db.drop' }],
  ])('is refused %s %j', async (tool, args) => {
    const before = [await tasks(), written()];
    const { told, isError } = await agent.call(tool, args);
    expect([isError, told.code]).toEqual([true, 'door.forbidden']);
    expect([await tasks(), written()]).toEqual(before);
  });

  test('finds no other ability', async () => {
    const all = (await agent.call('ability_search')).told.abilities as JsonObject[];
    expect(idsOf(all, 'id')).toEqual(['report.daily', 'report.parent', 'report.waits']);
    const { told } = await agent.call('ability_search', { query: 'db.drop' });
    expect([told.abilities, told.nearest]).toEqual([[], []]);
    expect((await agent.client.listResources()).resources.filter(({ uri }) => uri.startsWith('ability:///'))).toEqual(
      [],
    );
  });

  test('is refused a task of the same agent that another token started', async () => {
    const created = await other.call('task_create', { id: 'reports.x' });
    const { task } = created.told;
    for (const [tool, args] of [
      ['task_status', { task }],
      ['task_result', { task, wait: 0 }],
      ['task_run', { tasks: [task] }],
      ['task_set', { task, set: { a: 1 } }],
      ['task_cancel', { task }],
    ] as [string, JsonObject][]) {
      const { told, isError } = await agent.call(tool, args);
      expect([tool, isError, told.code]).toEqual([tool, true, 'task.not_found']);
    }
    expect((await other.call('task_status', { task })).told.status).toBe('created');
    await other.call('task_cancel', { task });
  });

  test('sees of the approvals of its tasks only those that it may read', async () => {
    const asks = await other.call('ability_run', { id: 'db.asks' });
    expect(asks.told.waiting_for).toHaveLength(1);
    expect((await other.call('approvals_list')).told.approvals).toHaveLength(1);
    expect((await agent.call('approvals_list')).told.approvals).toEqual([]);
    await other.call('task_cancel', { task: asks.told.task });
  });

  test('may run what its token is for', async () => {
    expect((await agent.call('ability_run', { id: 'report.daily' })).told).toMatchObject({ status: 'succeeded' });
  });
});
