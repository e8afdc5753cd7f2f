import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Connection, connect, createTask, runTask, waitForTask } from '../../src/client/index.js';
import { PLACEMENTS, type Placement } from '../../src/contracts/names.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { callerOf } from '../fixtures/caller.js';
import { ability, abilityJson, start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';
import { apiAbility } from '../fixtures/servers/definitions.js';
import { type RecordingService, startService } from '../fixtures/servers/recording-service.js';

const KEYS = `main:${randomBytes(32).toString('base64url')}`;

let project: ProjectFolder;
let service: RecordingService;
let connection: Connection;
const workers = new Map<Placement, ReturnType<typeof start>>();

beforeAll(async () => {
  service = await startService();
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {} }',
      'placement: { cloud: [http] }\nplacements: { near-db: { servers: [] } }',
    ),
    ...operation('near.op', 'return { ppid: process.ppid };'),
    ...apiAbility('far.op', service.origin, { method: 'GET', path: '/far', endpoint: 'default' }),
    ...workflow('near', 'steps: [{ id: a, call: near.op }, { id: b, call: far.op }]\noutput: "${{ steps.a.output }}"'),
    ...workflow('far', 'steps: [{ id: b, call: far.op }]'),
    ...workflow(
      'sent_away',
      'placement: cloud\nsteps: [{ id: a, call: near.op }, { id: b, call: inner }]\noutput: { a: "${{ steps.a.output }}", b: "${{ steps.b.output }}" }',
    ),
    ...workflow('inner', 'steps: [{ id: c, call: near.op }]\noutput: "${{ steps.c.output }}"'),
    ...workflow('at_db', 'placement: near-db\nsteps: [{ id: a, call: near.op }]\noutput: "${{ steps.a.output }}"'),
    ...workflow('calls_it', 'steps: [{ id: a, call: at_db }]\noutput: "${{ steps.a.output }}"'),
    ...workflow('listed', 'operations: [far.op, near.op]\nsteps: [{ id: b, call: far.op }]'),
  });
  await Promise.all([...PLACEMENTS, 'near-db'].map(serve));
  const { address } = inject('temporal');
  connection = await connect({ root: project.root, project: loadRegistry(project.root).project.project, address });
});
afterAll(async () => {
  await connection.close();
  for (const worker of workers.values()) worker.kill('SIGTERM');
  await Promise.all(workers.values());
  await service.stop();
  project.remove();
});

/** Starts one process per placement, as an operator does. */
async function serve(placement: Placement): Promise<void> {
  const args = ['worker', '--address', inject('temporal').address, '--placement', placement];
  const worker = start(args, { cwd: project.root, env: { ABILITY_SEAL_KEYS: KEYS } });
  workers.set(placement, worker);
  await new Promise<void>((resolve, reject) => {
    worker.stderr?.on('data', (chunk: Buffer) => String(chunk).includes('Serving') && resolve());
    worker.then(({ stderr }) => reject(new Error(String(stderr))));
  });
}

async function run(ability: string, key: string): Promise<{ result: TaskResult; warnings: string[] }> {
  const wanted = { ability, environment: 'dev', input: {}, caller: callerOf(), key, run: true };
  const { id, warnings } = await createTask(connection, wanted);
  const end = await waitForTask(connection, id, { timeoutMs: 60_000 });
  if (end.kind !== 'ended') throw new Error(JSON.stringify(end));
  return { result: end.result, warnings };
}

/** The processes that ran the activities of a task, and the queue of the task. */
async function whereIt(ran: string): Promise<{ queue: string; pids: number[] }> {
  const { events = [] } = await connection.temporal.workflow.getHandle(ran).fetchHistory();
  const [first] = events ?? [];
  const identities = (events ?? []).flatMap((event) => event.activityTaskStartedEventAttributes?.identity ?? []);
  return {
    queue: first?.workflowExecutionStartedEventAttributes?.taskQueue?.name ?? '',
    pids: identities.map((identity) => Number.parseInt(identity, 10)),
  };
}

