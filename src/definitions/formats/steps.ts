import { z } from 'zod';
import type { Json } from '../../contracts/json.js';
import { approval } from './approval.js';
import { retry } from './retry.js';
import {
  abilityId,
  condition,
  durationOrTemplate,
  errorCode,
  json,
  jsonObject,
  numberOrTemplate,
  optional,
  signalName,
  stepId,
  text,
  texts,
} from './values.js';

/** Formats of nested steps. Each states its type, since the type of a step depends on what contains it. */
type Steps = z.ZodType<StepDefinition[]>;
type Branches = z.ZodType<{ [id: string]: StepDefinition }>;

const inOrder: Steps = stepsFor('Steps, in this order.');
const doneThen: Steps = stepsFor('What is done then.');
const doneElse: Steps = stepsFor('What is done when no case is true.');
const afterFailure: z.ZodOptional<Steps> = optional(stepList(), 'What is done then.');
const cleanUp: z.ZodOptional<Steps> = optional(stepList(), 'Steps that run after it in any case.');

const undo = z.strictObject({
  call: abilityId.describe('The ability that takes it back.'),
  with: optional(z.union([jsonObject, z.string()]), 'Its input.'),
  approval: optional(
    z.literal('required'),
    'It asks people itself; without it, the approval of the call covers it, and if that needs none, nobody is asked.',
  ),
});

const errorHandler = z.strictObject({
  errors: optional(texts.min(1), 'Codes or families it is for; without it, all but a denial and a cancellation.'),
  steps: afterFailure,
  output: optional(json, 'The output of the step then; without it, null.'),
  rethrow: optional(z.boolean(), 'Whether the step still fails.'),
});

/** The handling of a failure. */
export type ErrorHandlerDefinition = z.output<typeof errorHandler>;

const switchCase = z.union([
  z.strictObject({
    if: condition.describe('CEL; the first case that is true is taken.'),
    steps: doneThen,
  }),
  z.strictObject({ else: doneElse }),
]);

const repeat = z.strictObject({
  until: condition.describe('CEL; true ends the loop.'),
  every: durationOrTemplate.default('0s').describe('The wait between turns.'),
  max: numberOrTemplate.default(100).describe('Maximum number of turns; after these, the step fails.'),
});

const wait = z.union(
  [
    durationOrTemplate,
    z.strictObject({ until: condition.describe('CEL: a time to wait for, or a condition that comes true.') }),
    z.strictObject({
      signal: signalName.describe('The signal that is waited for.'),
      if: optional(condition, 'CEL over the signal; signals for which it is false are kept for other waits.'),
      timeout: optional(durationOrTemplate, 'How long to wait.'),
    }),
  ],
  'A wait is a duration (30s), { until: EXPRESSION } or { signal: NAME }',
);

const onFailure = optional(
  z.enum(['stop', 'finish', 'cancel']),
  'When one fails: start no other (stop, the default), finish all, or cancel those under way.',
);

const fail = z.strictObject({
  code: errorCode.describe('The code of the failure, reported as it is written.'),
  message: text.describe('The message of the failure.'),
  details: optional(json, 'Further data about the failure.'),
});

/** Marks a group that was expanded from a template. */
export interface ExpandedTemplate {
  template: string;
  /** Whether its first step names the arguments of the template. */
  isGiven: boolean;
  output?: Json | undefined;
}

const branches = z.record(
  stepId,
  z.lazy(() => branch),
);

const parallelBranches: Branches = branchesFor('Steps that run at once, by id.');
const raceBranches: Branches = branchesFor('Steps that run at once; the first to end wins, the others are cancelled.');

/** Without this, a loop with a typo would count as a group with unknown keys, since both have `steps`. */
const noLoop = { foreach: z.undefined().optional(), repeat: z.undefined().optional() };

