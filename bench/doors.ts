/** What the HTTP door costs: beside the client library, under many listeners, and over many requests. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { awaitResult, createTask } from '../src/client/index.js';
import { BENCH } from './contenders.js';
import { DoorClient } from './door-client.js';
import { inFlight } from './measure.js';
import { cpuOf, memoryOf } from './processes.js';
import type { Gate } from './report.js';
import { INPUTS } from './scenarios.js';
import { type DoorStage, PLAIN } from './stage.js';
import { median, type Spread, shuffled, spreadOf } from './statistics.js';
import type { Kept } from './watch-heap.js';

/** How much is measured. */
export interface DoorExtent {
  rounds: number;
  /** Noops one after the other, each way, in each round. */
  turns: number;
  /** Noops with {@link AT_ONCE} in flight, each way, in each round. */
  burst: number;
  listeners: number;
  /** Over which memory is looked at. */
  requests: number;
}

/** As in the published figures; about eight minutes. */
export const FULL_DOORS: DoorExtent = { rounds: 5, turns: 20, burst: 150, listeners: 1000, requests: 10_000 };

/** A minute, to look whether a change costs much. */
export const SHORT_DOORS: DoorExtent = { rounds: 2, turns: 8, burst: 50, listeners: 200, requests: 1000 };

const AT_ONCE = 50;
/** Tasks that the listeners of the second look share. */
const TASKS = 200;
/** Requests between two looks at the memory. */
const EACH = 500;
/** Between two looks for what the door writes. */
const PAUSE_MS = 20;
/** Every so many requests one runs a task; the others read. */
const RUNS = 5;
/** At the end the door keeps at most so much more than after its first requests. */
const MOST_GROWTH = 1.1;

/** The noop over HTTP, through that of the client library. */
export interface RunCost {
  /** Milliseconds from asking to having the result. */
  client: Spread;
  http: Spread;
  /** Paired by turn. */
  ratio: Spread;
  /** Calls a second. */
  clientRate: Spread;
  httpRate: Spread;
  rateRatio: Spread;
}

/** Runs noops in turns both ways, then with 50 in flight. */
export async function measureRuns(stage: DoorStage, extent: DoorExtent, random: () => number): Promise<RunCost> {
  const door = new DoorClient(stage.url);
  const ways = { client: () => runByClient(stage), http: () => runByHttp(door) };
  const times: Record<keyof typeof ways, number[]> = { client: [], http: [] };
  const rates: Record<keyof typeof ways, number[]> = { client: [], http: [] };
  const names = Object.keys(ways) as (keyof typeof ways)[];
  for (const name of names) await inFlight(2, 6, ways[name]);
  for (let turn = 0; turn < extent.rounds * extent.turns; turn += 1) {
    for (const name of shuffled(names, random)) {
      const began = performance.now();
      await ways[name]();
      times[name].push(performance.now() - began);
    }
  }
  for (let round = 0; round < extent.rounds; round += 1) {
    for (const name of shuffled(names, random)) {
      const began = performance.now();
      await inFlight(AT_ONCE, extent.burst, ways[name]);
      rates[name].push((extent.burst * 1000) / (performance.now() - began));
    }
  }
  door.close();
  const through = (upper: number[], lower: number[]): Spread =>
    spreadOf(upper.map((value, nth) => value / (lower[nth] as number)));
  return {
    client: spreadOf(times.client),
    http: spreadOf(times.http),
    ratio: through(times.http, times.client),
    clientRate: spreadOf(rates.client),
    httpRate: spreadOf(rates.http),
    rateRatio: through(rates.http, rates.client),
  };
}

async function runByClient({ connection, environment }: DoorStage): Promise<void> {
  const task = { ability: 'noop', environment, input: INPUTS.noop, caller: BENCH, run: true, soon: true };
  const { id } = await createTask(connection, task);
  refuse((await awaitResult(connection, id)).status);
}

async function runByHttp(door: DoorClient): Promise<void> {
  const { body } = await door.ask('POST', '/v1/runs', {
    ability: 'noop',
    environment: PLAIN,
    input: INPUTS.noop,
    wait: '60s',
  });
  refuse(String(body.status));
}

function refuse(status: string): void {
  if (status !== 'succeeded') throw new Error(`noop gave ${status}`);
}

/** How soon all listeners have heard of something. Milliseconds. */
export interface Heard {
  tasks: number;
  listeners: number;
  /** Until all had heard the first event. */
  openedMs: number;
  /** From asking for the end of a task to hearing it, the median listener and the last. */
  endMs: { median: number; last: number };
  /** MiB a listener. */
  memoryMiB: number;
  /** CPU of the door while they listen and nothing happens, in a hundredth of one core. */
  idlePercent: number;
}

/** Many listen, to one task and to many. */
export async function measureListeners(stage: DoorStage, { listeners }: DoorExtent): Promise<Heard[]> {
  return [await listen(stage, 1, listeners), await listen(stage, Math.min(TASKS, listeners), listeners)];
}

