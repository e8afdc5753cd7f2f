import { describe, expect, test } from 'vitest';
import { signSeal, verifySeal } from '../../../../src/activities/seal.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { TaskStart } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { packArguments, unpackArguments } from '../../../../src/rules/tasks/task-arguments.js';
import { errorOf } from '../../error-of.js';
import { examplePlan } from '../example-plan.js';

const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const plan = examplePlan();
const input = { amount: 1 };
const user = { name: 'ada', source: 'claimed' } as const;
const seal = signSeal({ plan: digestOf(plan), task: 't-1', input: digestOf(input), user, confirmations: [] }, keys);
const start: TaskStart = { format: 1, plan, seal, input, user, session: null, run: true, warnings: [] };

/** The seal of a task as a worker reads it from its first event. */
function sealIn(start: TaskStart | object, packed: object, task = 't-1'): Seal {
  const found = unpackArguments([start, packed], task);
  if (!found) throw new Error('these are not arguments of a task');
  return found.seal;
}

test('the seal of a task covers who started it', () => {
  const [signed] = packArguments({ ...start, seal: { ...seal, caller: 'agent' } });
  expect(sealIn(signed, packArguments(start)[1], 't-1').caller).toBe('agent');
  const claimed = sealIn(
    { ...packArguments(start)[0], seal: { ...seal, caller: 'person' } },
    packArguments(start)[1],
    't-1',
  );
  expect(errorOf(() => verifySeal(claimed, { task: 't-1' }, keys)).code).toBe('seal.invalid');
});

test('the seal of a task covers its scope, since guards read it', () => {
  const own = { plan: digestOf(plan), task: 't-1', input: digestOf(input), user, scope: 'modules/users' };
  const scoped = signSeal({ ...own, confirmations: [] }, keys);
  const [first, packed] = packArguments({ ...start, seal: scoped });
  expect(() => verifySeal(sealIn(first, packed), { task: 't-1' }, keys)).not.toThrow();
  expect(sealIn(first, packed).scope).toBe('modules/users');
  const moved = sealIn({ ...first, seal: { ...scoped, scope: 'modules/other' } }, packed);
  expect(errorOf(() => verifySeal(moved, { task: 't-1' }, keys)).code).toBe('seal.invalid');
});

test('C-35: the seal of a task covers its run, and has no member for it without a run', () => {
  const own = { plan: digestOf(plan), task: 't-1', input: digestOf(input), user, run: 'r-1' };
  const [first, packed] = packArguments({ ...start, seal: signSeal({ ...own, confirmations: [] }, keys) });
  expect(() => verifySeal(sealIn(first, packed), { task: 't-1' }, keys)).not.toThrow();
  expect(sealIn(first, packed).run).toBe('r-1');
  const other = sealIn({ ...first, seal: { ...first.seal, run: 'r-2' } }, packed);
  expect(errorOf(() => verifySeal(other, { task: 't-1' }, keys)).code).toBe('seal.invalid');
  expect(packArguments(start)[0].seal).not.toHaveProperty('run');
});

test('the start of a task is restored from its arguments, including its seal', () => {
  const [first, packed] = packArguments(start);
  expect(first.seal).toEqual({ key_id: 'k', mac: seal.mac });
  expect(unpackArguments([first, packed], 't-1')).toEqual(start);
});

test('the arguments of a task contain its session and its warnings', () => {
  const own = { plan: digestOf(plan), task: 't-1', input: digestOf(input), user, session: 's-1', confirmations: [] };
  const inSession = { ...start, seal: signSeal(own, keys), session: 's-1', warnings: ['w'] };
  const [first, packed] = packArguments(inSession);
  expect(unpackArguments([first, packed], 't-1')).toEqual(inSession);
  expect(() => verifySeal(sealIn(first, packed), { task: 't-1' }, keys)).not.toThrow();
});

