import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Connection,
  connect,
  createTask,
  decide,
  hasEnded,
  viewTask,
  waitForTask,
} from '../../src/client/index.js';
import { AbilityError } from '../../src/contracts/problem.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { isAlive } from '../../src/server/processes/processes.js';
import { callerOf } from '../fixtures/caller.js';
import { ability, start } from '../fixtures/command-line.js';
import { makeProject, type ProjectFolder } from '../fixtures/project-folder.js';
import { type EffectService, startEffects } from './effect-service.js';
import { chance, pause, SEED, say, until, WHOLE } from './extent.js';
import { chaosProject } from './project.js';

const TASKS = 200;
/** Milliseconds between the creation of one task and the next. */
const EACH_MS = 400;
const LEAST_KILLS = 8;
const IGNORED = /^A decision \(approve\) was ignored: no approval is open$/;
const PEOPLE = ['ann', 'bob'];
const LIMIT_MS = 15 * 60_000;

let effects: EffectService;
let folder: ProjectFolder;
let up: ReturnType<typeof start>;
let connection: Connection;

// In the short version, random-kills.test.ts kills a server as well.
beforeAll(async () => {
  if (!WHOLE) return;
  effects = await startEffects();
  folder = makeProject(chaosProject(effects.origin));
  up = start(['up'], { cwd: folder.root });
  await until('the runtime to be up', () => (readRuntime()?.state === 'up' ? true : undefined), 60_000);
  connection = await connect({ root: folder.root, project: loadRegistry(folder.root).project.project });
});
afterAll(async () => {
  if (!WHOLE) return;
  await connection?.close();
  await ability(['down'], { cwd: folder.root });
  await up;
  folder.remove();
  await effects.stop();
});

function readRuntime(): RuntimeFile | undefined {
  try {
    return JSON.parse(readFileSync(join(folder.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
  } catch {
    return undefined;
  }
}

/** Errors that callers received, and how often; they try again. */
const errorCounts = new Map<string, number>();

/** Repeats an action until it is acknowledged. @throws an unexpected error, or that a task does not exist. */
async function retryUntilAcknowledged<T>(action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof AbilityError) || error.code === 'task.not_found' || Date.now() > deadline) throw error;
      errorCounts.set(error.code, (errorCounts.get(error.code) ?? 0) + 1);
      await pause(200);
    }
  }
}

/** One caller: creates a task, has two people approve it, and waits for its end. */
async function runCaller(n: number): Promise<{ acknowledged: string[]; result: TaskResult }> {
  await pause(n * EACH_MS);
  const random = chance(SEED + n);
  const key = `task-${n}`;
  await retryUntilAcknowledged(() =>
    createTask(connection, { ability: 'short', environment: 'dev', input: { n }, caller: callerOf(), run: true, key }),
  );
  const acknowledged: string[] = [];
  for (const by of PEOPLE) {
    await pause(random() * 4000);
    if (await retryUntilAcknowledged(() => approve(key, by))) acknowledged.push(by);
  }
  const end = await retryUntilAcknowledged(() => waitForTask(connection, key, { timeoutMs: LIMIT_MS }));
  if (end.kind !== 'ended') throw new Error(`${key} does not end`);
  return { acknowledged, result: end.result };
}

/** @returns whether it was acknowledged: the answer may be lost although the decision was accepted. */
async function approve(key: string, by: string): Promise<boolean> {
  for (;;) {
    const [approval] = (await viewTask(connection, key)).result.approvals;
    if (approval?.decisions.some((one) => nameOf(one.by) === by)) return false;
    if (approval) break;
    await pause(100);
  }
  try {
    await decide(connection, key, 'approve', { by });
    return true;
  } catch (error) {
    if (!(error instanceof AbilityError && error.code === 'task.closed')) throw error;
    if (!hasEnded(await viewTask(connection, key))) throw new Error(`${key} is open, and was reported to have ended`);
    return false;
  }
}

function nameOf(by: TaskResult['approvals'][number]['decisions'][number]['by']): string {
  return by === 'unnamed' ? by : by.name;
}

/** Kills the server every 5 to 10 seconds until it is stopped. @returns the number of kills. */
async function killAgainAndAgain(random: () => number, isOver: () => boolean): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const deadline = Date.now() + 5000 + random() * 5000;
    await until('the next kill', () => (Date.now() > deadline || isOver() ? true : undefined));
    if (isOver() && kills >= LEAST_KILLS) return kills;
    const server = await until('a server', () => {
      const mark = readRuntime()?.server;
      return mark && isAlive(mark) ? mark : undefined;
    });
    process.kill(server.pid, 'SIGKILL');
    say(`killed the server, process ${server.pid}; ${effects.effects.size} of ${TASKS * 2} effects so far`);
  }
}

test.runIf(WHOLE)(
  `the server is killed every 5 to 10 s under ${TASKS} tasks: nothing acknowledged is lost (seed ${SEED})`,
  async () => {
    let open = TASKS;
    const killing = killAgainAndAgain(chance(SEED + 1), () => open === 0);
    const ends = await Promise.all(Array.from({ length: TASKS }, (_, n) => runCaller(n).finally(() => (open -= 1))));
    const kills = await killing;
    const approvals = ends.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    const repeated = effects.deliveries.length - effects.effects.size;
    const errors = [...errorCounts].map(([code, times]) => `${code} ${times}`).join(', ');
    say(
      `seed ${SEED}: ${kills} kills, ${TASKS} creations and ${approvals} approvals acknowledged, ${repeated} repeated calls`,
    );
    say(`callers received: ${errors || 'no error'}`);
    for (const [n, { result, acknowledged }] of ends.entries()) {
      const key = `task-${n}`;
      const [first, second] = ['first', 'second'].map((step) => effects.effects.get(`${key}/${step}`));
      expect(result).toMatchObject({ task_key: key, status: 'succeeded', output: { n, first, second } });
      // A decision whose answer was lost may arrive a second time, when everything is decided.
      expect(result.warnings.filter((warning) => !IGNORED.test(warning))).toEqual([]);
      const counted = result.approvals.flatMap(({ decisions }) => decisions.map(({ by }) => nameOf(by)));
      expect(counted.sort()).toEqual(PEOPLE);
      expect(counted).toEqual(expect.arrayContaining(acknowledged));
    }
    expect(effects.effects.size).toBe(TASKS * 2);
    expect(kills).toBeGreaterThanOrEqual(LEAST_KILLS);
    expect(up.exitCode ?? undefined).toBeUndefined();
  },
  LIMIT_MS,
);
