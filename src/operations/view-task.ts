import { z } from 'zod';
import { explainTask as explain, hasEnded, readChain, type SeenTask, type TaskChain } from '../client/index.js';
import type { TaskResult, TaskView } from '../contracts/task.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';
import { mendRecord } from './read-record.js';
import { taskResult } from './task-result.js';
import { viewOwn, viewReadable } from './wait-for-result.js';

/** A result, or the view of an open task, with the tasks that it retries and that retry it. */
export type ViewedTask = TaskResult & Partial<Omit<TaskView, keyof TaskResult> & TaskChain> & Pick<SeenTask, 'source'>;

/** Writes the record of an ended task if its worker could not. */
export const viewTask = operation({
  summary: 'Show the state of a task.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}',
  input: z.strictObject({ key: fields.key }),
  answers: answer('Its state.', taskResult.extend({ source: z.string() })),
  run: (project, _, { key }): Promise<ViewedTask> =>
    project.ask(async (connection) => {
      const seen = await viewReadable(project, connection, key);
      const { view, result, source } = seen;
      const mended = await mendRecord(connection, key, seen);
      const warnings = mended === undefined ? result.warnings : [...result.warnings, mended];
      // Tasks that Temporal has forgotten cannot be queried.
      const { retry_of = null, retries = [] } = source === 'record' ? {} : await readChain(connection, key);
      const isRetried = hasEnded(seen) && retries.length > 0;
      const chain = { ...(retry_of !== null && { retry_of }), ...(isRetried && { retries }) };
      return { ...(view ?? result), warnings, ...chain, source };
    }),
});

export const explainTask = operation({
  summary: 'How a task reached its state: definition, hooks, approvals, attempts.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/why',
  input: z.strictObject({ key: fields.key }),
  answers: answer(
    'Its story; what is not known is null, and `gaps` says why.',
    z.looseObject({
      status: z.string(),
      gaps: z.array(z.string()),
      steps: z.array(z.looseObject({ path: z.string(), status: z.string() })),
    }),
  ),
  run: (project, _, { key }) =>
    project.ask(async (connection) => {
      if (!project.readsOthers) await viewOwn(connection, key, 'temporal');
      return explain(connection, key, (seen) => mendRecord(connection, key, seen));
    }),
});
