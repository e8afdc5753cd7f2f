import { z } from 'zod';
import { loadedAbilities } from '../definitions/find-ability.js';
import { UsageLog } from '../server/logs/usage-log.js';
import { pathsOf } from '../server/project-paths.js';
import { answer, environmentOf, operation } from './operation.js';

const line = z.strictObject({
  ability_id: z.string(),
  calls: z.int(),
  failures: z.int(),
  last_used: z.string().nullable(),
});

/** What the built-in hook `usage` has recorded of each ability where the project runs. Source: R-002-63. */
export const listUsage = operation({
  summary: 'How often each ability was called, as the hook `usage` has noted; one that was not seen has no calls.',
  right: 'read',
  at: 'GET /v1/usage',
  input: z.strictObject({}),
  answers: answer('All of them, by id.', z.strictObject({ usage: z.array(line) })),
  run: async (project) => {
    const registry = project.registry();
    const seen = new Map(new UsageLog(pathsOf(registry.root).system).read().map((one) => [one.ability_id, one]));
    const ids = [...new Set([...loadedAbilities(registry).map(([id]) => id), ...seen.keys()])].sort();
    const none = { calls: 0, failures: 0, last_used: null };
    return { usage: ids.map((ability_id) => seen.get(ability_id) ?? { ability_id, ...none }) };
  },
  concerns: {
    each: ({ usage }, may, { project }) => {
      const environment = environmentOf(project, project.registry(), undefined);
      return { usage: usage.filter(({ ability_id: ability }) => may({ ability, environment })) };
    },
  },
});
