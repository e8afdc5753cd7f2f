import { z } from 'zod';
import { ON_BUSY } from '../../contracts/concurrency.js';

const MAP = 'Write a map: `concurrency: { key: "deploy-${{ input.env }}" }`';

const LIMIT = 'How many may run at once is a whole number from 1 to 1000';

const KEY = 'A key is a text, such as deploy-${{ input.env }}';

/** How many tasks with the same key may run at once. Source: docs/definitions.md; docs/workflow-language.md. */
export const concurrency = z.strictObject(
  {
    key: z
      .string(KEY)
      .min(1, KEY)
      .describe('Tasks with the same key share the turns, such as deploy-${{ input.env }}.'),
    limit: z.number(LIMIT).int(LIMIT).min(1, LIMIT).max(1000, LIMIT).default(1).describe('How many may run at once.'),
    on_busy: z
      .enum(ON_BUSY)
      .default('wait')
      .describe(
        'What a task does when there is no turn: wait, be refused, cancel the oldest, or wait in place of the one that waits.',
      ),
  },
  { error: ({ code }) => (code === 'invalid_type' ? MAP : undefined) },
);
