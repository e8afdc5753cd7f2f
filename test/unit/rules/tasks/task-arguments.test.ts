import { describe, expect, test } from 'vitest';
import { signSeal, verifySeal } from '../../../../src/activities/seal.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type {
  Continued,
  Formed,
  Progress,
  TaskArguments,
  TaskOptions,
  TaskStart,
} from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import {
  claimsOf,
  continuedStart,
  nextArguments,
  proofOf,
  readGiven,
  startOf,
  userOf,
} from '../../../../src/rules/tasks/task-arguments.js';
import { errorOf } from '../../error-of.js';
import { examplePlan } from '../example-plan.js';

const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const plan = examplePlan();
const input = { amount: 1 };
const options: TaskOptions = { user: { name: 'ada' } };
const progress = { a: { status: 'succeeded' } } as unknown as Progress;

/** As preflight seals a task. */
function sealed(claimed: TaskOptions = options, more: Partial<Seal> = {}, given: object = input): Seal {
  const digests = { plan: digestOf(plan), task: 't-1', input: digestOf(given) };
  return signSeal({ ...digests, ...claimsOf(claimed), confirmations: [], ...more }, keys);
}

/** What the first run of a task begins with, as its worker reads it from the history. */
function begun(claimed: TaskOptions = options, formed: Partial<Formed> = {}, seal = sealed(claimed)): TaskStart {
  return startOf({ input, options: claimed }, { plan, seal: proofOf(seal), ...formed }, 't-1');
}

/** As Temporal hands arguments on. */
function handedOver(start: TaskStart, task = 't-1'): TaskStart {
  const found = continuedStart(JSON.parse(JSON.stringify(nextArguments(start))), task);
  if (!found) throw new Error('these are not arguments of a task');
  return found;
}

const isGood = ({ seal }: TaskStart): boolean => {
  try {
    verifySeal(seal, { task: seal.task }, keys);
    return true;
  } catch {
    return false;
  }
};

describe('what a start gives', () => {
  test.each<[string, unknown[], object]>([
    ['nothing', [], {}],
    ['null', [null, null], {}],
    ['only an input', [{ n: 1 }], { n: 1 }],
    ['an input and no options', [{ n: 1 }, null, null], { n: 1 }],
  ])('%s has no options', (_, args, wanted) => {
    expect(readGiven(args)).toEqual({ input: wanted, options: {} });
  });

  test.each(['text', 7, true, [[1]], [['a']]])('an input %j is refused', (given) => {
    expect(errorOf(() => readGiven([given]))).toMatchObject({
      code: 'input.invalid',
      message: 'The input of a task is a JSON object, its first argument',
    });
  });

  const all: TaskOptions = {
    user: { name: 'ada', source: 'claimed', agent: 'probe' },
    session: 's-1',
    scope: 'modules/users',
    caller: 'ci',
    intent: 'weekly',
    run: 'r-1',
    create: true,
    retry: { task: 't-0', from: null },
    plan: { plan: 'a'.repeat(64), input: 'b'.repeat(12) },
    registry: 'c'.repeat(64),
    definitions: 'd'.repeat(12),
    start_by: '60s',
    trace: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    handle: 'e'.repeat(32),
  };

  test('all options are taken, and null is as if it were not there', () => {
    expect(readGiven([{}, all]).options).toEqual(all);
    expect(readGiven([{}, { ...all, session: null, retry: null }]).options).toEqual(
      Object.fromEntries(Object.entries(all).filter(([name]) => name !== 'session' && name !== 'retry')),
    );
  });

  test.each<[string, unknown]>([
    ['The options of a task are a JSON object, its second argument', 'fast'],
    ['The options of a task are a JSON object, its second argument', ['create']],
    ['A task has no option `seal`', { seal: {} }],
    ['A task has no option `environment`', { environment: 'prod' }],
    ['A task has no option `toString`', { toString: 'x' }],
    ['The option `user` has another form', { user: 'ada' }],
    ['The option `user` has another form', { user: {} }],
    ['The option `user` has another form', { user: { source: 'claimed' } }],
    ['The option `user` has another form', { user: { name: 'ada', source: 'token' } }],
    ['The option `user` has another form', { user: { name: 'ada', constructor: 'x' } }],
    ['The option `session` has another form', { session: 7 }],
    ['The option `scope` has another form', { scope: ['a'] }],
    ['The option `caller` has another form', { caller: {} }],
    ['The option `create` has another form', { create: false }],
    ['The option `create` has another form', { create: 'true' }],
    ['The option `retry` has another form', { retry: { from: 'a' } }],
    ['The option `retry` has another form', { retry: { task: 't-0', from: 7 } }],
    ['The option `plan` has another form', { plan: 'a'.repeat(64) }],
    ['The option `plan` has another form', { plan: { plan: 'a'.repeat(11) } }],
    ['The option `plan` has another form', { plan: { plan: 'g'.repeat(64) } }],
    ['The option `registry` has another form', { registry: 'latest' }],
    ['The option `definitions` has another form', { definitions: 'a'.repeat(65) }],
    ['The option `start_by` has another form', { start_by: 60 }],
  ])('%s: refused', (message, given) => {
    const error = errorOf(() => readGiven([{}, given]));
    expect(error).toMatchObject({ code: 'usage.invalid', message });
    expect(error.suggestion).toContain('user, session, scope, caller');
  });
});