/** The verbs and their keys. Those with `steps` come before the plain group. */
const verbs = {
  call: {
    call: abilityId.describe('The ability that is called.'),
    with: optional(z.union([jsonObject, z.string()]), 'Its input, with ${{ }}.'),
    retry: optional(retry, 'How often it is tried, and when again.'),
    cut: optional(
      z.literal('allowed'),
      'The call may be cut off while it runs, by a race, a failure in another branch or item, or a time-out; it then counts as cancelled.',
    ),
    undo: optional(undo, 'What takes it back, if the task fails or is cancelled later.'),
  },
  approval: { approval: approval.describe('Asks people.') },
  parallel: {
    parallel: parallelBranches,
    max_parallel: optional(numberOrTemplate, 'How many at once; without it, all.'),
    on_failure: onFailure,
  },
  race: { race: raceBranches },
  foreach: {
    foreach: z
      .union([text, z.array(json)], 'A list belongs here, or bare CEL that gives one')
      .describe('The list, or CEL that gives it.'),
    as: stepId.describe('The name of the item in expressions.'),
    index: optional(stepId, 'The name of the index of the item, from 0.'),
    label: optional(
      text,
      'What people call an item, with ${{ }}: one line, cut at 80 characters; without it, the item itself.',
    ),
    max_parallel: optional(numberOrTemplate, 'How many at once; without it, one after the other.'),
    on_failure: onFailure,
    approval: optional(
      z.strictObject({
        of: z.literal('each').describe('The call of each item.'),
        items: z.literal('all').describe('All items are shown at once.'),
      }),
      'Where the environment asks for approval of the calls: once for all of them, before the first.',
    ),
    steps: inOrder,
  },
  switch: { switch: z.array(switchCase).min(1).describe('Cases, of which one is taken.') },
  repeat: {
    repeat: repeat.describe('A loop.'),
    index: optional(stepId, 'The name of the index of the turn, from 0.'),
    steps: inOrder,
  },
  wait: { wait: wait.describe('Waits for a while, a moment, a condition or a signal.') },
  steps: {
    steps: inOrder,
    retry: optional(retry, 'How often the group is tried, and when again.'),
    ...noLoop,
  },
  template: {
    template: stepId.describe('A template of this file, whose steps run here as a group.'),
    with: optional(jsonObject, 'What it is given: a value for each name of its `input`.'),
    retry: optional(retry, 'How often the group is tried, and when again.'),
  },
  let: { let: jsonObject.describe('Values by name, with ${{ }}; the output of the step.') },
  fail: { fail: fail.describe('Ends the task as failed.') },
  end: {
    end: z
      .strictObject({ output: optional(json, 'The output of the task.') })
      .nullable()
      .describe('Ends the task early, with success.'),
  },
} as const;

const modifiers = {
  if: optional(condition, 'CEL; false skips the step.'),
  timeout: optional(durationOrTemplate, 'How long it may take, all attempts together.'),
  on_error: optional(z.array(errorHandler).min(1), 'What is done when it fails.'),
  continue_on_error: optional(z.boolean(), 'Go on with the next step when it fails.'),
  finally: cleanUp,
};

type Verb = keyof typeof verbs;

type Written<Own extends Verb> = z.core.$InferObjectOutput<
  (typeof verbs)[Own] & typeof modifiers,
  z.core.$strict['out']
>;

/** Fields that loading adds to the keys of a verb. */
interface Loaded extends Partial<Record<Verb, object>> {
  steps: { expanded?: ExpandedTemplate | undefined };
}

/** A loaded step of one verb, or of one of several; loading adds `verb`, which no file contains. */
export type StepOf<Own extends Verb> = {
  [Each in Own]: { id: string; verb: Each } & Written<Each> & Loaded[Each];
}[Own];

/** A loaded step. `template` exists only during loading, which turns it into a group with `expanded`. */
export type StepDefinition = StepOf<Verb>;

export const VERBS: ReadonlySet<string> = new Set(Object.keys(verbs));

const oneVerb = `A step has exactly one verb: ${[...VERBS].join(', ')}`;

/** One format per verb; loading marks each step with its verb. */
function stepFormats(own: { id?: z.ZodString }): z.ZodType[] {
  return (Object.keys(verbs) as Verb[]).map((verb) =>
    z
      .strictObject(own)
      .extend(verbs[verb])
      .extend(modifiers)
      .transform((value) => ({ verb, ...value })),
  );
}

const ownId = stepId.describe('The name of the step, unique in the file: steps.ID in expressions.');

/** A step of a workflow. */
export const step = z
  .union(stepFormats({ id: ownId }), oneVerb)
  .meta({ id: 'step', title: 'A step' }) as z.ZodType<StepDefinition>;

/** A branch of `parallel` or `race`: a step whose id is its name. */
const branch = z.union(stepFormats({}), oneVerb).meta({ id: 'branch', title: 'A branch' }) as z.ZodType<StepDefinition>;

function stepList(): Steps {
  return z.array(z.lazy(() => step)).min(1);
}

function stepsFor(description: string): Steps {
  return stepList().describe(description);
}

function branchesFor(description: string): Branches {
  return branches
    .describe(description)
    .transform((own) => Object.fromEntries(Object.entries(own).map(([id, one]) => [id, { ...one, id }])));
}

export const errorHandlers = z.array(errorHandler).min(1);
