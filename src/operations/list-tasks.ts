import { z } from 'zod';
import { keepingRuntime, listTaskPage } from '../client/index.js';
import { LISTED_STATES } from '../contracts/states.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';

const USUAL_LIMIT = 50;
const state = z.enum(LISTED_STATES);

export const listTasks = operation({
  summary: 'List tasks, open ones first.',
  right: 'read',
  at: 'GET /v1/tasks',
  input: z.strictObject({
    status: z.array(state).optional().describe('Only those in this state; may be repeated.'),
    ability: fields.id.optional(),
    environment: fields.environment.optional(),
    session: fields.session.optional(),
    since: z.iso.datetime({ offset: true }).optional().describe('Only those started since.'),
    limit: z.int().min(1).max(999).default(USUAL_LIMIT).describe('At most this many.'),
    cursor: z.string().min(1).max(4096).optional().describe('`next_cursor` of the previous part.'),
  }),
  answers: answer(
    'A part of the list.',
    z.strictObject({
      tasks: z.array(z.looseObject({ task_key: z.string(), ability_id: z.string(), status: state })),
      next_cursor: z.string().nullable(),
    }),
  ),
  run(project, { rights }, { status = [], since, cursor, ...rest }) {
    const filter = { ...rest, within: rights.read, status, since: since === undefined ? undefined : new Date(since) };
    return project.ask((connection) => keepingRuntime(connection, () => listTaskPage(connection, filter, cursor)));
  },
  concerns: {
    each: ({ tasks, next_cursor }, may) => ({
      tasks: tasks.filter(({ ability_id: ability, environment }) => may({ ability, environment })),
      next_cursor,
    }),
  },
});