test('the requester is who the start claims, and nobody known without a claim', () => {
  expect(userOf({ user: { name: 'ada', agent: 'probe' } })).toEqual({ name: 'ada', agent: 'probe', source: 'claimed' });
  expect(userOf({})).toEqual({ name: 'unknown', source: 'claimed' });
});

test('a seal has the claims that guards and records read, with no member for those that are absent', () => {
  const claimed = { session: 's-1', scope: 'modules/users', intent: '', run: 'r-1' };
  const rest: TaskOptions = { create: true, caller: 'ci', handle: 'h', retry: { task: 't-0', from: null } };
  expect(claimsOf({ ...options, ...claimed, ...rest })).toStrictEqual({
    user: { name: 'ada', source: 'claimed' },
    ...claimed,
  });
  expect(claimsOf({})).toStrictEqual({ user: { name: 'unknown', source: 'claimed' } });
});

test('the proof of a seal has only what does not follow from the arguments', () => {
  expect(proofOf(sealed())).toStrictEqual({ key_id: 'k', mac: sealed().mac });
  const confirmations = [{ hook_id: 'h', reason: 'Sure?' }];
  const seal = sealed(options, { caller: 'ci', confirmations, progress: 'd' });
  expect(proofOf(seal)).toStrictEqual({ key_id: 'k', mac: seal.mac, caller: 'ci', confirmations });
  expect(proofOf(seal, true)).toStrictEqual({ key_id: 'k', mac: seal.mac, caller: 'ci', confirmations, progress: 'd' });
});

describe('the first run of a task', () => {
  test('begins with what passed preflight, under a seal over it', () => {
    const start = begun();
    expect(start).toStrictEqual({
      plan,
      seal: sealed(),
      input,
      options,
      user: { name: 'ada', source: 'claimed' },
      session: null,
      run: true,
      warnings: [],
    });
    expect(isGood(start)).toBe(true);
  });

  test('has the input with the defaults of its preflight, which the seal covers', () => {
    const filled = { amount: 1, currency: 'EUR' };
    const start = begun(options, { input: filled }, sealed(options, {}, filled));
    expect(start.input).toEqual(filled);
    expect(isGood(start)).toBe(true);
    expect(isGood(begun(options, { input: filled }))).toBe(false);
  });

  test('waits to be run if it was only created', () => {
    expect(begun({ ...options, create: true }).run).toBe(false);
  });

  test('has its session, its warnings, the answers of its hooks and the progress of the task that it retries', () => {
    const claimed = { ...options, session: 's-1' };
    const hooks = [{ hook_id: 'h' }] as never;
    const seal = sealed(claimed, { progress: digestOf(progress) });
    const start = begun(claimed, { warnings: ['w'], hooks, progress }, seal);
    expect(start).toMatchObject({ session: 's-1', warnings: ['w'], hooks, progress });
    expect(isGood(start)).toBe(true);
  });

  test('has the caller and the confirmations of its seal', () => {
    const more = { caller: 'agent' as const, confirmations: [{ hook_id: 'h', reason: 'Sure?' }] };
    const start = begun(options, {}, sealed(options, more));
    expect(start.seal).toMatchObject(more);
    expect(isGood(start)).toBe(true);
  });
});

