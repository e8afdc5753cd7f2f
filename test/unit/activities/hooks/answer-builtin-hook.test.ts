import { expect, test } from 'vitest';
import { answerBuiltinHook } from '../../../../src/activities/hooks/answer-builtin-hook.js';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { HookDependencies } from '../../../../src/activities/hooks/hook-dependencies.js';
import type { BuiltinHook } from '../../../../src/contracts/hooks.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { examplePlan } from '../../rules/example-plan.js';

const run: HookRun = {
  plan: examplePlan(),
  operation: examplePlan().operations['db.write'],
  input: {},
  task: 't-1',
  user: { name: 'ada', source: 'claimed' },
  session: null,
  phase: 'PreAbilityCall',
  path: 'a',
  moment: 0,
  hooks: [],
  planDigest: null,
  signal: new AbortController().signal,
  logs: undefined,
};
const dependencies: HookDependencies = {
  answerScript: () => Promise.reject(new Error('no script is asked here')),
  answerAbility: () => Promise.reject(new Error('no ability is asked here')),
  secrets: (environment) => new SecretSource('/nowhere', environment, { HERE: 'x', EMPTY: '' }),
  recordUsage: () => {},
};

type OfTasks = Exclude<BuiltinHook, 'suggest'>;
const answer = (name: OfTasks, options: JsonObject) =>
  answerBuiltinHook('guard', { kind: 'builtin', name, options }, run, dependencies);

test.each<[OfTasks, JsonObject]>([
  ['environment_scope', {}],
  ['environment_scope', { allow: 'staging' }],
  ['environment_scope', { allow: ['staging'], deny: ['prod'] }],
  ['credentials_present', { name: ['HERE'] }],
  ['credentials_present', { names: 'HERE' }],
])('C-08: a guard %s whose options nobody can read (%j) refuses', (name, options) => {
  expect(answer(name, options)).toMatchObject({ status: 'error', decision: 'deny' });
});

test.each<[OfTasks, JsonObject, string]>([
  ['environment_scope', { allow: ['staging'] }, 'allow'],
  ['environment_scope', { allow: ['prod', 'stag'] }, 'deny'],
  ['environment_scope', { allow: [] }, 'deny'],
  ['credentials_present', { names: ['HERE'] }, 'allow'],
  ['credentials_present', { names: ['HERE', 'GONE'] }, 'deny'],
  ['credentials_present', { names: ['EMPTY'] }, 'deny'],
])('%s with %j: %s', (name, options, decision) => {
  expect(answer(name, options)).toMatchObject({ status: 'ok', decision });
});
