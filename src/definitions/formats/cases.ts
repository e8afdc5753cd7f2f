import { z } from 'zod';
import { END_STATES, STEP_STATUSES } from '../../contracts/states.js';
import {
  abilityId,
  environmentName,
  json,
  jsonObject,
  matching,
  moment,
  optional,
  plainName,
  signalName,
  text,
} from './values.js';

const errorCode = matching(
  /^[a-z][a-z0-9_.]{0,99}$/,
  'An error code has lowercase letters, digits, _ and dots, such as http.503',
);

/** A step path, a step id or an operation key. */
const place = text.max(500);

const MOCK = 'A mock is { output: .. }, { error: { code, message } } or { live: true }, or a list of these';

const mockAnswer = z.union(
  [
    z.strictObject({
      output: json.describe('What the call answers.'),
      files: optional(
        z.record(plainName, z.union([z.string(), z.array(z.string())])),
        'The files that the call leaves, by their names in the contract: the text of each, or a list of texts for `many`.',
      ),
    }),
    z.strictObject({
      error: z
        .strictObject({
          code: errorCode.describe('Its code.'),
          message: optional(text, 'Its message.'),
          details: optional(json, 'Its details.'),
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
      status: optional(z.enum(['ok', 'error']), '`error`: the hook itself fails.'),
      guard_decision: optional(z.enum(['allow', 'deny', 'need_user_confirm']), 'What it decides.'),
      reason: optional(z.string(), 'Why.'),
      suggestion: optional(z.string(), 'What to do instead.'),
      warnings: optional(z.array(z.string()), 'What it warns of.'),
      hook_signals: optional(jsonObject, 'Signals for approvers.'),
      infra: optional(jsonObject, 'For logs and metrics.'),
      log: optional(json, 'As `infra.log`.'),
      metrics: optional(json, 'As `infra.metrics`.'),
      usage_record: optional(json, 'As `infra.usage_record`.'),
    }),
  ],
  'The answer of a hook is allow, deny or need_user_confirm, or a map like the one that a script prints: { guard_decision, reason, .. }',
);

const decision = z
  .strictObject({
    decision: z.enum(['approve', 'deny', 'request_changes']).describe('To approve, to deny, or to ask for changes.'),
    by: optional(z.string(), 'Who decides.'),
    comment: optional(z.string(), 'The comment on the decision.'),
    fields: optional(jsonObject, 'The values of the fields, by name; only for an approval.'),
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
      with: optional(jsonObject, 'A part of its input.'),
    }),
  ],
  'A call is an operation key, or { call, with }',
);

const expectedError = z.union(
  [
    errorCode.transform((code) => ({ code })),
    z.strictObject({
      code: errorCode.describe('Its code.'),
      step: optional(z.string(), 'The step that failed.'),
      message: optional(z.string(), 'A part of its message.'),
    }),
  ],
  'An error is a code, or { code, step, message }',
);

const expectation = z.strictObject({
  status: optional(z.enum(END_STATES), 'How the task ends; `unavailable`: it cannot be created.'),
  output: optional(json, 'The whole output.'),
  output_includes: optional(json, 'A part of the output.'),
  error: optional(expectedError, 'The error, as a code or with its step and a part of its message.'),
  calls: optional(z.array(expectedCall), 'What is executed, in this order.'),
  steps: optional(z.record(place, z.enum(STEP_STATUSES)), 'How steps end, by step.'),
});

const signal = z.strictObject({
  name: signalName.describe('What it is called.'),
  payload: json.default(null).describe('What it carries.'),
});

/** Defaults for the cases of a file; a case overrides them key by key. */
const surroundings = {
  environment: optional(environmentName, 'Where it runs.'),
  input: optional(jsonObject, 'The input of the ability.'),
  now: optional(moment, 'The value of `now()` in hooks and steps when the task begins; time continues from there.'),
  mocks: optional(z.record(place, mock), 'What calls answer, by step path, step id or operation key.'),
  hooks: optional(
    z.record(plainName, hookAnswer),
    'The answers of hooks whose handler is a script or an ability, by id.',
  ),
  approvals: optional(z.record(place, decisions), 'The decisions of people, by step.'),
  signals: optional(
    z.array(signal).min(1, 'A list of signals has at least one'),
    'Signals, each sent when a step waits for it.',
  ),
};

const testCase = z.strictObject({
  name: text.max(200).describe('What it shows, as a sentence.'),
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
