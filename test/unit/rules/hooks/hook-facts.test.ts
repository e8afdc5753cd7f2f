import { describe, expect, test } from 'vitest';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import type { Json } from '../../../../src/contracts/json.js';
import type { PlanHandler } from '../../../../src/contracts/plan.js';
import {
  answerExpression,
  denialOf,
  eventFacts,
  failedAnswer,
  type HookFacts,
  hookFacts,
} from '../../../../src/rules/hooks/handlers.js';
import { examplePlan } from '../example-plan.js';

type ExpressionHandler = Extract<PlanHandler, { kind: 'expression' }>;

const plan = examplePlan();
const operation = plan.operations['db.write'];
const user = { name: 'dave', source: 'claimed' } as const;
const facts = (more: Partial<HookFacts> = {}): HookFacts => ({
  ...hookFacts({ plan, operation, input: { ticket: 'T-1' }, task: 't-1', user, session: null }),
  ...more,
});

const moment = Date.parse('2026-12-24T18:00:00Z');
const answered = (
  handler: Partial<ExpressionHandler>,
  seen = facts(),
  phase: HookAnswer['phase'] = 'PreAbilityCall',
) => {
  const full = { kind: 'expression', reason: 'Because.', ...handler } as const;
  return answerExpression('guard', full, { phase, path: 'seed' }, seen, moment);
};

describe('what a hook sees', () => {
  test('around a call: the operation, its implementation, its effects and tags', () => {
    expect(facts()).toEqual({
      input: { ticket: 'T-1' },
      environment: { name: 'staging', protected: true, vars: { region: 'eu' } },
      ability: { id: 'db.write', version: 2, modules: ['users.api'] },
      implementation: { id: 'db.write', kind: 'script' },
      effects: 'write_idempotent',
      tags: ['high-cost'],
      task: { key: 't-1', ability: 'signup' },
      session: null,
      user: { name: 'dave', source: 'claimed' },
      outcome: null,
    });
  });

  test('around the task: the ability itself, without an implementation', () => {
    const seen = hookFacts({ plan, operation: undefined, input: {}, task: 't-1', user, session: 's-1' });
    expect(seen).toMatchObject({
      ability: { id: 'signup', version: 1, modules: ['integration'] },
      implementation: null,
      effects: 'destructive',
      tags: ['slow'],
      session: { id: 's-1' },
    });
  });

  test('after a call: how it ended', () => {
    const outcome = { status: 'failed', output: null, error: { code: 'script.exit' } };
    const seen = hookFacts({ plan, operation, input: {}, task: 't-1', user, session: null, outcome });
    expect(seen.outcome).toEqual(outcome);
  });
});

describe('what a hook sees when it is tried with only an event', () => {
  const event = {
    event_type: 'PreAbilityCall',
    session_id: 's-1',
    task_id: 't-1',
    ability_id: 'db.write',
    module_id: 'users.api',
    user_id: 'dave',
    payload: { input: { n: 1 }, ticket: 'T-1' },
    environment: { name: 'staging', protected: true, vars: {} },
    effects: 'read',
    tags: ['slow'],
    plan_digest: null,
  } as const;
  const seen = (more: object = {}) => eventFacts({ ...event, tags: [...event.tags], ...more });

  test('before a call: its payload as the input, and no outcome', () => {
    expect(seen()).toEqual({
      input: event.payload,
      environment: event.environment,
      ability: { id: 'db.write', version: 1, modules: ['users.api'] },
      implementation: null,
      effects: 'read',
      tags: ['slow'],
      task: { key: 't-1', ability: 'db.write' },
      session: { id: 's-1' },
      user: { name: 'dave', source: 'claimed' },
      outcome: null,
    });
  });

  test('has none of ability, module, task and session if the event has none', () => {
    const none = { ability_id: null, module_id: null, task_id: null, session_id: null };
    expect(seen(none)).toMatchObject({ ability: null, task: null, session: null });
    expect(seen({ module_id: null }).ability).toEqual({ id: 'db.write', version: 1, modules: [] });
  });

  test('after a call: its input and how it ended', () => {
    const payload = { input: { n: 1 }, status: 'failed', output: 2, error: { code: 'a.b' } };
    const after = seen({ event_type: 'PostAbilityCall', payload });
    expect([after.input, after.outcome]).toEqual([{ n: 1 }, { status: 'failed', output: 2, error: { code: 'a.b' } }]);
    const least = seen({ event_type: 'PostAbilityCall', payload: {} });
    expect([least.input, least.outcome]).toEqual([{}, { status: 'succeeded', output: null, error: null }]);
  });
});

