import { z } from 'zod';
import {
  promptSession as prompt,
  showSession as show,
  startSession as start,
  stopSession as stop,
} from '../client/index.js';
import { isDuration, parseDuration } from '../rules/duration.js';
import { MAX_PROMPT } from '../rules/sessions/read-session-start.js';
import { session as held, start as started } from './concerns.js';
import * as fields from './fields.js';
import { answer, environmentOf, operation } from './operation.js';

const id = z.string().min(1).max(64);
const session = z.looseObject({ session_id: z.string(), status: z.string() });

export const startSession = operation({
  summary: 'Start a session.',
  right: 'run',
  concerns: started,
  at: 'POST /v1/sessions',
  input: z.strictObject({
    id: id.optional().describe('Your own id; an open session with that id is used again.'),
    environment: fields.environment.optional(),
    scope: fields.scope.optional().describe('The folder that it is about.'),
    idle: z
      .string()
      .refine((text) => isDuration(text) && parseDuration(text) > 0, 'It is no duration, such as 24h or 30m')
      .default('24h')
      .describe('End the session when nothing has happened for this long.'),
  }),
  answers: answer(
    'It is open; `attached`: it was open already.',
    z.looseObject({ session_id: z.string(), environment: z.string(), attached: z.boolean() }),
    201,
  ),
  run(project, caller, { scope = caller.scope, idle, ...wanted }) {
    const environment = environmentOf(project, project.registry(), wanted.environment);
    const idleMs = parseDuration(idle);
    return project.ask(async (connection) => {
      const given = { ...wanted, environment, scope, idleMs, user: caller.person };
      const { session_id, attached } = await start(connection, given);
      return { session_id, environment, scope, idle_ms: idleMs, attached };
    });
  },
});

export const promptSession = operation({
  summary: 'Run the hooks of a prompt; returns what an AI reads before it decides.',
  right: 'run',
  concerns: held,
  at: 'POST /v1/sessions/{id}/prompts',
  input: z.strictObject({
    id,
    prompt: z
      .string()
      .min(1)
      .refine((text) => text.length <= MAX_PROMPT, {
        error: ({ input }) => `The prompt has ${String(input).length} characters; the maximum is ${MAX_PROMPT}`,
      }),
  }),
  answers: answer(
    'The turn context.',
    z.looseObject({ session_id: z.string(), turn_index: z.int(), hook_signals: z.looseObject({}) }),
  ),
  run: (project, { person }, { id: of, prompt: text }) =>
    project.ask((connection) => prompt(connection, of, text, person)),
});

export const showSession = operation({
  summary: 'Show a session.',
  right: 'read',
  concerns: held,
  at: 'GET /v1/sessions/{id}',
  input: z.strictObject({ id }),
  answers: answer('Its turns, tasks and counts.', session),
  run: (project, _, { id: of }) => project.ask((connection) => show(connection, of)),
});

export const stopSession = operation({
  summary: 'End a session; its open tasks go on.',
  right: 'run',
  concerns: held,
  at: 'POST /v1/sessions/{id}/stop',
  input: z.strictObject({ id }),
  answers: answer('It has ended.', session),
  run: (project, _, { id: of }) => project.ask((connection) => stop(connection, of)),
});
