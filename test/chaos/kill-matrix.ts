/** Kills the worker of a task after each event of its history, and checks how the task ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type NewTask, waitForTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import type { Delivery } from './effect-service.js';
import { chance, say } from './extent.js';
import type { Lane } from './lane.js';
import { type Course, type Led, leadTask, type Moment, sendDecision, WAITS_FOR_PEOPLE } from './lockstep.js';
import { readBatches, readEvents, type SeenEvent } from './read-events.js';

/** A task that is run again and again, with a different kill each time. */
export interface Matrix {
  name: string;
  seed: number;
  wanted: Pick<NewTask, 'ability' | 'input'>;
  course: Course;
  /** The number of moments to kill at, spread over all of them; at each one if absent. */
  kills?: number;
  /** @throws Error when a task did not end as it should. */
  check(end: KilledTask): void;
}

/** How a task ended after its worker was killed. */
export interface KilledTask {
  key: string;
  /** The moment of the kill. */
  moment: Moment;
  /** The history at that moment. */
  events: SeenEvent[];
  /** The requests sent for it, in order. */
  deliveries: Delivery[];
  /** Keys of the effects, without the key of the task, with the numbers that the service assigned. */
  effects: Map<string, number>;
  /** Whether the decision was acknowledged. */
  acknowledged: boolean;
  result: TaskResult;
}

/** The outcome of a matrix. */
export interface MatrixReport {
  kills: number;
  /** Ends of batches that a kill should have hit but did not. */
  missed: string[];
  /** The failures, each with the moment of the kill. */
  wrong: string[];
}

/** On a busy machine a limit of one second may pass between two steps; then the kill is tried again. */
const MOST_TRIES = 5;
const END_MS = 90_000;
const JITTER_MS = 20;
/** By then, a worker that has taken over a task knows of an open approval. */
const APPROVAL_MS = 300;

let counter = 0;

/** Kills at the moments of a matrix, on several lanes at once, and prints where each kill landed. */
export async function killThroughout(lanes: readonly Lane[], matrix: Matrix): Promise<MatrixReport> {
  const { moments, batchEnds } = await leadThrough(lanes[0] as Lane, matrix);
  const random = chance(matrix.seed);
  const wanted = pick(moments, matrix.kills, random);
  const open = wanted.map((at) => ({ at, jitter: random() * JITTER_MS }));
  const report: MatrixReport = { kills: 0, missed: [], wrong: [] };
  const landed = new Set<string>();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = open.shift(); next; next = open.shift()) {
        const expected = moments[next.at] as Moment;
        try {
          const moment = await killAt(lane, matrix, next.at, next.jitter, expected, report);
          if (moment) landed.add(moment.event);
        } catch (error) {
          report.wrong.push(
            `${matrix.name}, to be killed after ${expected.event} (${expected.what}): ${String(error)}`,
          );
          await lane.killWorker();
          await lane.startWorker();
        }
      }
    }),
  );
  const toHit = matrix.kills === undefined ? batchEnds : wanted.map((at) => (moments[at] as Moment).event);
  report.missed = toHit.filter((event) => !landed.has(event));
  return report;
}

/** The course of the task without a kill: its moments, and the events after which a kill can come. */
async function leadThrough(
  lane: Lane,
  { wanted, course, name }: Matrix,
): Promise<{ moments: Moment[]; batchEnds: string[] }> {
  for (let tries = 1; ; tries += 1) {
    const key = `whole-${(counter += 1)}`;
    const { moments, release, lost } = await leadTask(lane, { ...wanted, key }, course, Number.POSITIVE_INFINITY);
    const batches = await readBatches(lane.connection, key);
    release();
    if (lost === undefined) {
      say(`${name}: ${batches.flat().length} events in ${batches.length} batches, ${moments.length} moments`);
      return { moments, batchEnds: batches.flatMap((batch) => batch.slice(-1)).map(({ id, type }) => `${id} ${type}`) };
    }
    if (tries === MOST_TRIES) throw new Error(`${name}: ${lost}`);
    await lane.killWorker();
    await lane.startWorker();
  }
}

/** One moment from each of `kills` equal parts, and the one at which the task waits for people. */
function pick(moments: Moment[], kills: number | undefined, random: () => number): number[] {
  if (kills === undefined || kills >= moments.length) return moments.map((_, at) => at);
  const spread = Array.from({ length: kills }, (_, n) => Math.floor(((n + random()) * moments.length) / kills));
  const waits = moments.findIndex(({ what }) => what === WAITS_FOR_PEOPLE);
  return [...new Set(waits < 0 ? spread : [...spread, waits])];
}

async function killAt(
  lane: Lane,
  matrix: Matrix,
  at: number,
  jitterMs: number,
  expected: Moment,
  report: MatrixReport,
): Promise<Moment | undefined> {
  const { name } = matrix;
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const key = `killed-${(counter += 1)}`;
    const led = await leadTask(lane, { ...matrix.wanted, key }, matrix.course, at);
    await sleep(jitterMs);
    await lane.killWorker();
    const events = await readEvents(lane.connection, key);
    const last = events.at(-1) as SeenEvent;
    const moment = { what: expected.what, event: `${last.id} ${last.type}` };
    const started = Date.now();
    const end = { ...(await finishTask(lane, key, led, moment)), events };
    report.kills += 1;
    say(
      `${name}: killed after ${moment.event} (${moment.what}); ${end.result.status} ${Date.now() - started} ms later`,
    );
    try {
      matrix.check(end);
    } catch (error) {
      report.wrong.push(`${name}, killed after ${moment.event} (${moment.what}), task ${key}: ${String(error)}`);
    }
    if (led.lost === undefined && moment.event === expected.event) return moment;
    say(`${name}: that was to be after ${expected.event}${led.lost === undefined ? '' : `; ${led.lost}`}`);
  }
  return undefined;
}

/** Starts another worker and decides for as long as the task waits for approvals. */
async function finishTask(
  lane: Lane,
  key: string,
  { release, acknowledged }: Led,
  moment: Moment,
): Promise<Omit<KilledTask, 'events'>> {
  release();
  const { connection, effects } = lane;
  const serving = lane.startWorker();
  // A failure is reported below, unless another one comes first.
  serving.catch(() => {});
  let acknowledgement = acknowledged;
  for (;;) {
    const end = await waitForTask(connection, key, { timeoutMs: END_MS, approvalMs: APPROVAL_MS });
    if (end.kind === 'approval') {
      acknowledgement = Promise.any(
        [acknowledgement, sendDecision(lane, key, 'command')].map(async (sent) => (await sent) || Promise.reject()),
      );
      await acknowledgement.catch(() => false);
      continue;
    }
    await serving;
    if (end.kind !== 'ended') throw new Error(`${key}, killed after ${moment.event} (${moment.what}), does not end`);
    const prefix = `${key}/`;
    return {
      key,
      moment,
      deliveries: effects.deliveries.filter((delivery) => delivery.key.startsWith(prefix)),
      effects: new Map(
        [...effects.effects].filter(([id]) => id.startsWith(prefix)).map(([id, n]) => [id.slice(prefix.length), n]),
      ),
      acknowledged: await (acknowledgement ?? Promise.resolve(false)).catch(() => false),
      result: end.result,
    };
  }
}
