/**
 * Counts what each scenario leaves in the history, on a running worker.
 *
 *     TEMPORAL_ADDRESS=127.0.0.1:7233 node measure.js --task-queue Q [--namespace N] [--runs 20]
 *
 * Prints one JSON line a scenario: `{"scenario", "runs", "events": [least, most], "bytes": [least, median, most]}`.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { InputOf, ScenarioName } from './contract.js';
import { decideApproval, resultOf, signalApproval, startScenario, untilAsked, untilWaiting } from './starters.js';

/** The inputs with which the benchmark runs the scenarios. */
const INPUTS: { [S in ScenarioName]: InputOf<S> } = {
  noop: { text: 'hello' },
  chain: { n: 1 },
  fanout: { n: 1 },
  loop: { items: Array.from({ length: 30 }, (_, item) => item) },
  approval: { title: 'Release?' },
  bare: { title: 'Release?' },
};

const { values } = parseArgs({
  options: {
    namespace: { type: 'string', default: 'default' },
    'task-queue': { type: 'string' },
    runs: { type: 'string', default: '20' },
  },
});
const { namespace, 'task-queue': taskQueue } = values;
if (!taskQueue) throw new Error('Say --task-queue.');
const runs = Number(values.runs);

const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
const client = new Client({ connection, namespace });

await count('noop', () => run('noop'));
await count('chain', () => run('chain'));
await count('fanout', () => run('fanout'));
await count('loop', () => run('loop'));
await count('approval by signal', () => run('approval', (id) => signalApproval(client, id, 'approve', { by: 'ann' })));
await count('approval by update', () => run('approval', (id) => decideApproval(client, id, 'approve', { by: 'ann' })));
await count('bare signal', () => run('bare', (id) => signalApproval(client, id, 'approve', { by: 'ann' })));
await connection.close();

interface History {
  events: number;
  bytes: number;
}

async function run(scenario: ScenarioName, decide?: (id: string) => Promise<void>): Promise<History> {
  const started = await startScenario(client, scenario, INPUTS[scenario], {
    id: randomUUID(),
    taskQueue: taskQueue ?? '',
  });
  if (decide) {
    await (scenario === 'bare' ? untilAsked : untilWaiting)(client, started.workflowId);
    await decide(started.workflowId);
  }
  await resultOf(started);
  const { historyLength, historySize } = await started.describe();
  return { events: historyLength, bytes: historySize ?? 0 };
}

async function count(scenario: string, once: () => Promise<History>): Promise<void> {
  const histories: History[] = [];
  for (let nth = 0; nth < runs; nth++) histories.push(await once());
  const events = histories.map((history) => history.events).sort((a, b) => a - b);
  const bytes = histories.map((history) => history.bytes).sort((a, b) => a - b);
  const line = {
    scenario,
    runs,
    events: [events[0], events.at(-1)],
    bytes: [bytes[0], bytes[runs >> 1], bytes.at(-1)],
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
