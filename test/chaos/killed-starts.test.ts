import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../src/client/index.js';
import { EXIT, isEndState } from '../../src/contracts/states.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { isAlive, markOf } from '../../src/server/processes/processes.js';
import { start } from '../fixtures/command-line.js';
import { workflow } from '../fixtures/project-folder.js';
import { type EffectService, startEffects } from './effect-service.js';
import { chance, pause, SEED, say, until, WHOLE } from './extent.js';
import { chaosProject } from './project.js';
import { type OpenSite, openOwnRuntime, openRemoteWorker } from './sites.js';
import { command } from './user.js';

/** In the whole version 200 starts; several at once meet each other's kills. */
const SITES = [
  { where: 'in a runtime of its own', open: openOwnRuntime, starts: WHOLE ? 100 : 2 },
  ...(WHOLE ? [{ where: 'on a remote server', open: openRemoteWorker, starts: 100 }] : []),
];
const LANES = WHOLE ? 3 : 1;
const LIMIT_MS = 3 * 60_000;
const ALL_MS = WHOLE ? 40 * 60_000 : 4 * 60_000;

/** From the start on Temporal; a preflight takes some 10 ms, with a script as its hook {@link HOOK_MS} more. */
const AFTER_START_MS = 40;
const HOOK_MS = 300;
/** From the moment when a command was entered, which is longer than it takes to run all of it. */
const AFTER_ENTRY_MS = 1500;
const AFTER_ANSWER_MS = 100;
const ANSWER_MS = 200;

const ONE_CALL = `
steps: [{ id: first, call: fx.keyed, with: { name: first }, timeout: 10m, retry: { attempts: 30, first: 100ms, factor: 1 } }]
output: { first: "\${{ steps.first.output.effect }}" }`;
const HOOKS = `
hooks: [{ id: slow, blocking: true, match: { abilities: [guarded] }, handler: { script: { path: hooks/slow.mjs } } }]`;
const SLOW = `setTimeout(() => process.stdout.write('{"guard_decision": "allow"}'), ${HOOK_MS});`;

const projectAt = (origin: string) => ({
  ...chaosProject(origin),
  ...workflow('plain', ONE_CALL),
  ...workflow('guarded', ONE_CALL),
  'registry/hooks/PreAbilityCreate.yaml': HOOKS,
  'hooks/slow.mjs': SLOW,
});

/** What a kill came before, in the order of a task's life. */
const STAGES = ['its start', 'its preflight', 'its first call', 'its end', 'nothing'] as const;

interface Started {
  key: string;
  victim: string;
  /** What had not happened yet when the kill came. */
  before: (typeof STAGES)[number];
  /** Whether the client had been answered by then. */
  isAcknowledged: boolean;
  faults: string[];
}

