import { z } from 'zod';
import { listGrants as list, revokeGrant as revoke } from '../client/index.js';
import { grant } from './concerns.js';
import { answer, operation } from './operation.js';

const shown = z.looseObject({ id: z.string(), status: z.string(), used: z.int(), up_to: z.int() });

export const listGrants = operation({
  summary: 'What people have granted beyond the calls that they approved, and its uses.',
  right: 'read',
  at: 'GET /v1/grants',
  input: z.strictObject({
    all: z.boolean().default(false).describe('Also those that have ended, while Temporal knows them.'),
  }),
  answers: answer('The grants.', z.array(shown)),
  run: (project, _, { all }) => project.ask((connection) => list(connection, all)),
  concerns: { each: (grants, may) => grants.filter(({ ability, environment }) => may({ ability, environment })) },
});

export const revokeGrant = operation({
  summary: 'Allow no further call by a grant; what it has allowed stays.',
  right: 'approve',
  concerns: grant,
  at: 'POST /v1/grants/{id}/revoke',
  input: z.strictObject({ id: z.string().min(1).max(64) }),
  answers: answer('It has ended.', shown),
  run: (project, { person }, { id }) => project.ask((connection) => revoke(connection, id, person.name)),
});
