import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Connection,
  connect,
  createSchedule,
  createTask,
  pauseSchedule,
  showSchedule,
  waitForTask,
} from '../../src/client/index.js';
import { scheduleIdOf } from '../../src/contracts/names.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { deliveryIdOf, firingIdOf } from '../../src/rules/tasks/task-ids.js';
import { isAlive } from '../../src/server/processes/processes.js';
import { callerOf } from '../fixtures/caller.js';
import { ability, start } from '../fixtures/command-line.js';
import { makeProject, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { chance, pause, SEED, say, until, WHOLE } from './extent.js';

const KILLS = WHOLE ? 12 : 2;
const LIMIT_MS = WHOLE ? 10 * 60_000 : 3 * 60_000;
const SECOND = 1000;

let folder: ProjectFolder;
let up: ReturnType<typeof start>;
let connection: Connection;

beforeAll(async () => {
  folder = makeProject({
    ...workflow('noop', 'steps: [{ id: a, let: { x: 1 } }]'),
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - id: every_third_second
    blocking: true
    handler: { expression: { deny_if: 'now().getSeconds() % 3 == 0', reason: Not in this second. } }
    examples: [{ context: {}, now: "2026-11-23T00:00:03Z", expect: deny }]
`,
  });
  up = start(['up'], { cwd: folder.root });
  await until('the runtime to be up', () => (readRuntime()?.state === 'up' ? true : undefined), 60_000);
  connection = await connect({ root: folder.root, project: loadRegistry(folder.root).project.project });
}, 90_000);
afterAll(async () => {
  await connection?.close();
  await ability(['down'], { cwd: folder.root });
  await up;
  folder.remove();
});

function readRuntime(): RuntimeFile | undefined {
  try {
    return JSON.parse(readFileSync(join(folder.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
  } catch {
    return undefined;
  }
}

/** Repeats the action until the server is up and answers it. */
async function insist<T>(action: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LIMIT_MS; ; await pause(100)) {
    try {
      return await action();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      say(String(error).slice(0, 300));
    }
  }
}

async function killServers(random: () => number): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(2000 + random() * 3000);
    const server = await until('a server', () => {
      const mark = readRuntime()?.server;
      return mark && isAlive(mark) ? mark : undefined;
    });
    process.kill(server.pid, 'SIGKILL');
    say(`killed the server that fires, process ${server.pid}`);
  }
}

/** Starts one delivery after the other, each until Temporal has it. @returns their keys. */
async function send(isOver: () => boolean): Promise<string[]> {
  const taken: string[] = [];
  const caller = callerOf({ user: { name: 'webhook:forge', source: 'claimed' }, caller: 'ci' });
  const wanted = { ability: 'noop', environment: 'dev', input: {}, caller, run: true, soon: true, leaves: true };
  for (let n = 0; !isOver(); n += 1) {
    const key = deliveryIdOf('forge', `delivery-${n}`);
    const signal = AbortSignal.timeout(LIMIT_MS);
    await insist(() => createTask(connection, { ...wanted, made: key, unserved: true, signal }));
    taken.push(key);
    await pause(200);
  }
  return taken;
}

/** A task may continue as a new run of the same key. */
const LAST_RUNS = `ExecutionStatus != 'ContinuedAsNew'`;

/** The keys of the tasks that the schedule started, by its moment in seconds, once all have ended. */
async function firingsOnceEnded(): Promise<Map<number, string>> {
  const query = `WorkflowId STARTS_WITH '${firingIdOf(connection.project, 'each')}'`;
  await expect
    .poll(async () => (await connection.temporal.workflow.count(`${query} AND ExecutionStatus = 'Running'`)).count, {
      timeout: 60_000,
    })
    .toBe(0);
  const keys = new Map<number, string>();
  for await (const { workflowId } of connection.temporal.workflow.list({ query: `${query} AND ${LAST_RUNS}` })) {
    const moment = Date.parse(workflowId.slice(-'2026-11-23T00:00:00Z'.length)) / SECOND;
    expect(keys.has(moment)).toBe(false);
    keys.set(moment, workflowId);
  }
  return keys;
}

test(
  `the server is killed ${KILLS} times between firings, deliveries and their tasks: each is one task, or refused with a code (R-000-82)`,
  async () => {
    const spec = { id: 'each', ability: 'noop', environment: 'dev', input: {}, cron: '* * * * *', timezone: 'UTC' };
    await insist(() =>
      createSchedule(connection, { ...spec, overlap: 'allow_all', jitter_ms: 0, catch_up_ms: 3_600_000 }),
    );
    // Cron has no seconds.
    const handle = connection.temporal.schedule.getHandle(scheduleIdOf(connection.project, 'each'));
    await insist(() => handle.update((found) => ({ ...found, spec: { intervals: [{ every: SECOND }] } })));
    let isOver = false;
    const sending = send(() => isOver);
    await killServers(chance(SEED)).finally(() => (isOver = true));
    const taken = await sending;
    const killed = Date.now();
    // A paused schedule does not catch up.
    await expect
      .poll(
        () => insist(async () => Date.parse((await showSchedule(connection, 'each')).firings[0]?.scheduled_for ?? '')),
        {
          timeout: 60_000,
        },
      )
      .toBeGreaterThan(killed);
    await insist(() => pauseSchedule(connection, 'each', 'enough'));
    const firings = await insist(firingsOnceEnded);
    const { counts } = await insist(() => showSchedule(connection, 'each'));

    const moments = [...firings.keys()].sort((a, b) => a - b);
    say(`seed ${SEED}: ${moments.length} firings and ${taken.length} deliveries over ${KILLS} kills`);
    expect(moments).toEqual(moments.map((_, n) => (moments[0] as number) + n));
    expect(counts).toMatchObject({ missed: 0, skipped: 0 });
    // Temporal counts a firing only after it has started it.
    expect(counts.fired).toBeGreaterThanOrEqual(moments.length - KILLS);
    const keys = [...firings.values(), ...taken];
    const ends = await Promise.all(keys.map(ended));
    for (const [nth, end] of ends.entries()) {
      expect(end).toMatchObject({ task_key: keys[nth] });
      if (end.status !== 'succeeded')
        expect(end).toMatchObject({ status: 'unavailable', error: { code: 'guard.denied' } });
    }
    expect(ends.filter(({ status }) => status === 'unavailable').length).toBeGreaterThan(0);
    const tasks = await connection.temporal.workflow.count(`WorkflowType = 'noop' AND ${LAST_RUNS}`);
    expect(tasks.count).toBe(keys.length);
  },
  LIMIT_MS,
);

async function ended(key: string): Promise<TaskResult> {
  const end = await insist(() => waitForTask(connection, key, { timeoutMs: 30_000 }));
  if (end.kind !== 'ended') throw new Error(`${key} has not ended: ${end.kind}`);
  return end.result;
}
