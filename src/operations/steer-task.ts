import { z } from 'zod';
import {
  type Connection,
  cancelTask as cancel,
  pauseTask as pause,
  resumeTask as resume,
  signalTask as signal,
} from '../client/index.js';
import type { Json } from '../contracts/json.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';

const accepted = z.strictObject({
  status: z.literal('accepted'),
  task_key: z.string(),
  signal: z.string().optional(),
});

export const signalTask = operation({
  summary: 'Send a task the signal that a step of it waits for.',
  right: 'run',
  concerns: task,
  at: 'POST /v1/tasks/{key}/signals/{name}',
  input: z.strictObject({
    key: fields.key,
    name: z.string().min(1).max(100),
    payload: fields.json.optional().describe('What the signal carries (default: null).'),
  }),
  answers: answer('The task has it.', accepted, 202),
  run: (project, _, { key, name, payload = null }) =>
    project.ask(async (connection) => {
      await signal(connection, key, name, payload as Json);
      return { status: 'accepted' as const, task_key: key, signal: name };
    }),
});

export const cancelTask = steering(
  'cancel',
  cancel,
  'Ask a task to stop; its `undo` and `finally` run.',
  'It was asked to stop.',
);

export const pauseTask = steering(
  'pause',
  pause,
  'Let a task start nothing new until it is resumed; calls under way finish.',
  'It starts nothing new.',
);

export const resumeTask = steering('resume', resume, 'Let a paused task go on.', 'It goes on.');

/** A request that the task carries out later. */
function steering<Verb extends string>(
  verb: Verb,
  ask: (connection: Connection, key: string) => Promise<unknown>,
  summary: string,
  means: string,
) {
  return operation({
    summary,
    right: 'run',
    concerns: task,
    at: `POST /v1/tasks/{key}/${verb}`,
    input: z.strictObject({ key: fields.key }),
    answers: { 202: { means, schema: accepted } },
    run: (project, _, { key }) =>
      project.ask(async (connection) => {
        await ask(connection, key);
        return { status: 'accepted' as const, task_key: key };
      }),
  });
}
