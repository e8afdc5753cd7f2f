import { z } from 'zod';
import { GapLog } from '../server/logs/gap-log.js';
import { pathsOf } from '../server/project-paths.js';
import { groupGaps } from './group-gaps.js';
import { operation } from './operation.js';

/** Source: R-000-93, R-000-94. */
export const listGaps = operation({
  summary: 'The requests that no ability covered, those for the same thing together, the most frequent first.',
  right: 'read',
  at: 'GET /v1/gaps',
  input: z.strictObject({}),
  answers: {
    200: {
      means: 'The groups; `also` has other wordings.',
      schema: z.strictObject({
        gaps: z.array(z.looseObject({ request: z.string(), times: z.int(), nearest: z.array(z.string()) })),
      }),
    },
  },
  run: async (project) => ({ gaps: groupGaps(new GapLog(pathsOf(project.registry().root).system).read()) }),
  // No ability covers them.
  concerns: {
    each: ({ gaps }, may) => ({
      gaps: gaps.filter(({ environments }) =>
        environments.every((environment) => may({ ability: undefined, environment })),
      ),
    }),
  },
});
