import { type ActivateInput, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { ASK_AGAIN } from '../contracts/names.js';

type Activate = (input: ActivateInput) => void;

/**
 * Refuses events that do not come with a workflow task. For a query that waited for a worker, the SDK's core replays the
 * history and goes on with what came after the last workflow task; the workflow task that follows brings only the rest of it.
 * Branches that began from both parts would then do so in another order than any replay, which has them together. The
 * refusal answers the query, and makes the worker forget the run, which starts anew from its history.
 * Source: docs/decisions/0036-events-come-with-a-workflow-task.md.
 */
class WholeTasks {
  private known: { length: number; time: string } | undefined;

  activate({ activation, batchIndex }: ActivateInput, next: Activate): void {
    const { jobs = [], isReplaying, historyLength, timestamp } = activation;
    // Queries themselves have no time.
    if (timestamp) {
      const { length, time } = { length: historyLength ?? 0, time: `${timestamp.seconds} ${timestamp.nanos}` };
      const { known } = this;
      this.known = { length, time };
      // The time is that of the start of the workflow task, and of the end of a local activity within it.
      const isPart = !isReplaying && known !== undefined && length > known.length && time === known.time;
      const isLocal = jobs?.every(({ resolveActivity }) => resolveActivity?.isLocal);
      if (isPart && !isLocal) throw new Error(`${workflowInfo().workflowId} ${ASK_AGAIN}`);
    }
    next({ activation, batchIndex });
  }
}

export const interceptors = (): WorkflowInterceptors => ({ internals: [new WholeTasks()] });