describe.each(SITES)('starts of tasks $where', ({ open, starts }) => {
  let effects: EffectService;
  let site: OpenSite;

  beforeAll(async () => {
    const random = chance(SEED + 3);
    effects = await startEffects(() => random() * ANSWER_MS);
    site = await open(projectAt(effects.origin));
    await site.revive();
  }, LIMIT_MS);
  afterAll(async () => {
    await site?.stop();
    await effects?.stop();
  });

  test(
    `${starts} with kill -9 of client, worker or server: one task a key, nothing acknowledged lost (seed ${SEED})`,
    async () => {
      const random = chance(SEED + 4);
      const victims = ['client', ...Object.keys(site.victims).filter((name) => !name.includes(' and '))];
      const plans = Array.from({ length: starts }, (_, n) => ({
        key: `${site.name}-start-${n}`,
        victim: victims[(SEED + n) % victims.length] as string,
        ability: random() < 0.5 ? 'plain' : 'guarded',
        isCreated: random() < 0.4,
        after: MOMENTS[Math.floor(random() * MOMENTS.length)] as Plan['after'],
        at: random(),
      }));
      const ends: Started[] = [];
      const lane = async (): Promise<void> => {
        for (let plan = plans.shift(); plan; plan = plans.shift()) ends.push(await startAndKill(site, effects, plan));
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      for (const stage of STAGES) {
        const there = ends.filter(({ before }) => before === stage);
        const known = there.filter(({ isAcknowledged }) => isAcknowledged).length;
        const killed = countOf(there.map(({ victim }) => victim));
        say(`${site.name}: ${there.length} kills before ${stage}, ${known} of them acknowledged: ${killed || 'none'}`);
      }
      expect(ends.flatMap(({ key, victim, faults }) => faults.map((fault) => `${key}, ${victim}: ${fault}`))).toEqual(
        [],
      );
      expect(ends).toHaveLength(starts);
      expect(site.user.hung).toEqual([]);
    },
    ALL_MS,
  );
});

/** The command was entered; Temporal has the start; the client was answered. */
const MOMENTS = ['entry', 'start', 'start', 'answer'] as const;

interface Plan {
  key: string;
  victim: string;
  ability: string;
  /** Whether it is created first, which waits for the acknowledgement, and run by another command. */
  isCreated: boolean;
  /** What the kill comes after. */
  after: (typeof MOMENTS)[number];
  /** How long after, from 0 to 1. */
  at: number;
}

/** Starts a task, kills, and goes on as a user would: the same command until it is acknowledged, then to the end. */
async function startAndKill(site: OpenSite, effects: EffectService, plan: Plan): Promise<Started> {
  const { key, victim, ability, isCreated } = plan;
  const { user } = site;
  const faults: string[] = [];
  const asked = isCreated ? ['task', 'create', ability, '--key', key] : ['run', ability, '--key', key, '--detach'];
  let killedAt = 0;
  let acknowledgedAt = Number.POSITIVE_INFINITY;
  const entered = start([...asked, '--json'], { cwd: user.cwd, env: user.env });
  void entered.then(({ exitCode }) => {
    if (exitCode === 0) acknowledgedAt = Date.now();
  });
  const connection = await connectionTo(site);
  try {
    await theMoment(connection, plan, entered);
    const pids = victim === 'client' ? [entered.pid ?? 0] : await livingOf(site, victim);
    killedAt = Date.now();
    await killAll(pids);
    await entered;
  } finally {
    await connection.close();
  }
  await site.revive();

  const deadline = Date.now() + LIMIT_MS;
  const insist = async (args: string[]): Promise<void> => {
    for (;;) {
      const { exitCode, json, stderr } = await command(user, args);
      if (exitCode === 0) return;
      if (exitCode !== EXIT.timedOut && exitCode !== EXIT.outOfOrder)
        faults.push(`${args[0]}: exit ${exitCode}: ${JSON.stringify(json)} ${stderr}`);
      if (faults.length > 0 || Date.now() > deadline) return;
      await pause(200);
    }
  };
  // Also after an acknowledgement, as whoever did not see it would.
  await insist(asked);
  if (isCreated) await insist(['task', 'run', key, '--detach']);
  let result: TaskResult | undefined;
  while (!result && faults.length === 0 && Date.now() < deadline) {
    const { json } = await command(user, ['task', 'watch', key, '--timeout', '8s']);
    if (json.task_key === key && isEndState(json.status)) result = json as TaskResult;
    else await pause(200);
  }
  const isAcknowledged = acknowledgedAt < killedAt;
  if (!result) return { key, victim, before: 'nothing', isAcknowledged, faults: [...faults, 'it does not end'] };

  const sent = effects.deliveries.filter((one) => one.key === `${key}/first`);
  const first = effects.effects.get(`${key}/first`);
  if (result.status !== 'succeeded') faults.push(`${result.status}: ${JSON.stringify(result.error)}`);
  else if (first === undefined || (result.output as { first?: unknown }).first !== first)
    faults.push(`its output is ${JSON.stringify(result.output)}, its effect ${first}`);
  if (effects.deliveries.filter((one) => one.key.startsWith(`${key}/`)).length !== sent.length)
    faults.push('an effect was sent under another key');
  if (result.warnings.length > 0) faults.push(`warnings: ${result.warnings.join('; ')}`);
  if (!existsSync(join(user.cwd, '.system/implement', key))) faults.push('it has no record');
  const again = await connectionTo(site);
  try {
    const life = await insistOn(() => lifeOf(again, key));
    if (life.executions !== 1) faults.push(`${life.executions} executions under the key`);
    const before = stageAt(killedAt, [life.startedAt, life.formedAt, sent[0]?.at, life.endedAt]);
    return { key, victim, before, isAcknowledged, faults };
  } finally {
    await again.close();
  }
}

/** Waits for the moment of the kill. */
async function theMoment(connection: Connection, { key, ability, after, at }: Plan, answered: Promise<unknown>) {
  if (after === 'entry') return pause(at * AFTER_ENTRY_MS);
  if (after === 'answer') {
    await answered;
    return pause(at * AFTER_ANSWER_MS);
  }
  const deadline = Date.now() + 5000;
  for (;;) {
    const isThere = await connection.temporal.workflow
      .getHandle(key)
      .describe()
      .catch(() => undefined);
    if (isThere || Date.now() > deadline) break;
    await pause(2);
  }
  await pause(at * (AFTER_START_MS + (ability === 'guarded' ? HOOK_MS : 0)));
}

/** The server may be killed for another task just now. */
async function connectionTo(site: OpenSite): Promise<Connection> {
  for (const deadline = Date.now() + LIMIT_MS; ; ) {
    try {
      return await site.openConnection();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await site.revive();
    }
  }
}

async function livingOf(site: OpenSite, victim: string): Promise<number[]> {
  for (;;) {
    const pids = site.victims[victim]?.();
    if (pids) return pids;
    await Promise.race([site.revive().catch(() => {}), pause(200)]);
  }
}

async function killAll(pids: number[]): Promise<void> {
  const marks = pids.flatMap((pid) => markOf(pid) ?? []);
  for (const { pid } of marks) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended just now.
    }
  }
  await until('the killed processes to end', () => !marks.some(isAlive) || undefined);
}

async function insistOn<T>(action: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LIMIT_MS; ; await pause(200)) {
    try {
      return await action();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** When what happened to a task, in milliseconds since the epoch, and how many executions its key has. */
async function lifeOf({ temporal }: Connection, key: string) {
  const { events } = await temporal.workflow.getHandle(key).fetchHistory();
  const timeOf = (event: NonNullable<typeof events>[number] | undefined): number | undefined =>
    event && Number(event.eventTime?.seconds) * 1000 + Number(event.eventTime?.nanos ?? 0) / 1e6;
  // The first completed workflow task has the answer of preflight, or orders its activity.
  const formed = events?.find(
    (event) => event.markerRecordedEventAttributes ?? event.activityTaskCompletedEventAttributes,
  );
  const { count } = await temporal.workflow.count(`WorkflowId = '${key}'`);
  return {
    executions: count,
    startedAt: timeOf(events?.[0]),
    formedAt: timeOf(formed),
    endedAt: timeOf(events?.at(-1)),
  };
}

function stageAt(killedAt: number, times: (number | undefined)[]): Started['before'] {
  const next = times.findIndex((at) => at !== undefined && at > killedAt);
  return STAGES[next < 0 ? STAGES.length - 1 : next] as Started['before'];
}

function countOf(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}
