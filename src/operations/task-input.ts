import { z } from 'zod';
import { changeInput as change, findRecord, readInput as readStart, viewTask } from '../client/index.js';
import type { JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, kindOf, operation } from './operation.js';
import { viewOwn } from './wait-for-result.js';

/** Source: R-000-83. */
export const readInput = operation({
  summary: 'The input of a task.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/input',
  input: z.strictObject({ key: fields.key }),
  answers: answer(
    'Its input.',
    z.strictObject({
      input: fields.input,
      whole: z.boolean().describe('False: from its record, in which known secrets are masked.'),
    }),
  ),
  run: (project, _, { key }) =>
    project.ask(async (connection) => {
      if (!project.readsOthers) await viewOwn(connection, key, 'temporal');
      const { view, result } = await viewTask(connection, key, 'anyone');
      // A local record with the key of another project's task belongs to another task.
      const recorded = result.project === undefined ? (await findRecord(connection, key))?.input : undefined;
      // Known secrets are masked in a record, so it comes last.
      const whole = view?.input ?? (await readStart(connection, key).catch(orElse(recorded)));
      const input = whole ?? recorded;
      if (input) return { input, whole: whole !== undefined };
      throw new AbilityError({
        code: 'record.missing',
        message: `The input of ${key} is neither in Temporal nor in a record here`,
        suggestion: 'Run the command where the worker that ran the task keeps its records.',
      });
    }),
});

/** The task's start may lie in a store out of reach; the input in a record is enough then. */
function orElse(recorded: JsonObject | undefined): (error: unknown) => undefined {
  return (error) => {
    if (recorded === undefined) throw error;
    return undefined;
  };
}

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
  answers: answer(
    'It has passed preflight with the new input.',
    z.strictObject({
      status: z.literal('available'),
      task_key: z.string(),
      changed: z.boolean().describe('False: the input is the same, and so are the definitions.'),
      fields: z.array(z.string()).describe('The fields that differ from before.'),
      input: z.record(z.string(), fields.json),
      warnings: z.array(z.string()),
    }),
  ),
  run: (project, caller, { key, set, unset }) =>
    project.ask(async (connection) => {
      await viewOwn(connection, key, 'temporal');
      const kind = kindOf(caller);
      const edit = { set: set as JsonObject, unset, by: caller.person, ...(kind && { caller: kind }) };
      return { status: 'available' as const, task_key: key, ...(await change(connection, key, edit)) };
    }),
});
