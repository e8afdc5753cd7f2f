import { z } from 'zod';
import { answering } from './hooks.js';
import { abilityId, plainName } from './values.js';

/** Where the handler of a hook lives. Source: R-002-11. */
const hookImpl = z.union(
  [
    z.strictObject({
      kind: z.literal('script').describe('What answers is a script of the project.'),
      script: answering.describe('A script: EventContext as JSON on stdin, HookResult as JSON on stdout.'),
    }),
    z.strictObject({
      ability_id: abilityId.describe('A low-level ability: EventContext as input, HookResult as output.'),
    }),
  ],
  'The handler of a hook is { kind: script, script }, or { ability_id }',
);

/** `registry/config/hooks_impl.yaml`: the handlers of hooks that have none where they are defined. Source: R-002-12. */
export const hooksImpl = z.strictObject({
  hooks: z
    .array(
      z.strictObject({
        id: plainName.describe('A hook of `registry/hooks` without a `handler`.'),
        impl: hookImpl.describe('What answers for it.'),
      }),
    )
    .describe('Handlers, one a hook.'),
});

/** The handler of a hook as loaded. */
export type HookImpl = z.output<typeof hooksImpl>['hooks'][number];
