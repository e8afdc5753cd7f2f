import { z } from 'zod';
import { durationOrTemplate, plainName, texts } from './values.js';

const approvalField = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean']).describe('Its type.'),
    title: z.string().optional().describe('What it is called.'),
    description: z.string().optional().describe('What to fill in.'),
    enum: z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .optional()
      .describe('The choices.'),
    optional: z.boolean().optional().describe('Whether it may be left out.'),
  })
  .refine(({ type, enum: choices }) => choices === undefined || choices.every((choice) => isOfType(type, choice)), {
    error: 'Each choice must have the `type` of the field',
    path: ['enum'],
  });

function isOfType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

export const approval = z.strictObject({
  title: z.string().min(1).describe('What is asked.'),
  approvers: texts
    .optional()
    .describe('Who decides: groups of `people`, or persons; without it, those of the environment.'),
  quorum: z.number().int().min(1).max(20).optional().describe('How many of them must approve.'),
  timeout: durationOrTemplate.default('24h').describe('How long to wait; without a decision by then, it is denied.'),
  comment: z
    .enum(['optional', 'required', 'on_deny'])
    .default('optional')
    .describe('Which decisions need a comment: none, all, or denials.'),
  fields: z.record(plainName, approvalField).optional().describe('Fields that an approver fills in, by name.'),
});