describe('the next run of a task', () => {
  test('begins with what the run before handed over', () => {
    const claimed: TaskOptions = { ...options, session: 's-1', scope: 'modules/users', intent: 'weekly' };
    const before = begun(claimed, { warnings: ['w'] }, sealed(claimed, { caller: 'session' }));
    expect(handedOver(before)).toEqual(before);
    expect(isGood(handedOver(before))).toBe(true);
  });

  test('waits to be run if the run before did', () => {
    const before = begun({ ...options, create: true });
    expect(handedOver(before).run).toBe(false);
    expect(handedOver({ ...before, run: true }).run).toBe(true);
  });

  test('has what was carried, changed and created before', () => {
    const more = { created_at: '2030-01-01T00:00:00.000Z', carried: { calls: 3 }, changed: { changes: [] } };
    expect(handedOver({ ...begun(), ...more } as never)).toMatchObject(more);
  });

  test('C-35: has the run in plain words that the task belongs to, under its seal', () => {
    const claimed = { ...options, run: 'r-1' };
    expect(handedOver(begun(claimed)).seal.run).toBe('r-1');
    expect(isGood(handedOver(begun(claimed)))).toBe(true);
    expect(handedOver(begun()).seal).not.toHaveProperty('run');
  });

  test('keeps the digest of the progress that was sealed at first, whatever was done since', () => {
    const now = { a: { status: 'succeeded' }, b: { status: 'succeeded' } } as unknown as Progress;
    const seal = sealed(options, { progress: digestOf(progress) });
    const later = { ...begun(options, { progress }, seal), progress: now, carried: {} as never };
    expect(isGood(handedOver(later))).toBe(true);
    const own = { ...begun(), progress: now, carried: {} as never };
    expect(handedOver(own).seal).not.toHaveProperty('progress');
    expect(isGood(handedOver(own))).toBe(true);
  });

  test('gets its arguments without members for what there is not', () => {
    expect(nextArguments(begun())).toStrictEqual([input, options, { $plan: plan, seal: proofOf(sealed()), run: true }]);
  });

  test('needs no options, and has then no session', () => {
    const [given, , continued] = nextArguments(begun({}));
    const found = continuedStart([given, null, continued], 't-1');
    expect(found).toMatchObject({ options: {}, user: { name: 'unknown' }, session: null });
    expect(found && isGood(found)).toBe(true);
  });

  test('names the plan first, by which our codec finds it', () => {
    const [, , continued] = nextArguments({ ...begun(), carried: {} as never });
    expect(Object.keys(continued as Continued)[0]).toBe('$plan');
  });
});

