import { z } from 'zod';
import { duration, durationOrTemplate, optional, plainName, text, texts } from './values.js';

const approvalField = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean']).describe('Its type.'),
    title: optional(z.string(), 'What it is called.'),
    description: optional(z.string(), 'What to fill in.'),
    enum: optional(z.array(z.union([z.string(), z.number()])).min(1), 'The choices.'),
    optional: optional(z.boolean(), 'Whether it may be left out.'),
  })
  .refine(({ type, enum: choices }) => choices === undefined || choices.every((choice) => isOfType(type, choice)), {
    error: 'Each choice must have the `type` of the field',
    path: ['enum'],
  });

function isOfType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** What happens while no one decides; on a step and on an environment. Source: docs/approvals.md#while-no-one-decides. */
export const whileOpen = {
  remind: optional(
    z.array(duration).min(1).max(10),
    'When to send the notice `approval.reminded`, counted from the request.',
  ),
  escalate: optional(
    z.strictObject({
      after: duration.describe('How long no one may have decided, counted from the request.'),
      to: text.describe('Who may decide from then on as well: a group of `people`, or a person.'),
    }),
    'Who else may decide after a while; the notice `approval.escalated` says so.',
  ),
};

/** The fields of an input that a decider may correct. Source: docs/approvals.md#correct-then-approve. */
export const editable = optional(
  z.array(plainName).min(1),
  'Fields of the input that may be changed by whoever approves; the guards run again on the changed input.',
);

export const approval = z.strictObject({
  title: text.describe('What is asked.'),
  approvers: optional(texts, 'Who decides: groups of `people`, or persons; without it, those of the environment.'),
  quorum: optional(z.number().int().min(1).max(20), 'How many of them must approve.'),
  timeout: durationOrTemplate.default('24h').describe('How long to wait; without a decision by then, it is denied.'),
  comment: z
    .enum(['optional', 'required', 'on_deny'])
    .default('optional')
    .describe('Which decisions need a comment: none, all, or denials.'),
  fields: optional(z.record(plainName, approvalField), 'Fields that an approver fills in, by name.'),
  edit: editable,
  ...whileOpen,
});
