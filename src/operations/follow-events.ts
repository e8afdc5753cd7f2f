import { z } from 'zod';
import { followEvents as follow, keepingRuntime } from '../client/index.js';
import { TASK_EVENTS } from '../contracts/task-events.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { operation } from './operation.js';
import { withModelOutput } from './with-model-output.js';

export const followEvents = operation({
  summary: 'The events of a task from its creation until its end, as they happen (server-sent events).',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/events',
  input: z.strictObject({ key: fields.key, after: z.string().optional() }),
  headers: {
    after: { name: 'Last-Event-ID', means: 'The last event that was received: only later ones are sent.' },
  },
  streams: 'shared',
  answers: {
    200: {
      means: 'Each `data` is one of these.',
      schema: z.strictObject({
        id: z.string(),
        type: z.enum(TASK_EVENTS),
        time: z.string(),
        data: z.looseObject({}),
      }),
    },
  },
  run: (project, _, { key, after }, signal) =>
    project.ask(async (connection) => {
      const events = await keepingRuntime(connection, () => follow(connection, key, after, signal), signal);
      return withModelOutput(connection, key, events, signal);
    }),
});
