import { z } from 'zod';
import { END_STATES, STEP_STATUSES } from '../../contracts/states.js';
import { abilityId, environmentName, json, jsonObject, moment, plainName, signalName } from './values.js';

const errorCode = z
  .string()
  .regex(/^[a-z][a-z0-9_.]{0,99}$/, 'An error code has lowercase letters, digits, _ and dots, such as http.503');

/** A step path, a step id or an operation key. */
const place = z.string().min(1).max(500);

const MOCK = 'A mock is { output: .. }, { error: { code, message } } or { live: true }, or a list of these';

const mockAnswer = z.union(
  [
    z.strictObject({
      output: json.describe('What the call answers.'),
      files: z
        .record(plainName, z.union([z.string(), z.array(z.string())]))
        .optional()
        .describe(
          'The files that the call leaves, by their names in the contract: the text of each, or a list of texts for `many`.',
        ),
    }),
    z.strictObject({
      error: z
        .strictObject({
          code: errorCode.describe('Its code.'),
          message: z.string().min(1).optional().describe('Its message.'),
          details: json.optional().describe('Its details.'),
        })
        .describe('How the call fails.'),
    }),
    z.strictObject({ live: z.literal(true).describe('Makes the real call.') }),
  ],
  MOCK,
);

/** A list answers successive executions, one each: attempts, or turns of a loop. */
const mock = z.union([mockAnswer, z.array(mockAnswer).min(1, 'A list of answers has at least one')], MOCK);

const hookAnswer = z.union(
  [
    z.enum(['allow', 'deny', 'need_user_confirm']).transform((guard_decision) => ({ guard_decision })),
    z.strictObject({
      status: z.enum(['ok', 'error']).optional().describe('`error`: the hook itself fails.'),
      guard_decision: z.enum(['allow', 'deny', 'need_user_confirm']).optional().describe('What it decides.'),
      reason: z.string().optional().describe('Why.'),
      suggestion: z.string().optional().describe('What to do instead.'),
      warnings: z.array(z.string()).optional().describe('What it warns of.'),
      hook_signals: jsonObject.optional().describe('Signals for approvers.'),
      infra: jsonObject.optional().describe('For logs and metrics.'),
      log: json.optional().describe('As `infra.log`.'),
      metrics: json.optional().describe('As `infra.metrics`.'),
      usage_record: json.optional().describe('As `infra.usage_record`.'),
    }),
  ],
  'The answer of a hook is allow, deny or need_user_confirm, or a map like the one that a script prints: { guard_decision, reason, .. }',
);

const decision = z
  .strictObject({
    decision: z.enum(['approve', 'deny', 'request_changes']).describe('To approve, to deny, or to ask for changes.'),
    by: z.string().optional().describe('Who decides.'),
    comment: z.string().optional().describe('The comment on the decision.'),
    fields: jsonObject.optional().describe('The values of the fields, by name; only for an approval.'),
  })
  .refine(({ decision, fields }) => decision === 'approve' || fields === undefined, {
    error: 'Only an approval fills in fields',
    path: ['fields'],
  });

const decisions = z.union(
  [
    z.enum(['approve', 'deny', 'request_changes', 'expire']),
    decision,
    z.array(decision).min(1, 'A list of decisions has at least one'),
  ],
  'An approval is approve, deny, request_changes or expire, or { decision, by, comment, fields }, or a list of these',
);

const expectedCall = z.union(
  [
    abilityId,
    z.strictObject({
      call: abilityId.describe('What is called.'),
      with: jsonObject.optional().describe('A part of its input.'),
    }),
  ],
  'A call is an operation key, or { call, with }',
);

const expectedError = z.union(
  [
    errorCode.transform((code) => ({ code })),
    z.strictObject({
      code: errorCode.describe('Its code.'),
      step: z.string().optional().describe('The step that failed.'),
      message: z.string().optional().describe('A part of its message.'),
    }),
  ],
  'An error is a code, or { code, step, message }',
);

const expectation = z.strictObject({
  status: z.enum(END_STATES).optional().describe('How the task ends; `unavailable`: it cannot be created.'),
  output: json.optional().describe('The whole output.'),
  output_includes: json.optional().describe('A part of the output.'),
  error: expectedError.optional().describe('The error, as a code or with its step and a part of its message.'),
  calls: z.array(expectedCall).optional().describe('What is executed, in this order.'),
  steps: z.record(place, z.enum(STEP_STATUSES)).optional().describe('How steps end, by step.'),
});

const signal = z.strictObject({
  name: signalName.describe('What it is called.'),
  payload: json.default(null).describe('What it carries.'),
});

/** Defaults for the cases of a file; a case overrides them key by key. */
const surroundings = {
  environment: environmentName.optional().describe('Where it runs.'),
  input: jsonObject.optional().describe('The input of the ability.'),
  now: moment
    .optional()
    .describe('The value of `now()` in hooks and steps when the task begins; time continues from there.'),
  mocks: z.record(place, mock).optional().describe('What calls answer, by step path, step id or operation key.'),
  hooks: z
    .record(plainName, hookAnswer)
    .optional()
    .describe('The answers of hooks whose handler is a script or an ability, by id.'),
  approvals: z.record(place, decisions).optional().describe('The decisions of people, by step.'),
  signals: z
    .array(signal)
    .min(1, 'A list of signals has at least one')
    .optional()
    .describe('Signals, each sent when a step waits for it.'),
};

const testCase = z.strictObject({
  name: z.string().min(1).max(200).describe('What it shows, as a sentence.'),
  ...surroundings,
  expect: expectation.default({}).describe('The expected outcome; what is omitted is not checked.'),
});

/** `registry/{high,low}-level/<any name>.test.yaml`: the test cases of an ability. */
export const cases = z.strictObject({
  ability: abilityId.describe('The ability under test.'),
  defaults: z.strictObject(surroundings).default({}).describe('What the cases share; a case overrides it key by key.'),
  cases: z.array(testCase).min(1, 'A file of cases has at least one').describe('The cases.'),
});

export type CaseFile = z.output<typeof cases>;

export type CaseDefinition = z.output<typeof testCase>;

export type MockAnswer = z.output<typeof mockAnswer>;

export type MockHookAnswer = z.output<typeof hookAnswer>;

export type ScriptedDecisions = z.output<typeof decisions>;

export type ScriptedDecision = z.output<typeof decision>;

export type Expectation = z.output<typeof expectation>;
