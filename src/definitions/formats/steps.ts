import { z } from 'zod';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { OnFailure } from '../../contracts/plan.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import {
  abilityId,
  condition,
  durationOrTemplate,
  json,
  jsonObject,
  numberOrTemplate,
  plainName,
  signalName,
  stepId,
} from './values.js';

const MOST_WAIT = '30s';

/** How often a call or a group is tried, and how long is waited between: from `first` up to `max`. */
const retry = z
  .strictObject({
    attempts: z.number().int().min(1).max(100).default(3),
    first: durationOrTemplate.default('1s'),
    factor: z.number().min(1).max(10).default(2),
    max: durationOrTemplate.optional(),
    errors: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ first, max }) => max === undefined || !isShorter(max, first), {
    error: '`max` is the longest wait, so it is not shorter than `first`',
    path: ['max'],
  })
  .transform(({ max = MOST_WAIT, errors, ...rest }) => ({ ...rest, max, ...(errors && { errors }) }));

/** Of two durations; templates are only known when the task runs. */
function isShorter(one: string, other: string): boolean {
  return isDuration(one) && isDuration(other) && parseDuration(one) < parseDuration(other);
}

/** What a decider fills in; a small part of JSON Schema. */
const approvalField = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean']),
    title: z.string().optional(),
    description: z.string().optional(),
    enum: z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .optional(),
    optional: z.boolean().optional(),
  })
  .refine(({ type, enum: choices }) => choices === undefined || choices.every((choice) => isOfType(type, choice)), {
    error: 'Each choice is of the `type` of the field, or nobody could choose it',
    path: ['enum'],
  });

function isOfType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

const approval = z.strictObject({
  title: z.string().min(1),
  approvers: z.array(z.string().min(1)).optional(),
  quorum: z.number().int().min(1).max(20).optional(),
  timeout: durationOrTemplate.default('24h'),
  comment: z.enum(['optional', 'required']).default('optional'),
  fields: z.record(plainName, approvalField).optional(),
});

const undo = z.strictObject({ call: abilityId, with: z.union([jsonObject, z.string()]).optional() });

const errorHandler = z.strictObject({
  errors: z.array(z.string().min(1)).min(1).optional(),
  steps: z
    .array(z.lazy(() => step))
    .min(1)
    .optional(),
  output: json.optional(),
  rethrow: z.boolean().optional(),
});

const switchCase = z.union([
  z.strictObject({ if: condition, steps: z.array(z.lazy(() => step)).min(1) }),
  z.strictObject({ else: z.array(z.lazy(() => step)).min(1) }),
]);

const repeat = z.strictObject({
  until: condition,
  every: durationOrTemplate.default('0s'),
  max: numberOrTemplate.default(100),
});

const wait = z.union(
  [
    durationOrTemplate,
    z.strictObject({ until: condition }),
    z.strictObject({ signal: signalName, if: condition.optional(), timeout: durationOrTemplate.optional() }),
  ],
  'A wait is a duration (30s), { until: EXPRESSION } or { signal: NAME }',
);

/** Whether the others go on when one fails. */
const onFailure = z.enum(['stop', 'finish', 'cancel']).optional();

/** How a failure is dealt with. Source: answers, 44. */
export interface ErrorHandlerDefinition {
  errors?: string[] | undefined;
  steps?: StepDefinition[] | undefined;
  output?: Json | undefined;
  rethrow?: boolean | undefined;
}

/** One case of a `switch`. */
export type SwitchCaseDefinition = { if: string; steps: StepDefinition[] } | { else: StepDefinition[] };

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
  on_error?: ErrorHandlerDefinition[] | undefined;
  continue_on_error?: boolean | undefined;
  finally?: StepDefinition[] | undefined;
}

