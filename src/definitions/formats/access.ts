import { z } from 'zod';
import { RIGHTS, type Rights } from '../../contracts/access.js';
import { rightsOf } from '../../rules/rights.js';
import { matching, optional, text } from './values.js';

const environmentGlob = matching(
  /^[a-z0-9_*-]{1,32}$/,
  'An environment is named by at most 32 lowercase letters, digits, dashes and _; * stands for any of them',
);

const abilityGlob = matching(
  /^[a-z0-9_.*-]{1,100}$/,
  'Abilities are named by at most 100 lowercase letters, digits, dots, dashes and _; * stands for any of them',
);

/** Where a right holds. What is named here and matches nothing is reported by lint. */
export const rightLimits = z.strictObject({
  environments: optional(z.array(environmentGlob).min(1), 'Only there; * matches any characters.'),
  abilities: optional(z.array(abilityGlob).min(1), 'Only for these ids; * matches any characters.'),
});

const limited = z
  .strictObject({
    read: optional(rightLimits, 'To see tasks, abilities and schedules.'),
    run: optional(rightLimits, 'To run abilities, and to change what runs.'),
    approve: optional(rightLimits, 'To decide approvals of calls of these abilities.'),
  })
  .refine((rights) => Object.keys(rights).length > 0, 'Name at least one right');

/** The rights of a group: a list of them, or each with its limits; `{}`: none. */
const rights = z
  .union(
    [z.array(z.enum(RIGHTS)).min(1), limited],
    `Rights are a list of ${RIGHTS.join(', ')}, or a map of them to { environments, abilities }`,
  )
  .transform((given): Rights => {
    if (Array.isArray(given)) return rightsOf(...given);
    return Object.fromEntries(Object.entries(given).map(([right, limits]) => [right, [limits]]));
  });

export const access = z.record(text.max(200), rights);
