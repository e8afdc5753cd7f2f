import { describe, expect, test } from 'vitest';
import { type CallToEnter, createEndCall, enterCall } from '../../../../src/activities/session/session-calls.js';
import type { EndCallRequest } from '../../../../src/contracts/activities.js';
import type { PlanHook, PlanOperation } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { WordAnswer } from '../../../../src/contracts/session.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask, KEYS, USER } from '../admitted-task.js';
import { heardBy } from './session-world.js';

const PLAN = examplePlan();
const OPERATION = PLAN.operations['db.write'] as PlanOperation;
const ended = (code: string) => new AbilityError({ code, message: `the session: ${code}` });
const guard = (id: string, condition: string, more: Partial<PlanHook> = {}): PlanHook => {
  return { id, ...more, handler: { kind: 'expression', deny_if: condition, reason: 'No.' } };
};
const COUNTING = guard('counting', 'session.counts.total > 3');

async function entered(of: Partial<CallToEnter> = {}, answer: WordAnswer | Error = {}, env: NodeJS.ProcessEnv = {}) {
  const { words, sessions } = heardBy(answer);
  const secrets = (name: string) => secretsHere('/nowhere', name, env);
  const call: CallToEnter = {
    ...{ plan: PLAN, operation: OPERATION, input: { n: 1 }, task: 't-1', user: USER, session: 's-1' },
    ...{ id: 't-1 1', path: 'first', moment: 5, hooks: [COUNTING], ...of },
  };
  const hooks = await enterCall(call, { project: 'acme', keys: KEYS, sessions, secrets });
  return { hooks, word: words[0] as Extract<(typeof words)[0], { kind: 'call' }> };
}

describe('a call enters its session', () => {
  test('with its facts, except the session', async () => {
    const { word } = await entered();
    expect(word).toMatchObject({
      kind: 'call',
      call: { id: 't-1 1', ability: 'db.write', effects: 'write_idempotent', environment: 'staging', input: { n: 1 } },
      facts: { input: { n: 1 }, ability: { id: 'db.write' } },
      path: 'first',
      moment: 5,
    });
    expect(word.facts).not.toHaveProperty('session');
  });

  test('with the guards that read the session and fire for its caller', async () => {
    const hooks = [
      COUNTING,
      guard('plain', 'true'),
      guard('agents', 'session.counts.total > 1', { callers: ['agent'] }),
    ];
    const ids = async (caller?: 'ci' | 'agent') =>
      (await entered({ hooks, ...(caller && { caller }) })).word.guards.map(({ id }) => id);
    expect(await ids('ci')).toEqual(['counting']);
    expect(await ids('agent')).toEqual(['counting', 'agents']);
    expect(await ids()).toEqual(['counting', 'agents']);
  });

  test('but not if it is a whole task, whose guards still run', async () => {
    const { word } = await entered({ operation: undefined });
    expect(word).not.toHaveProperty('call');
    expect(word.guards).toHaveLength(1);
  });

  // The input is `{"text":"..."}`, which is eleven characters longer than its text.
  test.each([
    [16_373, true],
    [16_374, false],
  ])('with its input, unless it is large: a text of %i characters is kept: %s', async (length, kept) => {
    const { word } = await entered({ input: { text: 'x'.repeat(length) } });
    expect(word.call?.input !== null).toBe(kept);
  });

  test('with its secrets masked', async () => {
    const implementation = OPERATION.implementation as Extract<PlanOperation['implementation'], { kind: 'script' }>;
    const env = { ...implementation.script.env, secrets: { TOKEN: 'env:TOKEN' } };
    const operation = {
      ...OPERATION,
      implementation: { ...implementation, script: { ...implementation.script, env } },
    };
    const plan = { ...PLAN, operations: { 'db.write': operation } };
    const { word } = await entered({ plan, operation, input: { text: 's3cret-token' } }, {}, { TOKEN: 's3cret-token' });
    expect(JSON.stringify(word)).not.toContain('s3cret-token');
  });

  test('and gets the answers of its guards', async () => {
    const answer = {
      hook_id: 'counting',
      phase: 'PreAbilityCall',
      path: 'first',
      status: 'ok',
      decision: 'allow',
    } as const;
    expect((await entered({}, { hooks: [answer] })).hooks).toEqual([answer]);
    expect((await entered()).hooks).toEqual([]);
  });
});

describe('after the end of a session', () => {
  test.each(['session.stopped', 'session.not_found'])('a guard over it denies: %s', async (code) => {
    const { hooks } = await entered({ hooks: [COUNTING, { ...COUNTING, id: 'second' }] }, ended(code));
    expect(hooks).toMatchObject([
      { hook_id: 'counting', status: 'error', decision: 'deny', reason: `the session: ${code}` },
    ]);
  });

  test('a call without such a guard continues', async () => {
    expect((await entered({ hooks: [] }, ended('session.stopped'))).hooks).toEqual([]);
  });

  test.each([ended('session.busy'), new Error('connection lost')])('another failure is thrown: %s', async (error) => {
    await expect(entered({}, error)).rejects.toBe(error);
  });
});

describe('the end of a call', () => {
  const reported = async (answer: WordAnswer | Error = {}, session: Partial<Seal> = { session: 's-1' }) => {
    const { words, sessions } = heardBy(answer);
    const { plans, mark, environment } = admittedTask(PLAN, {}, session);
    const endCall = createEndCall({ project: 'acme', keys: KEYS, plans, sessions });
    const request: EndCallRequest = { seal: mark, call_id: '1', status: 'failed' };
    await environment().run(endCall, request);
    return words;
  };

  test('is reported to its session under the key of its task and its own id', async () => {
    expect(await reported()).toEqual([{ kind: 'ended', id: 't-1 1', status: 'failed' }]);
  });

  test('is not reported if the task has no session', async () => {
    expect(await reported({}, {})).toEqual([]);
  });

  test.each(['session.stopped', 'session.not_found'])('is no failure if its session has ended: %s', async (code) => {
    await expect(reported(ended(code))).resolves.toHaveLength(1);
  });

  test.each<[string, Error, object]>([
    ['refused', ended('seal.invalid'), { type: 'seal.invalid', nonRetryable: true }],
    ['retried if Temporal fails', new Error('lost'), { type: 'temporal.unavailable', nonRetryable: false }],
  ])('may be %s', async (_, error, expected) => {
    await expect(reported(error)).rejects.toMatchObject(expected);
  });
});
