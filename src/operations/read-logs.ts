import { join } from 'node:path';
import { z } from 'zod';
import { RECORD_FILES } from '../contracts/record.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { operation } from './operation.js';
import { CallLogs, inOrder } from './read-call-logs.js';
import { recordFolder } from './record-folder.js';
import { viewOwn } from './wait-for-result.js';

const line = z.looseObject({
  time: z.string(),
  step: z.string(),
  attempt: z.number(),
  stream: z.string(),
  text: z.string(),
});

/** As far as this machine or the store has them. @throws AbilityError `task.not_found`, `store.not_shared`. */
export const readLogs = operation({
  summary: 'What the calls of a task wrote.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/logs',
  input: z.strictObject({
    key: fields.key,
    step: z.string().min(1).max(300).optional().describe('Its id or path.'),
  }),
  answers: { 200: { means: 'The lines, in the order of their times.', schema: z.array(line) } },
  run: (project, _, { key, step }) =>
    project.ask(async (connection) => {
      await viewOwn(connection, key, 'temporal');
      const { paths, project: name, store } = connection;
      const folder = join(recordFolder(paths.records, key), RECORD_FILES.logs);
      const shared = store.isShared ? store : undefined;
      const logs = new CallLogs(folder, paths, { project: name, task: key }, shared, project.note);
      return inOrder(await logs.read(step, true));
    }),
});
