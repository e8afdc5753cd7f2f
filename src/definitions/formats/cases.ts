import { z } from 'zod';
import { END_STATES, STEP_STATUSES } from '../../contracts/states.js';
import { abilityId, environmentName, json, jsonObject, plainName, signalName } from './values.js';

const errorCode = z
  .string()
  .regex(/^[a-z][a-z0-9_.]{0,99}$/, 'An error code has small letters, digits, _ and dots, such as http.503');

/** What is named by a step path, a step id or an operation key. */
const place = z.string().min(1).max(500);

const MOCK = 'A mock is { output: .. }, { error: { code, message } } or { live: true }, or a list of these';

const mockAnswer = z.union(
  [
    z.strictObject({ output: json }),
    z.strictObject({
      error: z.strictObject({ code: errorCode, message: z.string().min(1).optional(), details: json.optional() }),
    }),
    z.strictObject({ live: z.literal(true) }),
  ],
  MOCK,
);

/** A list answers successive executions, one each: attempts, or turns of a loop. */
const mock = z.union([mockAnswer, z.array(mockAnswer).min(1, 'A list of answers has at least one')], MOCK);

const hookAnswer = z.union(
  [
    z.enum(['allow', 'deny', 'need_user_confirm']).transform((guard_decision) => ({ guard_decision })),
    z.strictObject({
      status: z.enum(['ok', 'error']).optional(),
      guard_decision: z.enum(['allow', 'deny', 'need_user_confirm']).optional(),
      reason: z.string().optional(),
      suggestion: z.string().optional(),
      warnings: z.array(z.string()).optional(),
      hook_signals: jsonObject.optional(),
      infra: jsonObject.optional(),
    }),
  ],
  'A hook answers allow, deny or need_user_confirm, or a map as it would print: { guard_decision, reason, .. }',
);

const decision = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  by: z.string().optional(),
  comment: z.string().optional(),
});

const decisions = z.union(
  [z.enum(['approve', 'deny', 'expire']), decision, z.array(decision).min(1, 'A list of decisions has at least one')],
  'An approval is approve, deny or expire, or { decision, by, comment }, or a list of these',
);

const expectedCall = z.union(
  [abilityId, z.strictObject({ call: abilityId, with: jsonObject.optional() })],
  'A call is an operation key, or { call, with }',
);

const expectedError = z.union(
  [
    errorCode.transform((code) => ({ code })),
    z.strictObject({ code: errorCode, step: z.string().optional(), message: z.string().optional() }),
  ],
  'An error is a code, or { code, step, message }',
);

/** How a task may end for a case: a state, or not be formed at all. */
export const CASE_ENDS = [...END_STATES, 'unavailable'] as const;

const expectation = z.strictObject({
  status: z.enum(CASE_ENDS).optional(),
  /** The whole output. */
  output: json.optional(),
  /** A part of it. */
  output_includes: json.optional(),
  error: expectedError.optional(),
  /** What was executed, in the order in which it was asked for. */
  calls: z.array(expectedCall).optional(),
  steps: z.record(place, z.enum(STEP_STATUSES)).optional(),
});

const signal = z.strictObject({ name: signalName, payload: json.default(null) });

/** What several cases of a file share; a case overrides it key by key. */
const surroundings = {
  environment: environmentName.optional(),
  input: jsonObject.optional(),
  mocks: z.record(place, mock).optional(),
  hooks: z.record(plainName, hookAnswer).optional(),
  approvals: z.record(place, decisions).optional(),
  /** Sent in this order, each when a step waits for it. */
  signals: z.array(signal).min(1, 'A list of signals has at least one').optional(),
};

const testCase = z.strictObject({
  name: z.string().min(1).max(200),
  ...surroundings,
  expect: expectation.default({}),
});

/** `registry/{high,low}-level/<any name>.test.yaml`: the test cases of an ability. Source: issue "ability test". */
export const cases = z.strictObject({
  ability: abilityId,
  defaults: z.strictObject(surroundings).default({}),
  cases: z.array(testCase).min(1, 'A file of cases has at least one'),
});

/** A file of cases as loaded. */
export type CaseFile = z.output<typeof cases>;

/** One case as written. */
export type CaseDefinition = z.output<typeof testCase>;

/** How a mock answers one execution. */
export type MockAnswer = z.output<typeof mockAnswer>;

/** What a mocked hook prints. */
export type MockHookAnswer = z.output<typeof hookAnswer>;

/** What people say to an approval. */
export type ScriptedDecisions = z.output<typeof decisions>;

/** One decision of a person. */
export type ScriptedDecision = z.output<typeof decision>;

/** What a case expects. */
export type Expectation = z.output<typeof expectation>;
