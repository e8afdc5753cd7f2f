import { z } from 'zod';
import { runTask as run } from '../client/index.js';
import type { TaskResult } from '../contracts/task.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { operation } from './operation.js';
import { taskResult } from './task-result.js';
import { resultAnswer, statusOfResult, waitFor } from './wait-for-result.js';

const running = z.strictObject({ status: z.literal('running'), task_key: z.string() });

export const runTask = operation({
  summary: 'Run a created task.',
  right: 'run',
  concerns: task,
  at: 'POST /v1/tasks/{key}/run',
  input: z.strictObject({ key: fields.key, wait: fields.wait.optional() }),
  answers: {
    200: { means: 'It has ended: `status` says how.', schema: taskResult },
    202: { means: 'It goes on.', schema: taskResult.or(running) },
  },
  status: statusOfResult,
  run: (project, caller, { key, wait }, signal): Promise<TaskResult | z.output<typeof running>> =>
    project.ask(async (connection) => {
      await run(connection, key);
      if (wait === undefined) return { status: 'running', task_key: key };
      return resultAnswer(await waitFor(project, caller, connection, key, wait, signal));
    }),
});
