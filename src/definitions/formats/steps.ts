import { z } from 'zod';
import type { Json, JsonObject } from '../../contracts/json.js';
import { abilityId, condition, durationOrTemplate, json, jsonObject, stepId } from './values.js';

const retry = z.strictObject({
  attempts: z.number().int().min(1).max(100).default(3),
  first: durationOrTemplate.default('1s'),
  factor: z.number().min(1).max(10).default(2),
  max: durationOrTemplate.default('30s'),
  errors: z.array(z.string().min(1)).min(1).optional(),
});

const approval = z.strictObject({
  title: z.string().min(1),
  approvers: z.array(z.string().min(1)).optional(),
  quorum: z.number().int().min(1).max(20).optional(),
  timeout: durationOrTemplate.default('24h'),
  comment: z.enum(['optional', 'required']).default('optional'),
});

const fail = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_.]{0,99}$/, 'An error code has small letters, digits, _ and dots'),
  message: z.string().min(1),
  details: json.optional(),
});

/** How often a failed call or group is tried. */
export type RetryDefinition = z.output<typeof retry>;

/** What stands on every step. Source: answers, 47. */
interface Modifiers {
  if?: string | undefined;
  timeout?: string | undefined;
  continue_on_error?: boolean | undefined;
  finally?: StepDefinition[] | undefined;
}

/** A verb with what belongs to it. */
export type VerbDefinition =
  | { call: string; with?: JsonObject | string | undefined; retry?: RetryDefinition | undefined }
  | { approval: z.output<typeof approval> }
  | { parallel: Record<string, BranchDefinition> }
  | { steps: StepDefinition[]; retry?: RetryDefinition | undefined }
  | { let: JsonObject }
  | { fail: { code: string; message: string; details?: Json | undefined } }
  | { end: { output?: Json | undefined } | null };

/** A branch of `parallel`: a step whose id is its name. */
export type BranchDefinition = VerbDefinition & Modifiers;

/** One step as loaded; exactly one verb. */
export type StepDefinition = BranchDefinition & { id: string };

/** The verbs of this engine, each with what belongs to it. */
const verbs = {
  call: { call: abilityId, with: z.union([jsonObject, z.string()]).optional(), retry: retry.optional() },
  approval: { approval },
  parallel: {
    parallel: z.record(
      stepId,
      z.lazy(() => branch),
    ),
  },
  steps: { steps: z.array(z.lazy(() => step)).min(1), retry: retry.optional() },
  let: { let: jsonObject },
  fail: { fail },
  end: { end: z.strictObject({ output: json.optional() }).nullable() },
} as const;

const modifiers = {
  if: condition.optional(),
  timeout: durationOrTemplate.optional(),
  continue_on_error: z.boolean().optional(),
  finally: z
    .array(z.lazy(() => step))
    .min(1)
    .optional(),
};

/** The names of the verbs. */
export const VERBS = Object.keys(verbs) as (keyof typeof verbs)[];

const oneVerb = `A step has exactly one verb: ${VERBS.join(', ')}`;

/** A step of a workflow. Source: design, section 5. */
export const step: z.ZodType<StepDefinition> = z.union(
  [
    z.strictObject({ id: stepId, ...verbs.call, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.approval, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.parallel, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.steps, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.let, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.fail, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.end, ...modifiers }),
  ],
  oneVerb,
);

/** A branch of `parallel`. */
export const branch: z.ZodType<BranchDefinition> = z.union(
  [
    z.strictObject({ ...verbs.call, ...modifiers }),
    z.strictObject({ ...verbs.approval, ...modifiers }),
    z.strictObject({ ...verbs.parallel, ...modifiers }),
    z.strictObject({ ...verbs.steps, ...modifiers }),
    z.strictObject({ ...verbs.let, ...modifiers }),
    z.strictObject({ ...verbs.fail, ...modifiers }),
    z.strictObject({ ...verbs.end, ...modifiers }),
  ],
  oneVerb,
);
