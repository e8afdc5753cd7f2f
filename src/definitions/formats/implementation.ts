import { z } from 'zod';
import { apiKind } from '../../kinds/api/format.js';
import { mcpKind } from '../../kinds/mcp/format.js';
import { scriptKind } from '../../kinds/script/format.js';
import { abilityId, condition, hookBindings, jsonObject, names, optional, plainName } from './values.js';

const shared = {
  defaults: optional(jsonObject, 'Default parameters; the input of the caller overrides them.'),
  overridable: optional(names, 'Which of `defaults` callers may set; without it, all of them.'),
  tags: optional(
    names,
    '`fast` runs repeatable calls without a round trip; `deprecated` and `experimental` warn; others are for hooks.',
  ),
  fail_if: optional(condition, 'CEL over output, input and environment; true: the call failed although it answered.'),
  hooks: optional(hookBindings, 'Hooks bound where this implementation is used.'),
  limitations: optional(z.string(), 'What it cannot do; shown by `show`.'),
};

const unionOf = <Own extends z.ZodRawShape>(own: Own) =>
  z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ ...own, ...scriptKind, ...shared }),
      z.strictObject({ ...own, ...mcpKind, ...shared }),
      z.strictObject({ ...own, ...apiKind, ...shared }),
    ],
    'An implementation has a `kind` (script, mcp or api) and the section of that name',
  );

/** An implementation in its operation or in a configuration: its id is the operation key. */
export const inlineImplementation = unionOf({});

/** `registry/implementations/<id>.yaml`. Source: R-000-45, R-000-46. */
export const implementation = unionOf({
  id: plainName.describe('What the implementation is called.'),
  operation_key: abilityId.describe('The operation it belongs to.'),
  summary: optional(z.string(), 'What sets it apart; shown by `show`.'),
});

/** An implementation without its id, wherever it was written. */
export type ImplementationBody = z.output<typeof inlineImplementation>;

export type ImplementationDocument = z.output<typeof implementation>;
