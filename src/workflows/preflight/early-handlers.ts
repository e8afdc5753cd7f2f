import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { isJsonObject } from '../../contracts/json.js';
import { QUERIES, UPDATES } from '../../contracts/names.js';
import type { CreateAnswer, TaskArguments, TaskView } from '../../contracts/task.js';
import { keyOf } from '../../rules/tasks/task-ids.js';

/** What those who asked before the end of a preflight learn of it. */
export interface Early {
  /** Waits until they have learnt it. */
  formed(warnings: readonly string[]): Promise<void>;
  /** Waits until they have learnt it. @throws the error, which must be one that Temporal carries. */
  refused(error: unknown): Promise<never>;
}

/**
 * Answers the update `created` as soon as preflight is done, for whoever starts a task and wants to know whether it was
 * formed; and the query `task` before its plan is known.
 */
export function listenEarly(args: TaskArguments): Early {
  let end: { warnings: string[] } | { error: unknown } | undefined;
  setHandler(defineQuery<TaskView>(QUERIES.task), () => earlyView(args), { description: 'The state of the task' });
  setHandler(
    defineUpdate<CreateAnswer, []>(UPDATES.created),
    async (): Promise<CreateAnswer> => {
      await condition(() => end !== undefined);
      if (!end || 'error' in end) throw end?.error;
      return { status: 'available', task_key: keyOf(workflowInfo().workflowId) ?? '', warnings: end.warnings };
    },
    { description: 'Wait until the task has passed its checks' },
  );
  const untilKnown = async (): Promise<void> => {
    if (!allHandlersFinished()) await condition(allHandlersFinished);
  };
  return {
    async formed(warnings) {
      end = { warnings: [...warnings] };
      await untilKnown();
    },
    async refused(error) {
      end = { error };
      await untilKnown();
      throw error;
    },
  };
}

function earlyView([input, options]: TaskArguments): TaskView {
  const { workflowId, workflowType, startTime, memo } = workflowInfo();
  return {
    status: options?.create === true ? 'created' : 'running',
    task_key: keyOf(workflowId),
    ability_id: workflowType,
    version: '',
    digest: '',
    environment: typeof memo?.environment === 'string' ? memo.environment : '',
    output: null,
    error: null,
    warnings: [],
    steps: [],
    approvals: [],
    hooks: [],
    requested_by: { name: typeof memo?.requested_by === 'string' ? memo.requested_by : 'unknown', source: 'claimed' },
    started_at: null,
    finished_at: null,
    cleanup_ran: null,
    links: { temporal: null, page: null, record: null },
    created_at: startTime.toISOString(),
    input: isJsonObject(input) ? input : {},
    summary: '',
    progress: {},
    paused: false,
  };
}
