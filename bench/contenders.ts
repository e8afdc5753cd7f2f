/** Who is compared: the product in each way of having hooks, the twin, and the twin once more. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { awaitResult, type Connection, createTask, decide } from '../src/client/index.js';
import { readStart } from '../src/server/temporal/read-start.js';
import { INPUTS, OUTPUTS, type Scenario } from './scenarios.js';
import type { InputOf } from './twin/contract.js';
import { decideApproval, resultOf, signalApproval, startScenario, untilAsked, untilWaiting } from './twin/starters.js';

/** One side of a comparison. */
export interface Contender {
  name: string;
  /** Of its worker process. */
  pid: number;
  /** From the request to the result. @returns the workflow id. @throws Error when it answers anything but what it should. */
  run(scenario: Scenario): Promise<string>;
  /** Bytes of the JSON of the plan that the history of a task keeps. */
  planBytes(id: string): Promise<number>;
}

/** A twin's worker on a queue of its own. */
export function twin(name: string, pid: number, client: Client, taskQueue: string): Contender {
  const planBytes = async (): Promise<number> => 0;
  return {
    name,
    pid,
    planBytes,
    async run(scenario) {
      const id = `w-${randomBytes(13).toString('hex')}`;
      const started = await startScenario(client, scenario, INPUTS[scenario] as InputOf<Scenario>, {
        id,
        taskQueue,
      });
      if (scenario === 'approval') {
        await untilWaiting(client, id);
        await decideApproval(client, id, 'approve', { by: 'ann' });
      }
      refuseOther(scenario, await resultOf(started));
      return id;
    },
  };
}

/** The twin's worker, whose approvals are a signal and nothing else. */
export function bareTwin(name: string, pid: number, client: Client, taskQueue: string): Contender {
  return {
    ...twin(name, pid, client, taskQueue),
    async run() {
      const id = `w-${randomBytes(13).toString('hex')}`;
      const started = await startScenario(client, 'bare', INPUTS.approval as InputOf<'bare'>, { id, taskQueue });
      await untilAsked(client, id);
      await signalApproval(client, id, 'approve', { by: 'ann' });
      refuseOther('approval', await resultOf(started));
      return id;
    },
  };
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
  abilityOf: (scenario: Scenario) => string = (scenario) => scenario,
): Contender {
  return {
    name,
    pid,
    async run(scenario) {
      const { id } = await createTask(connection, {
        ability: abilityOf(scenario),
        environment,
        input: INPUTS[scenario],
        caller: BENCH,
        run: true,
        soon: true,
      });
      if (scenario === 'approval') {
        await untilWaiting(connection.temporal, id);
        await decide(connection, id, 'approve', { by: 'ann' });
      }
      refuseOther(scenario, await awaitResult(connection, id));
      return id;
    },
    async planBytes(workflowId) {
      const { runId } = await connection.temporal.workflow.getHandle(workflowId).describe();
      const start = await readStart(connection.temporal, connection.codec, { workflowId, runId });
      return Buffer.byteLength(JSON.stringify(start?.begun?.plan));
    },
  };
}

/** Nobody in particular. */
export const BENCH = {
  person: { name: 'bench', source: 'claimed' },
  kind: null,
  session: null,
  scope: null,
  trace: null,
  intent: null,
} as const;

function refuseOther(scenario: Scenario, result: { status: string; output: unknown }): void {
  if (result.status === 'succeeded' && isDeepStrictEqual(result.output, OUTPUTS[scenario])) return;
  throw new Error(`${scenario} was to give ${JSON.stringify(OUTPUTS[scenario])}, not ${JSON.stringify(result)}`);
}