const pidOf = (placement: Placement): number => workers.get(placement)?.pid ?? 0;
const recordOf = (key: string): TaskRecord =>
  JSON.parse(readFileSync(join(project.root, '.system/implement', key, 'record.json'), 'utf8')) as TaskRecord;

describe('R-001-01, R-001-31: with one worker per placement', () => {
  test('a workflow with one step that needs the local machine runs entirely on the local worker', async () => {
    const { result } = await run('near', 'near-1');
    expect(result).toMatchObject({ status: 'succeeded', output: { ppid: pidOf('local') } });
    const { queue, pids } = await whereIt('near-1');
    expect(queue).toMatch(/-dev-local$/);
    expect(pids).toEqual([pidOf('local'), pidOf('local')]);
  });

  test('a workflow that only calls services runs in the cloud', async () => {
    expect((await run('far', 'far-1')).result.status).toBe('succeeded');
    const { queue, pids } = await whereIt('far-1');
    expect(queue).toMatch(/-dev-cloud$/);
    expect(pids).toEqual([pidOf('cloud')]);
  });

  test('R-001-04, C-31: an explicit placement wins, for called tasks as well, and a conflict with the tools is reported', async () => {
    const { result, warnings } = await run('sent_away', 'away-1');
    expect(result.output).toEqual({ a: { ppid: pidOf('cloud') }, b: { ppid: pidOf('cloud') } });
    expect(warnings).toEqual([expect.stringMatching(/sent_away is placed in the cloud although .* near\.op/)]);
    expect(recordOf('away-1').warnings).toEqual(warnings);
  });

  test('C-32: a whitelist with a local operation keeps a workflow local, even if it does not call that operation', async () => {
    await run('listed', 'listed-1');
    expect((await whereIt('listed-1')).pids).toEqual([pidOf('local')]);
  });
});

describe('with a worker for a placement of the project', () => {
  test('a workflow that is placed there runs entirely on it, as does one that calls it', async () => {
    for (const [ability, key] of [
      ['at_db', 'db-1'],
      ['calls_it', 'db-2'],
    ] as const) {
      expect((await run(ability, key)).result).toMatchObject({
        status: 'succeeded',
        output: { ppid: pidOf('near-db') },
      });
      const { queue, pids } = await whereIt(key);
      expect(queue).toMatch(/-dev-near-db$/);
      expect(pids.every((pid) => pid === pidOf('near-db'))).toBe(true);
      expect(recordOf(key).plan.placement).toBe('near-db');
    }
  });

  test('a client without definitions starts it elsewhere, and it moves there', async () => {
    const { definitions: _, ...unaware } = connection;
    const { id } = await createTask(unaware, {
      ability: 'at_db',
      environment: 'dev',
      input: {},
      caller: callerOf(),
      key: 'db-3',
      run: true,
    });
    expect(await waitForTask(connection, id, { timeoutMs: 60_000 })).toMatchObject({
      result: { output: { ppid: pidOf('near-db') } },
    });
  });

  test('`plan` and `why` name it, and `doctor` its queue if it has no worker', async () => {
    const plan = await abilityJson(['plan', 'calls_it'], { cwd: project.root });
    expect(plan.json.placement).toMatchObject({
      where: 'near-db',
      queue: expect.stringMatching(/-dev-near-db$/),
      explicit: null,
    });
    const told = await ability(['why', 'db-1', '--address', inject('temporal').address], { cwd: project.root });
    expect(told.stdout).toContain('placed near-db');
    const doctor = (): Promise<{ stdout: string }> =>
      ability(['doctor', '--address', inject('temporal').address], { cwd: project.root });
    expect((await doctor()).stdout).toContain('All 3 queues have workers');
    const file = join(project.root, 'ability.yaml');
    const text = readFileSync(file, 'utf8');
    try {
      writeFileSync(file, text.replace('near-db: { servers: [] }', 'near-db: { servers: [] }, dmz: '));
      const { stdout } = await doctor();
      expect(stdout).toMatch(/No worker serves \S+-dev-dmz\b/);
      expect(stdout).toContain('worker --env NAME --placement local|cloud|near-db|dmz');
    } finally {
      writeFileSync(file, text);
    }
  });

  test('a worker for one that the project does not have is refused', async () => {
    const args = ['worker', '--address', inject('temporal').address, '--placement', 'near-bd'];
    const { exitCode, stderr } = await ability(args, { cwd: project.root });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/The project has no placement near-bd[\s\S]*near-db/),
    ]);
  });
});

