import { z } from 'zod';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { operation } from './operation.js';
import { taskResult } from './task-result.js';
import { resultAnswer, statusOfResult, viewReadable, waitFor } from './wait-for-result.js';

export const readResult = operation({
  summary: 'The result of a task; wait for it for up to `wait`.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/result',
  input: z.strictObject({ key: fields.key, wait: fields.wait.optional() }),
  answers: {
    200: { means: 'It has ended: `status` says how.', schema: taskResult },
    202: { means: 'It has not ended yet.', schema: taskResult },
  },
  status: statusOfResult,
  run: (project, caller, { key, wait }, signal) =>
    project.ask(async (connection) => {
      // Without a wait, the view itself refuses a task of another project.
      if (wait !== undefined) await viewReadable(project, connection, key, 'temporal');
      return resultAnswer(await waitFor(project, caller, connection, key, wait, signal));
    }),
});