/** A verb with what belongs to it. */
export type VerbDefinition =
  | {
      call: string;
      with?: JsonObject | string | undefined;
      retry?: RetryDefinition | undefined;
      undo?: z.output<typeof undo> | undefined;
    }
  | { approval: z.output<typeof approval> }
  | {
      parallel: Record<string, BranchDefinition>;
      max_parallel?: number | string | undefined;
      on_failure?: OnFailure | undefined;
    }
  | { race: Record<string, BranchDefinition> }
  | {
      foreach: string | Json[];
      as: string;
      index?: string | undefined;
      max_parallel?: number | string | undefined;
      on_failure?: OnFailure | undefined;
      steps: StepDefinition[];
    }
  | { switch: SwitchCaseDefinition[] }
  | { repeat: z.output<typeof repeat>; index?: string | undefined; steps: StepDefinition[] }
  | { wait: z.output<typeof wait> }
  | { steps: StepDefinition[]; retry?: RetryDefinition | undefined }
  | { let: JsonObject }
  | { fail: { code: string; message: string; details?: Json | undefined } }
  | { end: { output?: Json | undefined } | null };

/** A branch of `parallel`: a step whose id is its name. */
export type BranchDefinition = VerbDefinition & Modifiers;

/** One step as loaded; exactly one verb. */
export type StepDefinition = BranchDefinition & { id: string };

const steps = z.array(z.lazy(() => step)).min(1);
const branches = z.record(
  stepId,
  z.lazy(() => branch),
);

/** A loop has steps as well; without this, a loop with a slip would pass for a group with keys too many. */
const noLoop = { foreach: z.undefined().optional(), repeat: z.undefined().optional() };

/** The verbs of this engine, each with what belongs to it. Those that hold `steps` stand before the plain group. */
const verbs = {
  call: {
    call: abilityId,
    with: z.union([jsonObject, z.string()]).optional(),
    retry: retry.optional(),
    undo: undo.optional(),
  },
  approval: { approval },
  parallel: { parallel: branches, max_parallel: numberOrTemplate.optional(), on_failure: onFailure },
  race: { race: branches },
  foreach: {
    foreach: z.union([z.string().min(1), z.array(json)], 'A list belongs here, or bare CEL that gives one'),
    as: stepId,
    index: stepId.optional(),
    max_parallel: numberOrTemplate.optional(),
    on_failure: onFailure,
    steps,
  },
  switch: { switch: z.array(switchCase).min(1) },
  repeat: { repeat, index: stepId.optional(), steps },
  wait: { wait },
  steps: { steps, retry: retry.optional(), ...noLoop },
  let: { let: jsonObject },
  fail: { fail },
  end: { end: z.strictObject({ output: json.optional() }).nullable() },
} as const;

const modifiers = {
  if: condition.optional(),
  timeout: durationOrTemplate.optional(),
  on_error: z.array(errorHandler).min(1).optional(),
  continue_on_error: z.boolean().optional(),
  finally: z
    .array(z.lazy(() => step))
    .min(1)
    .optional(),
};

/** The names of the verbs. */
export const VERBS: ReadonlySet<string> = new Set(Object.keys(verbs));

const oneVerb = `A step has exactly one verb: ${[...VERBS].join(', ')}`;

/** A step of a workflow. Source: design, section 5. */
export const step: z.ZodType<StepDefinition> = z.union(
  [
    z.strictObject({ id: stepId, ...verbs.call, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.approval, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.parallel, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.race, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.foreach, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.switch, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.repeat, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.wait, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.steps, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.let, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.fail, ...modifiers }),
    z.strictObject({ id: stepId, ...verbs.end, ...modifiers }),
  ],
  oneVerb,
);

/** A branch of `parallel` or `race`. */
export const branch: z.ZodType<BranchDefinition> = z.union(
  [
    z.strictObject({ ...verbs.call, ...modifiers }),
    z.strictObject({ ...verbs.approval, ...modifiers }),
    z.strictObject({ ...verbs.parallel, ...modifiers }),
    z.strictObject({ ...verbs.race, ...modifiers }),
    z.strictObject({ ...verbs.foreach, ...modifiers }),
    z.strictObject({ ...verbs.switch, ...modifiers }),
    z.strictObject({ ...verbs.repeat, ...modifiers }),
    z.strictObject({ ...verbs.wait, ...modifiers }),
    z.strictObject({ ...verbs.steps, ...modifiers }),
    z.strictObject({ ...verbs.let, ...modifiers }),
    z.strictObject({ ...verbs.fail, ...modifiers }),
    z.strictObject({ ...verbs.end, ...modifiers }),
  ],
  oneVerb,
);

/** Handlers of failures, as they stand at the top of a workflow. */
export const errorHandlers: z.ZodType<ErrorHandlerDefinition[]> = z.array(errorHandler).min(1);
