/** Agents in turns: the official integration, the same once more, and the product, each with the same model and task. */
import { randomBytes } from 'node:crypto';
import { awaitResult, createTask } from '../../src/client/index.js';
import { BENCH } from '../contenders.js';
import { cpuOf } from '../processes.js';
import { median, shuffled } from '../statistics.js';
import { type AgentStage, ENVIRONMENT } from './stage.js';

export const CONTENDERS = ['official', 'control', 'product'] as const;
export type Contender = (typeof CONTENDERS)[number];

/** One task. A turn is a call of the model and the call of the tool that it asked for. */
export interface Measured {
  contender: Contender;
  /** Calls of the tool; the model is asked once more. */
  turns: number;
  round: number;
  events: number;
  bytes: number;
  /** What the store grew by. */
  storeBytes: number;
  /** From the start of the workflow to its close, as the server tells. Milliseconds. */
  taskMs: number;
  /** Of each turn: from asking the model to asking it again. Milliseconds. */
  turnMs: number[];
  /** CPU time of the worker. Milliseconds. */
  cpuMs: number;
  /** The median of the last ten turns through that of the first ten. */
  drift: number;
}

/** Lets every contender run a task in turn, in random order. */
export async function measureAgents(
  stage: AgentStage,
  { turns, round, random }: { turns: number; round: number; random: () => number },
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const contender of shuffled(CONTENDERS, random)) {
    const { pid } = stage[contender];
    const [cpu, stored] = [cpuOf(pid), stage.storeBytes()];
    const id = contender === 'product' ? await runProduct(stage, turns) : await runOfficial(stage, contender, turns);
    const cpuMs = cpuOf(pid) - cpu;
    const storeBytes = stage.storeBytes() - stored;
    const handle = stage.client.workflow.getHandle(id);
    const { historyLength, historySize } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const all = events ?? [];
    const asked = all.flatMap(({ eventTime, activityTaskScheduledEventAttributes: scheduled }) =>
      /^(invokeModelActivity$|model:)/.test(scheduled?.activityType?.name ?? '') ? [millisecondsOf(eventTime)] : [],
    );
    if (asked.length !== turns + 1) throw new Error(`${contender} asked its model ${asked.length} times`);
    const turnMs = asked.slice(1).map((at, nth) => at - (asked[nth] as number));
    const taskMs = millisecondsOf(all.at(-1)?.eventTime) - millisecondsOf(all[0]?.eventTime);
    const drift = median(turnMs.slice(-10)) / median(turnMs.slice(0, 10));
    const bytes = historySize ?? 0;
    measured.push({ contender, turns, round, events: historyLength, bytes, storeBytes, taskMs, turnMs, cpuMs, drift });
  }
  return measured;
}

const requestFor = (turns: number): string => `Look up ${turns} times.`;

async function runOfficial(
  { client, ...stage }: AgentStage,
  contender: 'official' | 'control',
  turns: number,
): Promise<string> {
  const workflowId = `w-${randomBytes(13).toString('hex')}`;
  const { taskQueue } = stage[contender];
  const args = [requestFor(turns), 200];
  refuseOther(turns, await client.workflow.execute('lookups', { workflowId, taskQueue, args }));
  return workflowId;
}

async function runProduct({ connection }: AgentStage, turns: number): Promise<string> {
  const input = { request: requestFor(turns) };
  const { id } = await createTask(connection, {
    ability: 'lookups',
    environment: ENVIRONMENT,
    input,
    caller: BENCH,
    run: true,
    soon: true,
  });
  refuseOther(turns, (await awaitResult(connection, id)).output);
  return id;
}

function refuseOther(turns: number, output: unknown): void {
  if (output !== `I saw ${turns} results.`) throw new Error(`It answered ${JSON.stringify(output)}`);
}

/** The SDK's dates are whole milliseconds; the server's are finer. */
function millisecondsOf(time: { seconds?: unknown; nanos?: unknown } | null | undefined): number {
  return Number(time?.seconds) * 1000 + Number(time?.nanos ?? 0) / 1e6;
}