test('R-001-07: placement is decided once, at creation, the same for every caller, and stays with the task', async () => {
  const file = join(project.root, 'ability.yaml');
  const text = readFileSync(file, 'utf8');
  const make = (key: string, name: string) =>
    createTask(connection, {
      ...{ ability: 'far', environment: 'dev', input: {}, key, run: false },
      caller: callerOf({ user: { name, source: 'claimed' } }),
    });
  try {
    await make('once-1', 'ann');
    await make('once-2', 'bob');
    writeFileSync(file, text.replace('cloud: [http]', 'cloud: []'));
    await make('once-3', 'ann');
    for (const [key, placement] of Object.entries({
      'once-1': 'cloud',
      'once-2': 'cloud',
      'once-3': 'local',
    } as const)) {
      await runTask(connection, key);
      const end = await waitForTask(connection, key, { timeoutMs: 60_000 });
      expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
      expect(recordOf(key).plan.placement).toBe(placement);
      const { queue, pids } = await whereIt(key);
      expect(queue).toMatch(new RegExp(`-dev-${placement}$`));
      expect(new Set(pids)).toEqual(new Set([pidOf(placement)]));
    }
  } finally {
    writeFileSync(file, text);
  }
});

describe('R-001-09, R-001-23: the record of a task', () => {
  test('lists the tools used by it and the tasks it called, and none outside its whitelist', async () => {
    await run('near', 'near-2');
    expect(recordOf('near-2').used).toEqual({
      called: ['far.op', 'near.op'],
      tools_used: ['http:far.op', 'shell:near.op'],
      outside_whitelist: [],
    });
    const { result } = await run('sent_away', 'away-2');
    expect(result.status).toBe('succeeded');
    expect(recordOf('away-2').used).toEqual({
      called: ['inner', 'near.op'],
      tools_used: ['shell:near.op'],
      outside_whitelist: [],
    });
    const text = readFileSync(join(project.root, '.system/implement/near-2/tool_call.md'), 'utf8');
    expect(text).toContain('## Tools used\n\n- `http:far.op`\n- `shell:near.op`');
  });

  test('R-001-24, R-001-26, R-001-31: `list`, `show` and `plan` report the placement where it ran', async () => {
    const list = await abilityJson(['list'], { cwd: project.root });
    const placements = Object.fromEntries(
      (list.json as { id: string; placement: Placement }[]).map(({ id, placement }) => [id, placement]),
    );
    expect(placements).toEqual({
      near: 'local',
      far: 'cloud',
      sent_away: 'cloud',
      inner: 'local',
      listed: 'local',
      at_db: 'near-db',
      calls_it: 'near-db',
      'near.op': 'local',
      'far.op': 'cloud',
    });
    const show = await abilityJson(['show', 'sent_away'], { cwd: project.root });
    expect(show.json.placement).toMatchObject({ placement: 'cloud', explicit: 'cloud', inferred: 'local' });
    const plan = await abilityJson(['plan', 'near'], { cwd: project.root });
    expect(plan.json.placement).toMatchObject({ where: 'local', explicit: null });
    expect(plan.json.digest).toBe(recordOf('near-2').plan_digest);
  });

  test('R-001-25, R-001-32: an ability that ran and was recorded is also found by a request, with its placement', async () => {
    expect(recordOf('away-2').used?.called).toContain('inner');
    const show = await abilityJson(['show', 'sent_away'], { cwd: project.root });
    const { json } = await abilityJson(['route', 'what was sent away?'], { cwd: project.root });
    expect(json.suggestions[0]).toMatchObject({ id: 'sent_away', placement: show.json.placement.placement });
  });
});
