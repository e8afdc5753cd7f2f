import { z } from 'zod';
import { changeInput as change } from '../client/index.js';
import type { JsonObject } from '../contracts/json.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { kindOf, operation } from './operation.js';
import { viewOwn } from './wait-for-result.js';

export const changeInput = operation({
  summary: 'Change the input of a created task, before it runs.',
  right: 'run',
  concerns: task,
  at: 'PATCH /v1/tasks/{key}/input',
  input: z.strictObject({
    key: fields.key,
    set: z.record(z.string(), fields.json).default({}).describe('The fields to set.'),
    unset: z.array(z.string()).default([]).describe('The fields to remove.'),
  }),
  answers: {
    200: {
      means: 'It has passed preflight with the new input.',
      schema: z.strictObject({
        status: z.literal('available'),
        task_key: z.string(),
        changed: z.boolean().describe('False: the input is the same, and so are the definitions.'),
        fields: z.array(z.string()).describe('The fields that differ from before.'),
        input: z.record(z.string(), fields.json),
        warnings: z.array(z.string()),
      }),
    },
  },
  run: (project, caller, { key, set, unset }) =>
    project.ask(async (connection) => {
      await viewOwn(connection, key, 'temporal');
      const kind = kindOf(caller);
      const edit = { set: set as JsonObject, unset, by: caller.person, ...(kind && { caller: kind }) };
      return { status: 'available' as const, task_key: key, ...(await change(connection, key, edit)) };
    }),
});
