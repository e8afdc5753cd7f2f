/** One round of one scenario: tasks in turns, then many at once. */
import type { Client } from '@temporalio/client';
import type { Contender, Prepared } from './contenders.js';
import { cpuOf, memoryOf } from './processes.js';
import { shuffled } from './statistics.js';
import type { ScenarioName } from './twin/contract.js';

/** What one contender did in one round of one scenario. Times are milliseconds; lists have an entry a task, in turns. */
export interface Measured {
  contender: string;
  scenario: ScenarioName;
  round: number;
  preflightMs: number[];
  /** CPU time of the worker, for each preflight. */
  preflightCpuMs: number;
  planBytes: number;
  /** From the start of the workflow to its close, as the server tells. */
  taskMs: number[];
  /** From asking for the start to having the result. */
  clientMs: number[];
  events: number[];
  bytes: number[];
  /** CPU time of the worker, for each task. */
  cpuMs: number;
  /** MiB, at the end of the round. */
  memory: number;
}

/** Many tasks at once. */
export interface Burst {
  contender: string;
  scenario: ScenarioName;
  round: number;
  /** Tasks a second. */
  rate: number;
  cpuMs: number;
  memory: number;
}

/** A contender in one round. */
interface Lane {
  contender: Contender;
  measured: Measured;
  /** Tasks that passed preflight and wait for their turn. */
  prepared: Prepared[];
}

/** Where and when it is measured. */
export interface Setting {
  client: Client;
  scenario: ScenarioName;
  round: number;
  random: () => number;
}

/**
 * Lets every contender run a task in turn, as many times as said, in another order each time.
 *
 * So each turn is a pair of neighbours in time, and what else the machine does hits all alike.
 */
export async function measureInTurns(
  contenders: readonly Contender[],
  tasks: number,
  { client, scenario, round, random }: Setting,
): Promise<Measured[]> {
  const lanes = contenders.map((contender) => laneOf(contender, scenario, round));
  for (const { contender, measured, prepared } of shuffled(lanes, random)) {
    const before = cpuOf(contender.pid);
    for (let nth = 0; nth < tasks; nth += 1) prepared.push(await contender.prepare(scenario));
    measured.preflightCpuMs = (cpuOf(contender.pid) - before) / tasks;
    measured.preflightMs = prepared.map(({ preflightMs }) => preflightMs);
    measured.planBytes = prepared[0]?.planBytes ?? 0;
  }
  for (let nth = 0; nth < tasks; nth += 1) {
    for (const { contender, measured, prepared } of shuffled(lanes, random)) {
      const before = cpuOf(contender.pid);
      const began = performance.now();
      const id = await (prepared[nth] as Prepared).run();
      measured.clientMs.push(performance.now() - began);
      measured.cpuMs += (cpuOf(contender.pid) - before) / tasks;
      const { raw, historyLength, historySize } = await client.workflow.getHandle(id).describe();
      const { startTime, closeTime } = raw.workflowExecutionInfo ?? {};
      measured.taskMs.push(millisecondsOf(closeTime) - millisecondsOf(startTime));
      measured.events.push(historyLength);
      measured.bytes.push(historySize ?? 0);
    }
  }
  for (const { contender, measured } of lanes) measured.memory = memoryOf(contender.pid);
  return lanes.map(({ measured }) => measured);
}

function laneOf(contender: Contender, scenario: ScenarioName, round: number): Lane {
  const measured: Measured = {
    contender: contender.name,
    scenario,
    round,
    preflightMs: [],
    preflightCpuMs: 0,
    planBytes: 0,
    taskMs: [],
    clientMs: [],
    events: [],
    bytes: [],
    cpuMs: 0,
    memory: 0,
  };
  return { contender, measured, prepared: [] };
}

type Timestamp = { seconds?: unknown; nanos?: unknown } | null | undefined;

/** The SDK's dates are whole milliseconds; the server's are finer. */
function millisecondsOf(time: Timestamp): number {
  return Number(time?.seconds) * 1000 + Number(time?.nanos ?? 0) / 1e6;
}

/** Callers at once. */
export const IN_FLIGHT = 50;
/** Preflights are let pass before, so that only tasks are counted. */
const PREPARED_AT_ONCE = 10;

/** Runs many tasks of each contender, 50 at once, one contender after the other in random order. */
export async function measureBursts(
  contenders: readonly Contender[],
  tasks: number,
  { scenario, round, random }: Setting,
): Promise<Burst[]> {
  const bursts: Burst[] = [];
  for (const contender of shuffled(contenders, random)) {
    const prepared: Prepared[] = [];
    await inFlight(PREPARED_AT_ONCE, tasks, async () => void prepared.push(await contender.prepare(scenario)));
    const before = cpuOf(contender.pid);
    const began = performance.now();
    await inFlight(IN_FLIGHT, tasks, (nth) => (prepared[nth] as Prepared).run());
    const seconds = (performance.now() - began) / 1000;
    bursts.push({
      contender: contender.name,
      scenario,
      round,
      rate: tasks / seconds,
      cpuMs: (cpuOf(contender.pid) - before) / tasks,
      memory: memoryOf(contender.pid),
    });
  }
  return bursts;
}

/** Does as much work as said, at most so many at a time. */
export async function inFlight(most: number, count: number, work: (nth: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(most, count) }, lane));
}