async function listen({ url, door: pid }: DoorStage, tasks: number, listeners: number): Promise<Heard> {
  const door = new DoorClient(url);
  const keys: string[] = [];
  await inFlight(10, tasks, async () => {
    const { body } = await door.ask('POST', '/v1/runs', {
      ability: 'approval',
      environment: PLAIN,
      input: INPUTS.approval,
    });
    keys.push(String(body.task_key));
  });
  const before = memoryOf(pid);
  const began = performance.now();
  const streams = Array.from({ length: listeners }, (_, nth) => door.listen(keys[nth % tasks] as string));
  await Promise.all(streams.map(({ first }) => first));
  const openedMs = performance.now() - began;
  const cpu = cpuOf(pid);
  await wait(3000);
  const idlePercent = (cpuOf(pid) - cpu) / 30;
  const memoryMiB = (memoryOf(pid) - before) / listeners;
  const asked = new Map<string, number>();
  await inFlight(10, tasks, async (nth) => {
    const key = keys[nth] as string;
    asked.set(key, performance.now());
    await door.ask('POST', `/v1/tasks/${key}/cancel`);
  });
  const ends = await Promise.all(
    streams.map(async ({ ended }, nth) => (await ended) - (asked.get(keys[nth % tasks] as string) as number)),
  );
  door.close();
  const endMs = { median: median(ends), last: Math.max(...ends) };
  return { tasks, listeners, openedMs, endMs, memoryMiB, idlePercent };
}

/** What the door keeps, once its garbage is collected. */
export interface Memory {
  requests: number;
  /** Before the first request, and after each {@link EACH}. */
  seen: Kept[];
  /** Heap and buffers at the end, through those after the first {@link EACH} requests. */
  growth: number;
}

/** Asks for everything again and again; each fifth request runs a task. */
export async function measureMemory(stage: DoorStage, { requests }: DoorExtent): Promise<Memory> {
  const door = new DoorClient(stage.url);
  const { body } = await door.ask('POST', '/v1/runs', {
    ability: 'noop',
    environment: PLAIN,
    input: INPUTS.noop,
    wait: '60s',
  });
  const reads = [
    `/v1/tasks/${body.task_key}`,
    '/v1/tasks?limit=20',
    '/v1/abilities',
    `/v1/tasks/${body.task_key}/result`,
  ];
  const seen = [await look(stage)];
  for (let done = 0; done < requests; done += EACH) {
    await inFlight(20, EACH, async (nth) => {
      if (nth % RUNS === 0) await runByHttp(door);
      else await door.ask('GET', reads[nth % reads.length] as string);
    });
    seen.push(await look(stage));
  }
  door.close();
  const used = ({ heap, external }: Kept): number => heap + external;
  return { requests, seen, growth: used(seen.at(-1) as Kept) / used(seen[1] as Kept) };
}

async function look({ door, kept }: DoorStage): Promise<Kept> {
  rmSync(kept, { force: true });
  process.kill(door, 'SIGUSR2');
  while (!existsSync(kept)) await wait(PAUSE_MS);
  return JSON.parse(readFileSync(kept, 'utf8')) as Kept;
}

/** One line a figure. */
export function doorLinesOf(runs: RunCost, heard: readonly Heard[], { requests, seen, growth }: Memory): string {
  const ms = ({ median, least, most }: Spread): string =>
    `${median.toFixed(0)} ms (${least.toFixed(0)}-${most.toFixed(0)})`;
  const times = ({ median, least, most }: Spread): string =>
    `${median.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
  return [
    `POST /v1/runs of a noop: ${ms(runs.http)}; through the client library ${ms(runs.client)}; paired ${times(runs.ratio)} x.`,
    `${AT_ONCE} at once: ${times(runs.httpRate)} a second; through the client library ${times(runs.clientRate)}; ${times(runs.rateRatio)} x.`,
    ...heard.map(
      ({ tasks, listeners, openedMs, endMs, memoryMiB, idlePercent }) =>
        `${listeners} listeners, ${tasks} ${tasks === 1 ? 'task' : 'tasks'}: all had heard the first event after ${(openedMs / 1000).toFixed(1)} s, ` +
        `the end ${endMs.median.toFixed(0)} ms after it was asked for (the last ${endMs.last.toFixed(0)} ms); ` +
        `${(memoryMiB * 1024).toFixed(0)} KiB of the door each, ${idlePercent.toFixed(1)} % of a core while nothing happens.`,
    ),
    `What the door keeps over ${requests} requests, heap and buffers after a collection, at first and after each ${EACH}: ` +
      `${seen.map(({ heap, external }) => (heap + external).toFixed(0)).join(', ')} MiB; the end is ${growth.toFixed(2)} x the look after ${EACH}. ` +
      `RSS at the end ${seen.at(-1)?.rss.toFixed(0)} MiB.`,
  ].join('\n');
}

/** Whether what is promised of the door is kept. */
export function doorGatesOf({ growth }: Memory): Gate[] {
  const what = 'what the door keeps at the end, through that after its first requests';
  return [{ what, measured: growth, limit: MOST_GROWTH, kept: growth <= MOST_GROWTH, hard: true }];
}
