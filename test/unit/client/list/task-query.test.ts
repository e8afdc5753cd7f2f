import { describe, expect, test } from 'vitest';
import { listedState, taskQuery } from '../../../../src/client/list/task-query.js';
import { LISTED_STATES } from '../../../../src/contracts/states.js';
import { errorOf } from '../../error-of.js';

const TASKS =
  "AbilityProject = 'acme' AND ExecutionStatus != 'ContinuedAsNew' AND WorkflowId NOT STARTS_WITH 'direct:' AND WorkflowId NOT STARTS_WITH 'delete:' AND WorkflowId NOT STARTS_WITH 'session:'";
const ROOTS = `${TASKS} AND AbilityParent IS NULL`;
const BASE = `${ROOTS} AND AbilityStatus != 'unavailable'`;

describe('the list filter', () => {
  test('covers the project alone, without direct runs and without the earlier runs of long tasks', () => {
    expect(taskQuery('acme', {})).toBe(BASE);
    expect(taskQuery('acme', { status: [] })).toBe(BASE);
  });

  test('covers called tasks if they are wanted', () => {
    const within = [{ abilities: ['report.*', 'db'] }, { abilities: ['a*b'], environments: ['dev', 'x*'] }];
    expect(taskQuery('acme', { within })).toContain(
      " AND (((WorkflowType STARTS_WITH 'report.' OR WorkflowType = 'db')) OR ((WorkflowType STARTS_WITH 'a') AND (AbilityEnvironment = 'dev' OR AbilityEnvironment STARTS_WITH 'x')))",
    );
    for (const open of [[], [{}], [{ abilities: ['*x'] }], [{ environments: ['dev'] }, { abilities: ['a', '*'] }]]) {
      expect(taskQuery('acme', { within: open })).toBe(BASE);
    }
    expect(() => taskQuery('acme', { within: [{ abilities: ["a' OR 'b*"] }] })).toThrow(/cannot be a name/);
    expect(taskQuery('acme', { called: true })).toBe(`${TASKS} AND AbilityStatus != 'unavailable'`);
  });

  test('covers starts that preflight refused only if they are wanted', () => {
    expect(taskQuery('acme', { refused: true })).toBe(ROOTS);
    expect(taskQuery('acme', { status: ['unavailable'] })).toBe(
      `${ROOTS} AND ((ExecutionStatus = 'Failed' AND AbilityStatus = 'unavailable'))`,
    );
    expect(taskQuery('acme', { status: ['failed'] })).toContain(
      "AbilityStatus NOT IN ('denied', 'timed_out', 'unknown', 'unavailable')",
    );
  });

  test('has every requested condition, all of which must hold', () => {
    const since = new Date('2026-01-31T08:00:00Z');
    const filter = {
      ability: 'a.b',
      environment: 'dev',
      session: 's 1',
      since,
      query: 'HistoryLength > 5 OR (x = ")")',
    };
    expect(taskQuery('acme', filter)).toBe(
      `${BASE} AND WorkflowType = 'a.b' AND AbilityEnvironment = 'dev' AND AbilitySession = 's 1' AND StartTime >= '2026-01-31T08:00:00.000Z' AND (HistoryLength > 5 OR (x = ")"))`,
    );
  });

  test('takes any of several states', () => {
    expect(taskQuery('acme', { status: ['waiting_approval', 'denied'] })).toBe(
      `${ROOTS} AND ((ExecutionStatus = 'Running' AND AbilityStatus = 'waiting_approval') OR (ExecutionStatus = 'Failed' AND AbilityStatus = 'denied'))`,
    );
  });

  test.each(["o'hara", 'a\\', '', 'a\nb'])('refuses a name that would break out of its quotes: %j', (ability) => {
    expect(errorOf(() => taskQuery('acme', { ability }))).toMatchObject({ code: 'usage.invalid' });
  });

  test.each(["x = 1) OR (AbilityProject = 'other'", '(x = 1', "x = 'a", 'x = 1 -- ', 'x = 1; y', '', '"'])(
    'refuses a condition that is not complete in itself: %j',
    (query) => {
      expect(errorOf(() => taskQuery('acme', { query }))).toMatchObject({ code: 'usage.invalid' });
    },
  );
});

describe('the state of a listed task', () => {
  test.each([
    ['RUNNING', 'created', 'created'],
    ['RUNNING', 'waiting_approval', 'waiting_approval'],
    ['RUNNING', 'running', 'running'],
    ['RUNNING', 'finishing', 'running'],
    ['COMPLETED', 'running', 'succeeded'],
    ['COMPLETED', 'created', 'succeeded'],
    ['COMPLETED', 'expired', 'expired'],
    ['CANCELLED', 'running', 'cancelled'],
    ['TERMINATED', 'waiting_approval', 'cancelled'],
    ['FAILED', 'running', 'failed'],
    ['FAILED', 'denied', 'denied'],
    ['FAILED', 'timed_out', 'timed_out'],
    ['FAILED', 'unknown', 'unknown'],
    ['FAILED', 'unavailable', 'unavailable'],
    ['TIMED_OUT', 'running', 'failed'],
  ])('%s with the attribute %s is %s', (temporal, attribute, state) => {
    expect(listedState(temporal, attribute)).toBe(state);
  });

  test('is a state that can be filtered by', () => {
    for (const state of LISTED_STATES) expect(taskQuery('acme', { status: [state] })).toContain('ExecutionStatus ');
  });
});
