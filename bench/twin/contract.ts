/** The words that the workflows and their callers share. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';

/** What each scenario takes and gives; the name is the workflow type. */
export interface Scenarios {
  /** One echo. */
  noop: { input: { text: string }; output: { text: string } };
  /** Six additions of one, each to the sum before. */
  chain: { input: { n: number }; output: { n: number } };
  /** Ten additions side by side, of 0 to 9. */
  fanout: { input: { n: number }; output: number[] };
  /** An addition of one to each item, one after the other. */
  loop: { input: { items: number[] }; output: number[] };
  /** An echo, a decision by a person, and an echo of the first. */
  approval: { input: { title: string }; output: { decision: 'approved' | 'denied'; by: string | null; text: string } };
  /** The same with nothing but a signal in between: no attribute, no expiry, no denial. */
  bare: { input: { title: string }; output: { decision: 'approved'; by: string | null; text: string } };
}
export type ScenarioName = keyof Scenarios;
export type InputOf<S extends ScenarioName> = Scenarios[S]['input'];
export type OutputOf<S extends ScenarioName> = Scenarios[S]['output'];

/** One call or one wait, as the result and the query tell it. `duration_ms` is workflow time and counts queueing and retries. */
export interface StepRecord {
  id: string;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  attempts: number;
  duration_ms: number;
}

/** What a workflow returns. */
export interface TaskResult<Output> {
  status: 'succeeded';
  output: Output;
  steps: StepRecord[];
}

/** The first of the details of the ApplicationFailure with which a workflow fails; its `type` is the code. */
export interface FailedResult {
  status: 'failed';
  steps: StepRecord[];
}

/** Values of the search attribute AbilityStatus while the workflow is open. */
export type TaskStatus = 'running' | 'waiting_approval';

/** What is waited for; `expires_at` is an ISO time, at which the answer becomes a denial. */
export interface PendingApproval {
  approval_id: string;
  title: string;
  expires_at: string;
}

/** The answer of the query `task`. */
export interface Progress {
  ability: string;
  status: TaskStatus;
  steps: StepRecord[];
  approval?: PendingApproval;
}

/** What comes with a verdict. `by` is what the sender claims; without `approval_id` it means the one that is waited for. */
export interface Decision {
  approval_id?: string;
  by?: string;
  comment?: string;
}
export type Verdict = 'approve' | 'deny';

/** Progress of an open or closed workflow. */
export const taskQuery = defineQuery<Progress>('task');
/** A verdict that nobody waits for is dropped, since a signal cannot be refused. */
export const approveSignal = defineSignal<[Decision?]>('approve');
export const denySignal = defineSignal<[Decision?]>('deny');
/** A verdict that nobody waits for is refused by the validator and leaves no event. */
export const decideUpdate = defineUpdate<
  { decision: 'approved' | 'denied' },
  [{ verdict: Verdict; decision?: Decision }]
>('decide');

export const ABILITY_PROJECT = defineSearchAttributeKey('AbilityProject', SearchAttributeType.KEYWORD);
export const ABILITY_STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);
export const ABILITY_ENVIRONMENT = defineSearchAttributeKey('AbilityEnvironment', SearchAttributeType.KEYWORD);
