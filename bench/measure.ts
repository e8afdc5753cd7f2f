/** One round of one scenario: tasks in turns, then many at once. Each begins with the request and ends with the result. */
import type { Client } from '@temporalio/client';
import type { Contender } from './contenders.js';
import { cpuOf, memoryOf } from './processes.js';
import type { Scenario } from './scenarios.js';
import { shuffled } from './statistics.js';

/** What one contender did in one round of one scenario. Times are milliseconds; lists have an entry a task, in turns. */
export interface Measured {
  contender: string;
  scenario: Scenario;
  round: number;
  /** Bytes of the plan as JSON, which the history keeps deflated. */
  planBytes: number;
  /** From the start of the workflow to its close, as the server reports them. */
  taskMs: number[];
  /** From asking for the start to having the result. */
  clientMs: number[];
  events: number[];
  bytes: number[];
  /** CPU time of all processes, for each task: worker, server and client. */
  cpuMs: number;
  /** CPU time of the worker, for each task. */
  workerMs: number;
  /** Of the worker at the end of the round. MiB. */
  memory: number;
}

/** Many tasks at once. */
export interface Burst {
  contender: string;
  scenario: Scenario;
  round: number;
  /** Tasks a second. */
  rate: number;
  /** As in {@link Measured}. */
  cpuMs: number;
  workerMs: number;
}

/** Where and when it is measured. */
export interface Setting {
  client: Client;
  /** Of the server. */
  server: number;
  scenario: Scenario;
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
  { client, server, scenario, round, random }: Setting,
): Promise<Measured[]> {
  const lanes = contenders.map((contender) => ({ contender, measured: nothingOf(contender, scenario, round) }));
  for (let nth = 0; nth < tasks; nth += 1) {
    for (const { contender, measured } of shuffled(lanes, random)) {
      const spent = watchCpu(contender.pid, server);
      const began = performance.now();
      const id = await contender.run(scenario);
      measured.clientMs.push(performance.now() - began);
      const { all, worker } = spent();
      measured.cpuMs += all / tasks;
      measured.workerMs += worker / tasks;
      const { raw, historyLength, historySize } = await client.workflow.getHandle(id).describe();
      const { startTime, closeTime } = raw.workflowExecutionInfo ?? {};
      measured.taskMs.push(millisecondsOf(closeTime) - millisecondsOf(startTime));
      measured.events.push(historyLength);
      measured.bytes.push(historySize ?? 0);
      if (nth === 0) measured.planBytes = await contender.planBytes(id);
    }
  }
  for (const { contender, measured } of lanes) measured.memory = memoryOf(contender.pid);
  return lanes.map(({ measured }) => measured);
}

function nothingOf({ name }: Contender, scenario: Scenario, round: number): Measured {
  const counts = { planBytes: 0, cpuMs: 0, workerMs: 0, memory: 0 };
  return { contender: name, scenario, round, taskMs: [], clientMs: [], events: [], bytes: [], ...counts };
}

/** Begins to count CPU time. @returns what the processes have used since. Milliseconds. */
function watchCpu(pid: number, server: number): () => { all: number; worker: number } {
  const now = (): { worker: number; others: number } => ({
    worker: cpuOf(pid),
    others: cpuOf(server) + cpuOf(process.pid),
  });
  const before = now();
  return () => {
    const after = now();
    const worker = after.worker - before.worker;
    return { worker, all: worker + after.others - before.others };
  };
}

type Timestamp = { seconds?: unknown; nanos?: unknown } | null | undefined;

/** The SDK's dates are whole milliseconds; the server's are finer. */
function millisecondsOf(time: Timestamp): number {
  return Number(time?.seconds) * 1000 + Number(time?.nanos ?? 0) / 1e6;
}

/** Callers at once. */
export const IN_FLIGHT = 50;

/** Runs many tasks of each contender, 50 at once, one contender after the other in random order. */
export async function measureBursts(
  contenders: readonly Contender[],
  tasks: number,
  { server, scenario, round, random }: Setting,
): Promise<Burst[]> {
  const bursts: Burst[] = [];
  for (const contender of shuffled(contenders, random)) {
    const spent = watchCpu(contender.pid, server);
    const began = performance.now();
    await inFlight(IN_FLIGHT, tasks, () => contender.run(scenario));
    const seconds = (performance.now() - began) / 1000;
    const { all, worker } = spent();
    const perTask = { cpuMs: all / tasks, workerMs: worker / tasks };
    bursts.push({ contender: contender.name, scenario, round, rate: tasks / seconds, ...perTask });
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
