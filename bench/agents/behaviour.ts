/** What both do where something happens in the middle: nothing of it is judged, all of it is said. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { awaitResult, createTask, decide, viewTask } from '../../src/client/index.js';
import { BENCH } from '../contenders.js';
import { type AgentStage, ENVIRONMENT } from './stage.js';

/** Settings of a server that asks for a new run after 60 events. */
export const NEW_RUN_AFTER_60 = ['limit.historyCount.suggestContinueAsNew=60', 'history.continueAsNewMinInterval="0s"'];
const TURNS = 24;
const PATIENCE_MS = 60_000;

/** One thing that was done, and what came of it. */
export interface Seen {
  what: string;
  side: 'official' | 'product';
  seen: string;
}

/** Runs all of them on a server with {@link NEW_RUN_AFTER_60}. */
export async function seeBehaviour(stage: AgentStage): Promise<Seen[]> {
  const seen: Seen[] = [];
  const see = async (what: string, side: Seen['side'], run: () => Promise<string>): Promise<void> => {
    seen.push({ what, side, seen: await run() });
  };
  await see('an approval in the agent', 'official', () => officialApproval(stage));
  await see('an approval in the agent', 'product', () => productApproval(stage, 'clerk', 'Pay 9.'));
  await see('an approval in an agent that is a tool', 'official', () => official(stage, 'nestedApproval', []));
  await see('an approval in an agent that is a tool', 'product', () =>
    productApproval(stage, 'cashier', 'Have the clerk pay.'),
  );
  const request = `Look up ${TURNS} times.`;
  await see(`${TURNS} turns, a new run is asked for after 60 events`, 'official', () =>
    official(stage, 'lookups', [request, 200]),
  );
  await see(`${TURNS} turns, a new run is asked for after 60 events`, 'product', () =>
    product(stage, 'lookups', request),
  );
  await see('the same, the author hands the state on every 6 turns', 'official', () =>
    official(stage, 'lookupsContinued', [request, 6]),
  );
  await see('a session, continued as new without its items', 'official', () => official(stage, 'remembered', [false]));
  await see('a session, continued as new with its items', 'official', () => official(stage, 'remembered', [true]));
  await see('a guard denies a call, the model asks for it again', 'official', () => official(stage, 'denied', []));
  await see('a guard denies a call, the model asks for it again', 'product', () =>
    product(stage, 'clerk', 'Pay 99, and once more.'),
  );
  return seen;
}

async function official(stage: AgentStage, type: string, args: unknown[]): Promise<string> {
  const { taskQueue } = stage.official;
  const handle = await stage.client.workflow.start(type, { workflowId: newId(), taskQueue, args });
  return endOf(stage, handle);
}

async function officialApproval(stage: AgentStage): Promise<string> {
  const { taskQueue } = stage.official;
  const handle = await stage.client.workflow.start('approval', { workflowId: newId(), taskQueue, args: [] });
  // It asks its model, and then for nothing until the signal.
  await sleep(3000);
  const { status, historyLength } = await handle.describe();
  await handle.signal('approve');
  return `${status.name} at ${historyLength} events until the signal; then ${await endOf(stage, handle)}`;
}

async function endOf(stage: AgentStage, handle: WorkflowHandle): Promise<string> {
  const end = await Promise.race([
    handle.result().then(
      (output) => `answered ${JSON.stringify(output)}`,
      (error: Error & { cause?: Error & { type?: string } }) =>
        `failed as ${error.cause?.type ?? error.name}: ${error.cause?.message ?? error.message}`,
    ),
    sleep(PATIENCE_MS, 'still runs', { ref: false }),
  ]);
  return `${end}; ${await runsOf(stage, handle.workflowId)}`;
}

async function product(stage: AgentStage, ability: string, request: string): Promise<string> {
  return productEnd(stage, await create(stage, ability, request));
}

async function productApproval(stage: AgentStage, ability: string, request: string): Promise<string> {
  const { connection } = stage;
  const id = await create(stage, ability, request);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { result } = await viewTask(connection, id);
    const [approval] = result.approvals;
    if (approval) {
      const before = `${result.status}, asks at ${approval.path}`;
      await decide(connection, id, 'approve', { approval_id: approval.id, by: 'ann' });
      return `${before}; then ${await productEnd(stage, id)}`;
    }
    if (Date.now() > deadline) return `no approval; ${JSON.stringify(result)}`;
    await sleep(200);
  }
}

async function productEnd(stage: AgentStage, id: string): Promise<string> {
  const { status, output, error, agent } = await awaitResult(stage.connection, id);
  const end = error ? `${error.code}: ${error.message}` : JSON.stringify(output);
  return `${status} ${end}; ${agent?.turns} turns, ${agent?.calls} calls; ${await runsOf(stage, id)}`;
}

async function create({ connection }: AgentStage, ability: string, request: string): Promise<string> {
  const input = { request };
  return (await createTask(connection, { ability, environment: ENVIRONMENT, input, caller: BENCH, run: true })).id;
}

/** Follows the chain of runs back from the last one. */
async function runsOf({ client }: AgentStage, workflowId: string): Promise<string> {
  const sizes: string[] = [];
  let runId: string | undefined;
  do {
    const handle = client.workflow.getHandle(workflowId, runId);
    const { historyLength, historySize } = await handle.describe();
    sizes.unshift(`${historyLength} events of ${historySize} bytes`);
    const first = (await handle.fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes;
    runId = first?.continuedExecutionRunId || undefined;
  } while (runId !== undefined);
  return `${sizes.length} ${sizes.length === 1 ? 'run' : 'runs'}: ${sizes.join(', ')}`;
}

function newId(): string {
  return `w-${randomBytes(13).toString('hex')}`;
}
