import { z } from 'zod';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { OnFailure } from '../../contracts/plan.js';
import { approval } from './approval.js';
import { type RetryDefinition, retry } from './retry.js';
import {
  abilityId,
  condition,
  durationOrTemplate,
  errorCode,
  json,
  jsonObject,
  numberOrTemplate,
  signalName,
  stepId,
} from './values.js';

const undo = z.strictObject({
  call: abilityId.describe('The ability that takes it back.'),
  with: z.union([jsonObject, z.string()]).optional().describe('Its input.'),
});

const errorHandler = z.strictObject({
  errors: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Codes or families it is for; without it, all but a denial and a cancellation.'),
  steps: z
    .array(z.lazy(() => step))
    .min(1)
    .optional()
    .describe('What is done then.'),
  output: json.optional().describe('What the step gives then; without it, null.'),
  rethrow: z.boolean().optional().describe('Fail all the same.'),
});

const switchCase = z.union([
  z.strictObject({
    if: condition.describe('CEL; the first case that is true is taken.'),
    steps: z
      .array(z.lazy(() => step))
      .min(1)
      .describe('What is done then.'),
  }),
  z.strictObject({
    else: z
      .array(z.lazy(() => step))
      .min(1)
      .describe('What is done when no case is true.'),
  }),
]);

const repeat = z.strictObject({
  until: condition.describe('CEL; true ends the loop.'),
  every: durationOrTemplate.default('0s').describe('The wait between turns.'),
  max: numberOrTemplate.default(100).describe('How many turns at most; then it fails.'),
});

const wait = z.union(
  [
    durationOrTemplate,
    z.strictObject({ until: condition.describe('CEL: a time to wait for, or a condition that comes true.') }),
    z.strictObject({
      signal: signalName.describe('The signal that is waited for.'),
      if: condition.optional().describe('CEL over the signal; others stay for other waits.'),
      timeout: durationOrTemplate.optional().describe('How long is waited.'),
    }),
  ],
  'A wait is a duration (30s), { until: EXPRESSION } or { signal: NAME }',
);

/** Whether the others go on when one fails. */
const onFailure = z
  .enum(['stop', 'finish', 'cancel'])
  .optional()
  .describe('When one fails: start no other (stop, the default), finish all, or cancel those under way.');

/** How a failure is dealt with. Source: docs/workflow-language.md#failures. */
export interface ErrorHandlerDefinition {
  errors?: string[] | undefined;
  steps?: StepDefinition[] | undefined;
  output?: Json | undefined;
  rethrow?: boolean | undefined;
}

/** One case of a `switch`. */
export type SwitchCaseDefinition = { if: string; steps: StepDefinition[] } | { else: StepDefinition[] };

const fail = z.strictObject({
  code: errorCode.describe('The code of the failure, reported as it is written.'),
  message: z.string().min(1).describe('What is said.'),
  details: json.optional().describe('What belongs to it.'),
});

/** What every step may have. Source: docs/workflow-language.md#failures. */
interface Modifiers {
  if?: string | undefined;
  timeout?: string | undefined;
  on_error?: ErrorHandlerDefinition[] | undefined;
  continue_on_error?: boolean | undefined;
  finally?: StepDefinition[] | undefined;
}

/** Of a group that was a use of a template. */
export interface ExpandedTemplate {
  template: string;
  /** Whether its first step holds what the template was given. */
  isGiven: boolean;
  output?: Json | undefined;
}

/** A verb with what belongs to it. */
export type VerbDefinition =
  | {
      call: string;
      with?: JsonObject | string | undefined;
      retry?: RetryDefinition | undefined;
      cut?: 'allowed' | undefined;
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
      label?: string | undefined;
      max_parallel?: number | string | undefined;
      on_failure?: OnFailure | undefined;
      steps: StepDefinition[];
    }
  | { switch: SwitchCaseDefinition[] }
  | { repeat: z.output<typeof repeat>; index?: string | undefined; steps: StepDefinition[] }
  | { wait: z.output<typeof wait> }
  | { steps: StepDefinition[]; retry?: RetryDefinition | undefined; expanded?: ExpandedTemplate | undefined }
  /** Only until a file is loaded: then it is a group with `expanded`. */
  | { template: string; with?: JsonObject | undefined; retry?: RetryDefinition | undefined }
  | { let: JsonObject }
  | { fail: { code: string; message: string; details?: Json | undefined } }
  | { end: { output?: Json | undefined } | null };

/** A branch of `parallel`: a step whose id is its name. */
export type BranchDefinition = VerbDefinition & Modifiers;

/** One step as loaded; exactly one verb. */
export type StepDefinition = BranchDefinition & { id: string };

const steps = z
  .array(z.lazy(() => step))
  .min(1)
  .describe('Steps, in this order.');
