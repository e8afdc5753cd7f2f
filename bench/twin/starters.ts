/** How the benchmark drives the twin: start a scenario, decide its approval, wait for the result. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  ABILITY_ENVIRONMENT,
  ABILITY_PROJECT,
  ABILITY_STATUS,
  approveSignal,
  type Decision,
  decideUpdate,
  denySignal,
  type InputOf,
  type OutputOf,
  type Progress,
  type ScenarioName,
  type TaskResult,
  taskQuery,
  type Verdict,
} from './contract.js';

type Workflow<S extends ScenarioName> = (input: InputOf<S>) => Promise<TaskResult<OutputOf<S>>>;
/** A started scenario. */
export type Started<S extends ScenarioName> = WorkflowHandle<Workflow<S>>;

/** Where and as what a scenario runs. */
export interface StartOptions {
  /** The workflow id; a second start with it joins the first while that is open, and is refused afterwards. */
  id: string;
  taskQueue: string;
  project?: string;
  environment?: string;
}

/** Starts a scenario; resolves when the server has it. */
export async function startScenario<S extends ScenarioName>(
  client: Client,
  scenario: S,
  input: InputOf<S>,
  { id, taskQueue, project = 'bench', environment = 'dev' }: StartOptions,
): Promise<Started<S>> {
  return client.workflow.start<Workflow<ScenarioName>>(scenario, {
    workflowId: id,
    taskQueue,
    args: [input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    memo: { ability: scenario, environment },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: ABILITY_PROJECT, value: project },
      { key: ABILITY_STATUS, value: 'running' },
      { key: ABILITY_ENVIRONMENT, value: environment },
    ]),
  });
}

/** Waits for the result; throws WorkflowFailedError, whose cause is an ApplicationFailure with a code as its type. */
export async function resultOf<S extends ScenarioName>(started: Started<S>): Promise<TaskResult<OutputOf<S>>> {
  return started.result();
}

/** Asks the workflow how far it is. */
export async function progressOf(client: Client, id: string): Promise<Progress> {
  return client.workflow.getHandle(id).query(taskQuery);
}

/** Asks until the workflow waits for an approval. */
export async function untilWaiting(client: Client, id: string): Promise<void> {
  while ((await progressOf(client, id)).status !== 'waiting_approval') {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Asks until the first of the two echoes is done: a bare signal is waited for from then on. */
export async function untilAsked(client: Client, id: string): Promise<void> {
  while ((await progressOf(client, id)).steps[0]?.status !== 'succeeded') {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Decides by update: resolves once the workflow has taken the decision, throws WorkflowUpdateFailedError when it refuses. */
export async function decideApproval(client: Client, id: string, verdict: Verdict, decision: Decision): Promise<void> {
  await client.workflow.getHandle(id).executeUpdate(decideUpdate, { args: [{ verdict, decision }] });
}

/** Decides by signal, as the Temporal UI does: resolves when the server has it, whatever the workflow makes of it. */
export async function signalApproval(client: Client, id: string, verdict: Verdict, decision: Decision): Promise<void> {
  await client.workflow.getHandle(id).signal(verdict === 'approve' ? approveSignal : denySignal, decision);
}
