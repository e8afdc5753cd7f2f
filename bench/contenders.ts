/** Who is compared: the product in each way of having hooks, the twin, and the twin once more. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { awaitResult, type Connection, createTask, decide } from '../src/client/index.js';
import type { PreflightAnswer } from '../src/contracts/task.js';
import { INPUTS, OUTPUTS } from './scenarios.js';
import type { InputOf, ScenarioName } from './twin/contract.js';
import { decideApproval, resultOf, startScenario, untilWaiting } from './twin/starters.js';

/** One side of a comparison. */
export interface Contender {
  name: string;
  /** Of its worker process. */
  pid: number;
  /** Does what comes before the start of a task. */
  prepare(scenario: ScenarioName): Promise<Prepared>;
}

/** A task that can be started. */
export interface Prepared {
  /** 0 where nothing comes before. */
  preflightMs: number;
  /** What the plan adds to the history: its JSON in the argument of the workflow. */
  planBytes: number;
  /** Runs it to its end. @returns the workflow id. @throws Error when it answers anything but what it should. */
  run(): Promise<string>;
}

/** A twin's worker on a queue of its own. */
export function twin(name: string, pid: number, client: Client, taskQueue: string): Contender {
  return {
    name,
    pid,
    async prepare(scenario) {
      const id = `w-${randomBytes(13).toString('hex')}`;
      return { preflightMs: 0, planBytes: 0, run: () => runTwin(client, scenario, { id, taskQueue }) };
    },
  };
}

async function runTwin(
  client: Client,
  scenario: ScenarioName,
  options: { id: string; taskQueue: string },
): Promise<string> {
  const started = await startScenario(client, scenario, INPUTS[scenario] as InputOf<ScenarioName>, options);
  if (scenario === 'approval') {
    await untilWaiting(client, options.id);
    await decideApproval(client, options.id, 'approve', { by: 'ann' });
  }
  refuseOther(scenario, await resultOf(started));
  return options.id;
}

/**
 * The product in one environment of bench/project.
 *
 * @param abilityOf the ability that stands for a scenario, where that is not the one of its name.
 */
export function product(
  name: string,
  pid: number,
  connection: Connection,
  environment: string,
  abilityOf: (scenario: ScenarioName) => string = (scenario) => scenario,
): Contender {
  return {
    name,
    pid,
    async prepare(scenario) {
      const began = performance.now();
      const start = later<void>();
      const passed = later<PreflightAnswer>();
      const created = createTask(connection, {
        ability: abilityOf(scenario),
        environment,
        input: INPUTS[scenario],
        user: { name: 'bench', source: 'claimed' },
        run: true,
        review: (answer) => {
          passed.resolve(answer);
          return start.promise;
        },
      });
      created.catch(passed.reject);
      const { plan } = await passed.promise;
      return {
        preflightMs: performance.now() - began,
        planBytes: Buffer.byteLength(JSON.stringify(plan)),
        async run() {
          start.resolve();
          const { id } = await created;
          if (scenario === 'approval') {
            await untilWaiting(connection.temporal, id);
            await decide(connection, id, 'approve', { by: 'ann' });
          }
          refuseOther(scenario, await awaitResult(connection, id));
          return id;
        },
      };
    },
  };
}

function refuseOther(scenario: ScenarioName, result: { status: string; output: unknown }): void {
  if (result.status === 'succeeded' && isDeepStrictEqual(result.output, OUTPUTS[scenario])) return;
  throw new Error(`${scenario} was to give ${JSON.stringify(OUTPUTS[scenario])}, not ${JSON.stringify(result)}`);
}

/** A promise and what settles it; Node 20 has no `Promise.withResolvers`. */
function later<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let settle: Pick<ReturnType<typeof later<T>>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}