const branches = z.record(
  stepId,
  z.lazy(() => branch),
);

/** A loop has steps as well; without this, a loop with a slip would pass for a group with keys too many. */
const noLoop = { foreach: z.undefined().optional(), repeat: z.undefined().optional() };

/** The verbs of this engine, each with what belongs to it. Those that hold `steps` stand before the plain group. */
const verbs = {
  call: {
    call: abilityId.describe('The ability that is called.'),
    with: z.union([jsonObject, z.string()]).optional().describe('Its input, with ${{ }}.'),
    retry: retry.optional().describe('How often it is tried, and when again.'),
    cut: z
      .literal('allowed')
      .optional()
      .describe('It may be ended at work by a race, a failure beside it or a time-out, and counts as cancelled then.'),
    undo: undo.optional().describe('What takes it back, if the task fails or is cancelled later.'),
  },
  approval: { approval: approval.describe('Asks people.') },
  parallel: {
    parallel: branches.describe('Steps that run at once, by id.'),
    max_parallel: numberOrTemplate.optional().describe('How many at once; without it, all.'),
    on_failure: onFailure,
  },
  race: { race: branches.describe('Steps that run at once; the first to end wins, the others are cancelled.') },
  foreach: {
    foreach: z
      .union([z.string().min(1), z.array(json)], 'A list belongs here, or bare CEL that gives one')
      .describe('The list, or CEL that gives it.'),
    as: stepId.describe('The name of the item in expressions.'),
    index: stepId.optional().describe('The name of its number, from 0.'),
    label: z
      .string()
      .min(1)
      .optional()
      .describe('What people call an item, with ${{ }}: one line, cut at 80 characters; without it, the item itself.'),
    max_parallel: numberOrTemplate.optional().describe('How many at once; without it, one after the other.'),
    on_failure: onFailure,
    steps,
  },
  switch: { switch: z.array(switchCase).min(1).describe('Cases, of which one is taken.') },
  repeat: {
    repeat: repeat.describe('A loop.'),
    index: stepId.optional().describe('The name of the number of the turn, from 0.'),
    steps,
  },
  wait: { wait: wait.describe('Waits for a while, a moment, a condition or a signal.') },
  steps: { steps, retry: retry.optional().describe('How often the group is tried, and when again.'), ...noLoop },
  template: {
    template: stepId.describe('A template of this file, whose steps run here as a group.'),
    with: jsonObject.optional().describe('What it is given: a value for each name of its `input`.'),
    retry: retry.optional().describe('How often the group is tried, and when again.'),
  },
  let: { let: jsonObject.describe('Values by name, with ${{ }}; the output of the step.') },
  fail: { fail: fail.describe('Ends the task as failed.') },
  end: {
    end: z
      .strictObject({ output: json.optional().describe('The output of the task.') })
      .nullable()
      .describe('Ends the task early, with success.'),
  },
} as const;

const modifiers = {
  if: condition.optional().describe('CEL; false skips the step.'),
  timeout: durationOrTemplate.optional().describe('How long it may take, all attempts together.'),
  on_error: z.array(errorHandler).min(1).optional().describe('What is done when it fails.'),
  continue_on_error: z.boolean().optional().describe('Go on with the next step when it fails.'),
  finally: z
    .array(z.lazy(() => step))
    .min(1)
    .optional()
    .describe('Steps that run after it in any case.'),
};

/** The names of the verbs. */
export const VERBS: ReadonlySet<string> = new Set(Object.keys(verbs));

const oneVerb = `A step has exactly one verb: ${[...VERBS].join(', ')}`;

const ownId = stepId.describe('The name of the step, unique in the file: steps.ID in expressions.');

/** A step of a workflow. Source: docs/workflow-language.md. */
export const step: z.ZodType<StepDefinition> = z
  .union(
    [
      z.strictObject({ id: ownId, ...verbs.call, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.approval, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.parallel, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.race, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.foreach, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.switch, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.repeat, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.wait, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.steps, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.template, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.let, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.fail, ...modifiers }),
      z.strictObject({ id: ownId, ...verbs.end, ...modifiers }),
    ],
    oneVerb,
  )
  .meta({ id: 'step', title: 'A step' });

/** A branch of `parallel` or `race`. */
export const branch: z.ZodType<BranchDefinition> = z
  .union(
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
      z.strictObject({ ...verbs.template, ...modifiers }),
      z.strictObject({ ...verbs.let, ...modifiers }),
      z.strictObject({ ...verbs.fail, ...modifiers }),
      z.strictObject({ ...verbs.end, ...modifiers }),
    ],
    oneVerb,
  )
  .meta({ id: 'branch', title: 'A branch' });

/** Handlers of failures, as they stand at the top of a workflow. */
export const errorHandlers: z.ZodType<ErrorHandlerDefinition[]> = z.array(errorHandler).min(1);