describe('a seal does not hold', () => {
  const [given, claims, continued] = nextArguments(begun()) as [object, TaskOptions, Continued];
  const { mac } = sealed(options, { confirmations: [{ hook_id: 'h', reason: 'Sure?' }] });
  const unconfirmed = { ...continued, seal: { key_id: 'k', mac } };
  test.each<[string, TaskArguments, string]>([
    ['for another input', [{ amount: 1000 }, claims, continued], 't-1'],
    ['for another person', [input, { user: { name: 'eve' } }, continued], 't-1'],
    ['for nobody known', [input, {}, continued], 't-1'],
    ['with a session', [input, { ...claims, session: 's-1' }, continued], 't-1'],
    ['with a scope, which guards read', [input, { ...claims, scope: 'modules/users' }, continued], 't-1'],
    ['with another intent', [input, { ...claims, intent: 'x' }, continued], 't-1'],
    ['with a run', [input, { ...claims, run: 'r-1' }, continued], 't-1'],
    ['for another plan', [input, claims, { ...continued, $plan: { ...plan, project: 'evil' } }], 't-1'],
    ['for another task', [input, claims, continued], 't-2'],
    ['with progress that was not sealed', [input, claims, { ...continued, progress }], 't-1'],
    ['with a caller', [input, claims, { ...continued, seal: { ...continued.seal, caller: 'person' } }], 't-1'],
    ['without the confirmations that were sealed', [input, claims, unconfirmed], 't-1'],
  ])('%s', (_, args, task) => {
    const found = continuedStart(args, task);
    expect(found && isGood(found)).toBe(false);
  });

  test('even if the whole seal is passed', () => {
    const found = continuedStart([{ amount: 1000 }, claims, { ...continued, seal: sealed() }], 't-1');
    expect(found && isGood(found)).toBe(false);
    const own = continuedStart([given as never, claims, { ...continued, seal: sealed() }], 't-1');
    expect(own && isGood(own)).toBe(true);
  });
});

describe('a called task', () => {
  const child = { ability: 'inner', left_ms: 1 };
  const seal = sealed({ ...options, session: 's-1' }, { caller: 'session' });
  const start: TaskStart = { ...begun({ ...options, session: 's-1' }, {}, seal), input: { other: true }, child };

  test('has the seal of its caller, which covers the plan of both', () => {
    const found = handedOver(start, 't-1/sub');
    expect(found.seal).toEqual(seal);
    expect(isGood(found)).toBe(true);
    const [given, claims, continued] = nextArguments(start) as [never, never, Continued];
    const other = continuedStart([given, claims, { ...continued, $plan: { ...plan, project: 'evil' } }], 't-1/sub');
    expect(other && isGood(other)).toBe(false);
  });

  test('has the requester and the session of that seal, and no options of its own', () => {
    const [, claims] = nextArguments(start);
    expect(claims).toBeNull();
    const [given, , continued] = nextArguments(start);
    const found = continuedStart([given, { user: { name: 'eve' }, session: 's-2' }, continued], 't-1/sub');
    expect(found).toMatchObject({ user: { name: 'ada' }, session: 's-1', options: {}, input: { other: true }, child });
  });

  test.each<[string, object]>([
    ['only its proof', proofOf(seal)],
    ['no task', { ...seal, task: undefined }],
    ['no requester', { ...seal, user: undefined }],
    ['a requester of another form', { ...seal, user: 'ada' }],
    ['no confirmations', { ...seal, confirmations: undefined }],
  ])('is none without the whole seal of its caller: %s', (_, part) => {
    const [given, claims, continued] = JSON.parse(JSON.stringify(nextArguments(start)));
    const handed = JSON.parse(JSON.stringify({ ...continued, seal: part }));
    expect(continuedStart([given, claims, handed], 't-1/sub')).toBeUndefined();
  });
});

test.each<[string, unknown[]]>([
  ['nothing', []],
  ['only an input', [input, options]],
  ['no input', [null, options, nextArguments(begun())[2]]],
  ['an input of another form', ['text', options, nextArguments(begun())[2]]],
  ['text', [input, options, 'continued']],
  ['no plan', [input, options, { seal: { key_id: 'k', mac: '' } }]],
  ['a plan of another form', [input, options, { $plan: 'plan', seal: { key_id: 'k', mac: '' } }]],
  ['no seal', [input, options, { $plan: plan }]],
  ['a seal of another form', [input, options, { $plan: plan, seal: { mac: 7 } }]],
])('arguments of anything else are not handed over: %s', (_, args) => {
  expect(continuedStart(args, 't-1')).toBeUndefined();
});
