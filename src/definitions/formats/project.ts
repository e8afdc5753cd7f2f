import { z } from 'zod';
import { duration, effect, environmentName, jsonObject, plainName } from './values.js';

/** One environment. Source: design, section 4; answers, 11. */
export const environment = z.strictObject({
  protected: z.boolean().default(false),
  approve: z.array(effect).default([]),
  approvers: z.array(z.string().min(1)).default([]),
  quorum: z.number().int().min(1).max(20).default(1),
  /** Left out: allowed unless the environment is protected. */
  self_approval: z.boolean().optional(),
  proof: z.enum(['claimed', 'required']).default('claimed'),
  vars: jsonObject.default({}),
});

/** `ability.yaml`: marks a project. */
export const project = z.strictObject({
  format: z.literal(1),
  project: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'The name of a project has at most 40 small letters, digits, dashes and _'),
  environments: z
    .record(
      environmentName,
      environment.nullable().transform((value) => value ?? environment.parse({})),
    )
    .refine((environments) => Object.keys(environments).length > 0, 'A project has at least one environment'),
  people: z.record(plainName, z.array(z.string().min(1))).default({}),
  default_environment: environmentName.optional(),
  policy: z
    .strictObject({
      max_timeout: duration.optional(),
      allowed_hosts: z.array(z.string().min(1)).optional(),
    })
    .default({}),
  placement: z
    .strictObject({ cloud: z.array(z.string().min(1)).optional(), local: z.array(z.string().min(1)).optional() })
    .default({}),
});

/** A project as loaded. */
export type Project = z.output<typeof project>;
