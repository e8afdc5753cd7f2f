import { z } from 'zod';
import { LIFECYCLES, type Standing } from '../../contracts/lifecycle.js';
import { abilityId, summary, version } from './values.js';

/** How reliable the definitions of a file are. Source: R-002-01, R-000-94. */
export const lifecycle = z
  .enum(LIFECYCLES)
  .optional()
  .describe('How far to rely on it: users of what is experimental or deprecated are warned; `stable` without it.');

/** Refuses a replacement for something that is not deprecated, since nothing would ever name it. */
export function isReplacedRightly({ status, replaced_by }: Standing): boolean {
  return replaced_by === undefined || status === 'deprecated';
}

/** The message when {@link isReplacedRightly} is false. */
export const REPLACED_WRONGLY = {
  message: '`replaced_by` belongs to what is deprecated: write `status: deprecated`, or leave it out',
  path: ['replaced_by'],
};

/** The same rule for editors. */
export const REPLACEMENT_RULE = {
  dependencies: {
    replaced_by: {
      required: ['status'],
      properties: { status: { const: 'deprecated', description: 'Only what is deprecated is replaced.' } },
    },
  },
};

/** The keys of every ability's contract after its id. */
export const contract = {
  version: version.default(1).describe('The version of the contract; another one when callers must change.'),
  status: lifecycle,
  replaced_by: abilityId.optional().describe('The ability to use instead of this deprecated one.'),
  summary: summary.describe('One sentence on what it does; people and AIs choose by it.'),
};