test('a task without a session and warnings has no members for them', () => {
  const [first] = packArguments(start);
  expect(Object.keys(first).filter((name) => name === 'session' || name === 'warnings')).toEqual([]);
  expect(unpackArguments([first, packArguments(start)[1]], 't-1')?.seal).not.toHaveProperty('session');
});

test('a task that continues in a new run keeps the digest of its sealed progress', () => {
  const own = { plan: digestOf(plan), task: 't-1', input: digestOf(input), user, confirmations: [] };
  const progress = { a: { status: 'succeeded' } } as never;
  const sealed = signSeal({ ...own, progress: digestOf(progress) }, keys);
  const begun = packArguments({ ...start, seal: sealed, progress });
  expect(begun[0].seal).not.toHaveProperty('progress');
  expect(() => verifySeal(sealIn(...begun), { task: 't-1' }, keys)).not.toThrow();
  const now = { a: { status: 'succeeded' }, b: { status: 'succeeded' } } as never;
  const continued = packArguments({ ...start, seal: sealed, progress: now, carried: {} as never });
  expect(() => verifySeal(sealIn(...continued), { task: 't-1' }, keys)).not.toThrow();
});

test('a task that continues, and took over no progress, has none in its seal', () => {
  const [first, packed] = packArguments({ ...start, carried: {} as never });
  expect(first.seal).not.toHaveProperty('progress');
  expect(() => verifySeal(sealIn(first, packed), { task: 't-1' }, keys)).not.toThrow();
});

test('arguments of the earliest tasks have the plan in the first argument', () => {
  const [first] = packArguments(start);
  expect(unpackArguments([{ ...first, plan }], 't-1')).toEqual(start);
});

test('a called task without the whole seal of its caller has a seal of its own arguments', () => {
  const child = { ability: 'inner', left_ms: 1 };
  const [first] = packArguments({ ...start, child });
  const { plan: _, ...part } = seal;
  expect(sealIn({ ...first, input: { other: 1 }, seal: part }, { $plan: plan }).input).toBe(digestOf({ other: 1 }));
});

describe('a seal is refused if the arguments contain something else:', () => {
  const [first, packed] = packArguments(start);
  test.each<[string, object, object, string]>([
    ['another input', { ...first, input: { amount: 1000 } }, packed, 't-1'],
    ['another person', { ...first, user: { name: 'eve', source: 'claimed' } }, packed, 't-1'],
    ['a session', { ...first, session: 's-1' }, packed, 't-1'],
    ['another plan', first, { $plan: { ...plan, project: 'evil' } }, 't-1'],
    ['another task', first, packed, 't-2'],
    ['progress that is not sealed', { ...first, progress: { a: { status: 'succeeded' } } }, packed, 't-1'],
  ])('%s', (_, changed, plans, task) => {
    const refused = (given: object): string => {
      const found = sealIn(given, plans, task);
      return errorOf(() => verifySeal(found, { task: found.task }, keys)).code;
    };
    expect(refused(changed)).toBe('seal.invalid');
    // Refused even if the true seal is passed as a whole.
    expect(refused({ ...changed, seal })).toBe('seal.invalid');
  });
});

test('a called task has the seal of its caller, which covers the plan of both', () => {
  const child = { ability: 'inner', left_ms: 1 };
  const [first] = packArguments({ ...start, input: { other: true }, child });
  expect(sealIn(first, { $plan: plan }, 't-1/sub')).toEqual(seal);
  const other = sealIn(first, { $plan: { ...plan, project: 'evil' } }, 't-1/sub');
  expect(errorOf(() => verifySeal(other, { task: 't-1' }, keys)).code).toBe('seal.invalid');
});

test.each([[], [null], ['text'], [{}], [{ seal: {} }], [{ seal: { mac: '' }, user: [], input: {} }]])(
  'arguments of anything else are not a task: %j',
  (...args) => {
    expect(unpackArguments([...args, { $plan: plan }].slice(0, 2), 't-1')).toBeUndefined();
  },
);
