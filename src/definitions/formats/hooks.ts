import { z } from 'zod';
import { BUILTINS } from '../../contracts/hooks.js';
import { script } from './implementation.js';
import { condition, effect, jsonObject, plainName } from './values.js';

const globs = z.array(z.string().min(1)).min(1).optional();

/** The activation filter of a hook: every field given must fit. Source: R-000-63, design section 7. */
export const match = z.strictObject({
  abilities: globs,
  modules: globs,
  environments: globs,
  effects: z.array(effect).min(1).optional(),
  tags: globs,
});

const expression = z
  .strictObject({
    deny_if: condition.optional(),
    confirm_if: condition.optional(),
    warn_if: condition.optional(),
    reason: z.string().min(1).optional(),
    suggestion: z.string().min(1).optional(),
  })
  .refine(
    ({ deny_if, confirm_if, warn_if }) => deny_if ?? confirm_if ?? warn_if,
    'An expression handler has at least one of deny_if, confirm_if, warn_if',
  );

const builtin = z.union(
  [
    z.enum(BUILTINS).transform((name) => ({ name, options: {} })),
    z.strictObject({ name: z.enum(BUILTINS), options: jsonObject.default({}) }),
  ],
  `A built-in handler is one of ${BUILTINS.join(', ')}, or { name, options }`,
);

const handler = z.union(
  [z.strictObject({ expression }), z.strictObject({ script }), z.strictObject({ builtin })],
  'A handler is one of expression, script, builtin',
);

/** One hook. Source: R-002-20, R-002-21, C-05. */
export const hook = z.strictObject({
  id: plainName,
  summary: z.string().optional(),
  enabled: z.boolean().default(true),
  blocking: z.boolean().default(false),
  match: match.optional(),
  handler,
});

/** `registry/hooks/<Phase>.yaml`. */
export const hooks = z.strictObject({ hooks: z.array(hook) });

/** A hook as loaded. */
export type HookDefinition = z.output<typeof hook>;

/** The activation filter as loaded. */
export type HookMatch = z.output<typeof match>;
