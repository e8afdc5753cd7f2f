/** Kills processes at random while users continue with their tasks. */
import type { Connection } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { isAlive, markOf } from '../../src/server/processes/processes.js';
import type { EffectService } from './effect-service.js';
import { COURSES } from './everything.js';
import { chance, pause, say, until } from './extent.js';
import { type Judged, judge, type Kill } from './judge.js';
import { type Lived, seeThrough, type User } from './user.js';

/** Where tasks run, and which of its parts can be killed. */
export interface Site {
  /** The start of the keys of its tasks. */
  name: string;
  user: User;
  /** Processes that are killed together, by name: those alive now, or undefined while one of them is not. */
  victims: Record<string, () => number[] | undefined>;
  /** Makes sure that everything runs again, and resolves when it does. */
  revive(): Promise<void>;
  openConnection(): Promise<Connection>;
}

/** How strong the storm is. */
export interface Strength {
  seed: number;
  kills: number;
  /** The number of tasks at once. */
  lanes: number;
  /** Limit in milliseconds for killed processes to be back, and after the last kill for every task to have ended. */
  limitMs: number;
}

/** The outcome of a storm. */
export interface StormReport {
  kills: Kill[];
  /** Ends of tasks, and how many tasks had each. */
  ends: Map<string, number>;
  decisions: number;
  /** The number of requests that a service received again under the same key. */
  repeated: number;
  /** By how many milliseconds a wait was late at most, apart from the time in which nothing ran. */
  late: number;
  wrong: string[];
}

/** A kill may come while things are still starting. */
const EARLY = 0.25;
const EARLY_MS = 1500;
const LEAST_MS = 300;
const MORE_MS = 4000;
const LEAST_WAIT_MS = 500;
const MORE_WAIT_MS = 5000;

/** Kills this often, and waits until all tasks that were started meanwhile have ended. */
export async function blow(site: Site, effects: EffectService, strength: Strength): Promise<StormReport> {
  const { seed, lanes } = strength;
  const wrong: string[] = [];
  const lived: Lived[] = [];
  let overAt: number | undefined;
  const isTooLate = (): boolean => overAt !== undefined && Date.now() > overAt + strength.limitMs;
  let counter = 0;
  const random = chance(seed + 1);
  const liveOn = async (): Promise<void> => {
    while (overAt === undefined) {
      const key = `${site.name}-${(counter += 1)}`;
      try {
        lived.push(await seeThrough(site.user, key, inputOf(random, effects.origin), isTooLate));
      } catch (error) {
        wrong.push(`${key}: ${String(error)}`);
      }
    }
  };
  const users = Promise.all(Array.from({ length: lanes }, liveOn));
  const kills: Kill[] = [];
  try {
    await killAtRandom(site, strength, kills);
  } catch (error) {
    wrong.push(String(error));
  }
  overAt = Date.now();
  await users;
  const connection = await site.openConnection();
  try {
    const judged: Judged[] = [];
    for (const one of lived) judged.push(await judge(connection, one, effects, kills));
    return summarize(kills, lived, judged, effects, wrong, site.user.hung);
  } finally {
    await connection.close();
  }
}

/** The kinds alternate, in an order that differs from round to round; the moments are random. */
async function killAtRandom(site: Site, { seed, kills, limitMs }: Strength, done: Kill[]): Promise<void> {
  const random = chance(seed);
  const kinds = Object.keys(site.victims);
  let round: string[] = [];
  while (done.length < kills) {
    if (round.length === 0) round = shuffled(kinds, random);
    const kind = round.pop() as string;
    const reviving = site.revive();
    // It is awaited below, unless the next kill comes before.
    reviving.catch(() => {});
    const isEarly = random() < EARLY && done.length > 0;
    if (!isEarly) {
      await bounded(reviving, limitMs, `after ${done.length} kills, the last of ${done.at(-1)?.kind}, it to run again`);
      const last = done.at(-1);
      if (last) last.backAt ??= Date.now();
    }
    await pause(isEarly ? random() * EARLY_MS : LEAST_MS + random() * MORE_MS);
    const pids = await aliveOf(site, kind, limitMs);
    const at = Date.now();
    const marks = pids.flatMap((pid) => markOf(pid) ?? []);
    for (const { pid } of marks) killNow(pid);
    await until('the killed processes to be gone', () => !marks.some(isAlive) || undefined);
    done.push({ kind, at, backAt: undefined });
    say(`${site.name}: kill ${done.length} of ${kills}, ${kind}${isEarly ? ', early' : ''} (${pids.join(' ')})`);
    await reviving.catch(() => {});
  }
  await bounded(site.revive(), limitMs, 'it to run again after the last kill');
  const last = done.at(-1);
  if (last) last.backAt = Date.now();
}

async function aliveOf(site: Site, kind: string, limitMs: number): Promise<number[]> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const pids = site.victims[kind]?.();
    if (pids) return pids;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${kind} to be alive`);
    await pause(20);
    await Promise.race([site.revive().catch(() => {}), pause(1000)]);
  }
}

async function bounded(action: Promise<void>, limitMs: number, what: string): Promise<void> {
  const timeout = pause(limitMs).then(() => {
    throw new Error(`waited in vain for ${what}`);
  });
  timeout.catch(() => {});
  await Promise.race([action, timeout]);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
}

function inputOf(random: () => number, origin: string): JsonObject {
  const drawn = random();
  const [succeeds, fails, denied] = COURSES;
  const course = drawn < 0.5 ? succeeds : drawn < 0.8 ? fails : denied;
  return { course, wait_ms: Math.round(LEAST_WAIT_MS + random() * MORE_WAIT_MS), origin };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function summarize(
  kills: Kill[],
  lived: Lived[],
  judged: Judged[],
  effects: EffectService,
  wrong: string[],
  hung: string[],
): StormReport {
  const ends = new Map<string, number>();
  for (const { result } of lived) ends.set(result.status, (ends.get(result.status) ?? 0) + 1);
  return {
    kills,
    ends,
    decisions: lived.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
    repeated: effects.deliveries.length - new Set(effects.deliveries.map(({ key }) => key)).size,
    late: Math.max(0, ...judged.map(({ late }) => late)),
    wrong: [...wrong, ...hung, ...judged.flatMap(({ key, faults }) => faults.map((fault) => `${key}: ${fault}`))],
  };
}

/** Prints the outcome, in the form that the documentation shows. */
export function report(name: string, { kills, ends, decisions, repeated, late, wrong }: StormReport, user: User): void {
  const count = (items: Iterable<[string, number]>): string =>
    [...items].map(([what, times]) => `${what} ${times}`).join(', ') || 'none';
  const kinds = new Map<string, number>();
  for (const { kind } of kills) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  say(`${name}: ${kills.length} kills (${count(kinds)}); ends: ${count(ends)}`);
  say(`${name}: ${decisions} decisions acknowledged; ${repeated} repeated calls; waits up to ${late} ms late`);
  say(`${name}: ${wrong.length} wrong`);
  say(`${name}: users met ${count(user.met)}`);
}
