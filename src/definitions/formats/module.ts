import { z } from 'zod';
import { isReplacedRightly, lifecycle, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import { abilityId, matching, optional, summary, text } from './values.js';

/** A module's name as in `scope.modules` of abilities: users.api, integration/tests. */
const moduleId = matching(
  /^[A-Za-z0-9][A-Za-z0-9_./-]{0,199}$/,
  'The id of a module has letters, digits, _, -, dots and slashes',
);

/** `modules/overview/<id>.yaml`: the description of a module of the project. Source: R-002-02. */
export const moduleOverview = z
  .strictObject({
    id: moduleId.describe('What the module is called, as in `scope.modules` of abilities.'),
    summary: summary.describe('One sentence on what it is for.'),
    status: lifecycle.unwrap().describe('How reliable it is; users of abilities of a deprecated module are warned.'),
    replaced_by: optional(moduleId, 'The module to use instead of this deprecated one.'),
    path: text.describe('Its folder, relative to the project.'),
    depends_on: optional(z.array(moduleId), 'Modules that it needs.'),
    abilities: optional(z.array(abilityId), 'Abilities that belong to it.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .meta(REPLACEMENT_RULE);

export type ModuleOverview = z.output<typeof moduleOverview>;
