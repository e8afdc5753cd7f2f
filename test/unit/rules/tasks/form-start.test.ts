import { describe, expect, test } from 'vitest';
import type { TaskRequest } from '../../../../src/contracts/task.js';
import { planDigest } from '../../../../src/rules/plans/plan-digest.js';
import { type FormedStart, formStart, type SealedAnswer } from '../../../../src/rules/tasks/form-start.js';

const plan = {
  ability: { id: 'backup', version: 1, summary: 'Copies.', modules: [] as string[] },
  environment: { name: 'prod' },
  placement: 'local',
  operations: {} as Record<string, object>,
};
const answer = { plan, seal: { plan: 'p', input: 'i' }, input: { n: 1 }, warnings: ['w'] };
const user = { name: 'alice', source: 'claimed' as const };
const request = { ability: 'backup', environment: 'prod', input: {}, task: 't', direct: false, user, session: null };

function formed(requested: object = {}, answered: object = {}, run = true): FormedStart {
  const full = { ...request, ...requested } as TaskRequest;
  return formStart('acme', full, { ...answer, ...answered } as unknown as SealedAnswer, run);
}

const keyFor = (name: string): string => formed({ user: { ...user, name } }).priority.fairnessKey;

test.each([
  ['alice', 'alice'],
  ['schedule:nightly', 'schedule:nightly'],
  ['', 'prod'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['ü'.repeat(40), 'ü'.repeat(16)],
  [`${'x'.repeat(40)}ü`, 'x'.repeat(16)],
  ['\u0080'.repeat(40), '\u0080'.repeat(16)],
  ['\u007f'.repeat(70), '\u007f'.repeat(64)],
])('a task of %j has the fairness key %j', (name, key) => {
  expect(keyFor(name)).toBe(key);
  expect(Buffer.byteLength(keyFor(name))).toBeLessThanOrEqual(64);
});

describe('the argument of a task', () => {
  test('begins with the input, and has no members for absent values', () => {
    const { argument } = formed();
    expect(Object.keys(argument)).toEqual(['input', 'format', 'plan', 'seal', 'user', 'session', 'run', 'warnings']);
    expect(argument).toMatchObject({ input: { n: 1 }, user, session: null, run: true, warnings: ['w'] });
  });

  test('has the progress that a retry takes over, and the answers of its hooks', () => {
    const more = { progress: { a: {} }, hooks: [{ hook_id: 'h' }] };
    expect(formed({}, more).argument).toMatchObject(more);
    expect(formed({}, { hooks: [] }).argument).not.toHaveProperty('hooks');
  });

  test('has the wanted plan only if the task can still change before it runs', () => {
    const only = { plan: 'p' };
    expect(formed({ plan: only }, {}, false).argument.only).toEqual(only);
    expect(formed({ plan: only }, {}, true).argument).not.toHaveProperty('only');
    expect(formed({}, {}, false).argument).not.toHaveProperty('only');
  });
});

describe('the memo of a task', () => {
  const least = {
    ability: 'backup',
    version: 1,
    environment: 'prod',
    plan: 'p',
    input: 'i',
    requested_by: 'alice',
  };

  test('has no members for absent values', () => {
    expect(formed().memo).toStrictEqual(least);
  });

  test('names the agent, the intent and the task that it retries', () => {
    const requested = { user: { ...user, agent: 'probe' }, intent: 'weekly', retry: { task: 't-0' } };
    expect(formed(requested).memo).toStrictEqual({ ...least, agent: 'probe', intent: 'weekly', retry_of: 't-0' });
  });

  test('has the digest of the plan before its tools were pinned, if it has tools', () => {
    const tools = {
      ...plan,
      operations: { ask: { implementation: { kind: 'mcp', mcp: { tool: 'query', pinned: 'digest' } } } },
    };
    const { unpinned } = formed({}, { plan: tools }).memo;
    expect(unpinned).toBe(planDigest(tools as never));
  });
});

describe('the attributes of a task', () => {
  test('name its project, state and environment', () => {
    const attributes = { AbilityProject: 'acme', AbilityEnvironment: 'prod' };
    expect(formed().attributes).toStrictEqual({ ...attributes, AbilityStatus: 'running' });
    expect(formed({}, {}, false).attributes).toStrictEqual({ ...attributes, AbilityStatus: 'created' });
  });

  test('name its first module and its session, if there are any', () => {
    const ofModules = { ...plan, ability: { ...plan.ability, modules: ['users.api', 'billing'] } };
    expect(formed({ session: 's-1' }, { plan: ofModules }).attributes).toMatchObject({
      AbilityModule: 'users.api',
      AbilitySession: 's-1',
    });
  });
});
