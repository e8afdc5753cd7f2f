import { expect, test } from 'vitest';
import { answerBuiltinHook } from '../../../../src/activities/hooks/builtin-handlers.js';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { HookDependencies } from '../../../../src/activities/hooks/hook-dependencies.js';
import type { BuiltinHook } from '../../../../src/contracts/hooks.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';

const run: HookRun = {
  plan: examplePlan(),
  operation: examplePlan().operations['db.write'],
  input: {},
  task: 't-1',
  user: { name: 'ada', source: 'claimed' },
  session: null,
  scope: undefined,
  caller: undefined,
  phase: 'PreAbilityCall',
  path: 'a',
  moment: 0,
  hooks: [],
  planDigest: null,
  signal: new AbortController().signal,
  logs: undefined,
};
const dependencies: HookDependencies = {
  answerScript: () => Promise.reject(new Error('no script is expected to answer here')),
  answerAbility: () => Promise.reject(new Error('no ability is expected to answer here')),
  secrets: (environment) => secretsHere('/nowhere', environment, { HERE: 'x', EMPTY: '' }),
  recordUsage: () => {},
};

type TaskBuiltin = Exclude<BuiltinHook, 'suggest'>;
const answer = (name: TaskBuiltin, options: JsonObject) =>
  answerBuiltinHook('guard', { kind: 'builtin', name, options }, run, dependencies);

test.each<[TaskBuiltin, JsonObject]>([
  ['environment_scope', {}],
  ['environment_scope', { allow: 'staging' }],
  ['environment_scope', { allow: ['staging'], deny: ['prod'] }],
  ['credentials_present', { name: ['HERE'] }],
  ['credentials_present', { names: 'HERE' }],
])('C-08: the guard %s refuses if its options cannot be read (%j)', async (name, options) => {
  expect(await answer(name, options)).toMatchObject({ status: 'error', decision: 'deny' });
});

test.each<[TaskBuiltin, JsonObject, string]>([
  ['environment_scope', { allow: ['staging'] }, 'allow'],
  ['environment_scope', { allow: ['prod', 'stag'] }, 'deny'],
  ['environment_scope', { allow: [] }, 'deny'],
  ['credentials_present', { names: ['HERE'] }, 'allow'],
  ['credentials_present', { names: ['HERE', 'GONE'] }, 'deny'],
  ['credentials_present', { names: ['EMPTY'] }, 'deny'],
])('%s with %j: %s', async (name, options, decision) => {
  expect(await answer(name, options)).toMatchObject({ status: 'ok', decision });
});

const usageOf = (more: Partial<typeof run>) => {
  const lines: Record<string, unknown>[] = [];
  const recording = { ...dependencies, recordUsage: (line: Record<string, unknown>) => void lines.push(line) };
  const handler = { kind: 'builtin', name: 'usage', options: {} } as const;
  const result = answerBuiltinHook('used', handler, { ...run, ...more } as HookRun, recording);
  return { result, lines };
};

test('R-002-63: usage records who called what, where, and how it ended', async () => {
  const { result, lines } = usageOf({ outcome: { status: 'failed', output: null, error: null } } as never);
  expect(await result).toMatchObject({ status: 'ok', decision: 'allow' });
  const line = {
    ability_id: 'db.write',
    task_id: 't-1',
    step: 'a',
    environment: 'staging',
    user_id: 'ada',
    status: 'failed',
  };
  expect(lines).toEqual([{ ts: expect.any(Number), ...line }]);
});

test('usage of a task names its ability, and has no step and no end if there is none', () => {
  const { lines } = usageOf({ operation: undefined, path: '' } as never);
  expect(lines).toEqual([expect.objectContaining({ ability_id: 'signup', step: null, status: null })]);
});

test.each([
  ['the operation around a call', run, 'db.write is not available in staging.'],
  ['the ability around a task', { ...run, operation: undefined }, 'signup is not available in staging.'],
])('a refusal because of the environment names %s', async (_, about, reason) => {
  const handler = { kind: 'builtin', name: 'environment_scope' } as const;
  const options = { allow: ['prod', 'dev'] };
  expect(await answerBuiltinHook('guard', { ...handler, options }, about, dependencies)).toMatchObject({
    reason,
    suggestion: 'Run in prod or dev.',
  });
});
