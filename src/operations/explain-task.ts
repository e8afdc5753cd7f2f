import { z } from 'zod';
import { explainTask as explain } from '../client/index.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { mendRecord } from './mend-record.js';
import { operation } from './operation.js';
import { viewOwn } from './wait-for-result.js';

export const explainTask = operation({
  summary: 'How a task reached its state: definition, hooks, approvals, attempts.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/why',
  input: z.strictObject({ key: fields.key }),
  answers: {
    200: {
      means: 'Its story; what is not known is null, and `gaps` says why.',
      schema: z.looseObject({
        status: z.string(),
        gaps: z.array(z.string()),
        steps: z.array(z.looseObject({ path: z.string(), status: z.string() })),
      }),
    },
  },
  run: (project, _, { key }) =>
    project.ask(async (connection) => {
      if (!project.readsOthers) await viewOwn(connection, key, 'temporal');
      return explain(connection, key, (seen) => mendRecord(connection, key, seen));
    }),
});