describe('the clock of a hook', () => {
  const FREEZE = "now() >= timestamp('2026-12-24T12:00:00+01:00') && now().getHours('Europe/Berlin') >= 12";

  test('shows the moment of the phase, which the answer names', () => {
    expect(answered({ deny_if: FREEZE })).toMatchObject({ decision: 'deny', moment: '2026-12-24T18:00:00.000Z' });
    expect(answered({ deny_if: `!(${FREEZE})` })).toMatchObject({
      decision: 'allow',
      moment: '2026-12-24T18:00:00.000Z',
    });
  });

  test('is not in the answer if no expression read it', () => {
    expect(answered({ deny_if: 'false' })).not.toHaveProperty('moment');
  });
});

describe('what a hook answers', () => {
  test('a condition that holds denies, with its reason and suggestion', () => {
    const answer = answered({ deny_if: "environment.name == 'staging'", suggestion: 'Use dev.' });
    expect(answer).toEqual({
      hook_id: 'guard',
      phase: 'PreAbilityCall',
      path: 'seed',
      status: 'ok',
      decision: 'deny',
      reason: 'Because.',
      suggestion: 'Use dev.',
    });
  });

  test('a condition that does not hold allows, and gives no reason', () => {
    const answer = answered({ deny_if: '!has(input.ticket)' });
    expect(answer.decision).toBe('allow');
    expect(answer.reason).toBeUndefined();
  });

  test('deny beats confirm beats warn', () => {
    expect(answered({ deny_if: 'true', confirm_if: 'true', warn_if: 'true' }).decision).toBe('deny');
    const confirming = answered({ deny_if: 'false', confirm_if: 'true', warn_if: 'true' });
    expect(confirming).toMatchObject({ decision: 'need_user_confirm', warnings: ['Because.'] });
    expect(answered({ warn_if: 'true' })).toMatchObject({ decision: 'allow', warnings: ['Because.'] });
  });
});

describe('a guard that fails to answer', () => {
  test.each([
    ['input.nothing == 1', /does not exist/],
    ['input.ticket', /neither true nor false/],
    ['input.ticket + 1', /cannot be evaluated/],
  ])('%s denies before a call, with the reason', (deny_if, why) => {
    const answer = answered({ deny_if });
    expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
    expect(answer.reason).toMatch(why);
    expect(answer).not.toHaveProperty('suggestion');
  });

  test.each(['PreAbilityCreate', 'PreAbilityCall'] as const)('in %s it denies', (phase) => {
    expect(failedAnswer('guard', { phase, path: '' }, 'crashed')).toMatchObject({ status: 'error', decision: 'deny' });
  });

  test.each(['PromptSubmit', 'PostAbilityCall', 'SessionStop'] as const)('in %s it changes nothing', (phase) => {
    expect(failedAnswer('hook', { phase, path: '' }, 'crashed')).toMatchObject({ status: 'error', decision: 'allow' });
  });
});

describe('how a denial is reported', () => {
  const no = {
    hook_id: 'guard',
    phase: 'PreAbilityCall',
    path: 'seed',
    decision: 'deny',
    reason: 'No ticket.',
  } as const;

  test('a guard that denied is reported as denying', () => {
    const error = denialOf({ ...no, status: 'ok', suggestion: 'Bring one.' });
    expect(error.code).toBe('guard.denied');
    expect(error.message).toMatch(/No ticket\..*guard/);
    expect(error.suggestion).toBe('Bring one.');
    expect(error.details).toEqual({ hook_id: 'guard', phase: 'PreAbilityCall', path: 'seed' });
  });

  test('a guard that failed is reported as failed, not as denying', () => {
    const error = denialOf({ ...no, status: 'error' });
    expect(error.code).toBe('hook.failed');
    expect(error.message).toMatch(/guard failed/);
  });
});

test('a guard without a reason denies or fails with a default text', () => {
  const no = { hook_id: 'guard', phase: 'PreAbilityCall', path: 'seed', decision: 'deny' } as const;
  expect(denialOf({ ...no, status: 'ok' }).message).toBe('Denied. (hook guard)');
  expect(denialOf({ ...no, status: 'error' }).message).toMatch(/: no reason$/);
});

test('a denial states the moment that its guard read, if any', () => {
  const no = { hook_id: 'guard', phase: 'PreAbilityCall', path: 'seed', decision: 'deny', status: 'ok' } as const;
  expect(denialOf({ ...no, moment: '2026-12-24T18:00:00.000Z' }).details).toMatchObject({
    moment: '2026-12-24T18:00:00.000Z',
  });
  expect(denialOf(no).details).not.toHaveProperty('moment');
});

test('an expression cannot change the facts it sees', () => {
  const input: Record<string, Json> = { rows: [1, 2] };
  answered({ deny_if: 'input.rows.map(r, r + 1) == [2, 3]' }, facts({ input }));
  expect(input).toEqual({ rows: [1, 2] });
});
