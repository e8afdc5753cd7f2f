import { z } from 'zod';
import { ON_BUSY } from '../../contracts/concurrency.js';
import { contract, described, isReplacedRightly, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import { schedules, triggers } from './schedules-and-triggers.js';
import { errorHandlers, step } from './steps.js';
import {
  abilityId,
  duration,
  hookBindings,
  json,
  names,
  optional,
  placementName,
  plainName,
  routingHints,
  stepId,
  taskTimeout,
} from './values.js';

const MAP = 'Write a map: `concurrency: { key: "deploy-${{ input.env }}" }`';

const LIMIT = 'How many may run at once is a whole number from 1 to 1000';

const KEY = 'A key is a text, such as deploy-${{ input.env }}';

/**
 * The maximum number of tasks with the same key that run at once. Source: docs/definitions.md;
 * docs/workflow-language.md.
 */
const concurrency = z.strictObject(
  {
    key: z
      .string(KEY)
      .min(1, KEY)
      .describe('Tasks with the same key share the limit, such as deploy-${{ input.env }}.'),
    limit: z.number(LIMIT).int(LIMIT).min(1, LIMIT).max(1000, LIMIT).default(1).describe('How many may run at once.'),
    on_busy: z
      .enum(ON_BUSY)
      .default('wait')
      .describe(
        'What a task does when the limit is reached: wait, be refused, cancel the oldest task, or wait in place of the one that waits.',
      ),
  },
  { error: ({ code }) => (code === 'invalid_type' ? MAP : undefined) },
);

const template = z.strictObject({
  input: z
    .array(stepId)
    .default([])
    .describe('The names of its inputs, which each use sets; `input.NAME` in its expressions.'),
  steps: z.array(step).min(1).describe('Its steps; their expressions can read each other, but no step outside.'),
  output: optional(json, 'The output of a use, with ${{ }}; without it, the last output of what ran.'),
});

export type TemplateDefinition = z.output<typeof template>;

const NEEDS_STEPS = ['output', 'on_error', 'finally', 'templates', 'schedules', 'triggers'] as const;

/**
 * `registry/high-level/<id>.yaml`: a workflow. Without `steps` it is described and cannot be run. Source: R-000-36
 * to R-000-39; C-50; docs/definitions.md#high-level-abilities.
 */
export const highLevel = z
  .strictObject({
    id: abilityId.describe('What the ability is called, such as signup_e2e_test.'),
    type: z.literal('workflow').describe('A workflow has steps in their order.'),
    ...contract,
    ...described,
    constraints: optional(
      z.record(plainName, z.string()),
      'What to know about runtime, cost, environment and the like, in words; shown by `show`. Limits are `timeout`, `limits` and `scope`.',
    ),
    operations: optional(
      z.array(abilityId),
      'The only abilities its steps may call; without it, those that they call.',
    ),
    routing_hints: optional(routingHints, 'Helps to find it; never a permission.'),
    hooks: optional(hookBindings, 'Hooks of `registry/hooks` around the task as a whole.'),
    capabilities: optional(names, 'Ids of capabilities that it gives to the packs that run it; lint compares them.'),
    placement: optional(
      placementName,
      '`local`, `cloud` or one of `placements`: where it runs, instead of what its calls need.',
    ),
    timeout: taskTimeout,
    concurrency: optional(concurrency, 'How many tasks with the same key may run at once.'),
    schedules: optional(schedules, 'When it is started automatically; applied by `ability schedule sync`.'),
    triggers: optional(triggers, 'The webhooks that start it; received by `ability serve`.'),
    templates: optional(z.record(stepId, template), 'Steps that are used in several places of this file, by name.'),
    steps: z
      .array(step)
      .min(1)
      .default([])
      .describe('What happens, in this order. Without it, the ability is listed and found, and cannot be run.'),
    output: optional(json, 'The output of the task, with ${{ }}; without it, null.'),
    on_error: optional(errorHandlers, 'What is done if a step fails and does not handle the error itself.'),
    limits: optional(
      z.strictObject({
        max_calls: optional(z.number().int().min(1).max(1_000_000), 'How many calls a task may make.'),
        cleanup: optional(
          duration,
          'For all `undo` calls together, and for each `finally`; without it, what the calls state, and 5m.',
        ),
      }),
      'What a task may not exceed.',
    ),
    finally: optional(z.array(step).min(1), 'Steps that run in any case, after the others.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .refine((value) => value.steps.length > 0 || NEEDS_STEPS.every((key) => value[key] === undefined), {
    message: `Without \`steps\` there is no ${NEEDS_STEPS.join(', ')}`,
    path: ['steps'],
  })
  .meta({
    dependencies: {
      ...REPLACEMENT_RULE.dependencies,
      ...Object.fromEntries(NEEDS_STEPS.map((key) => [key, ['steps']])),
    },
  });

export type HighLevel = z.output<typeof highLevel>;
