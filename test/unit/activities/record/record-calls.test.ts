import { describe, expect, test } from 'vitest';
import { recordCalls, recordSteps } from '../../../../src/activities/record/complete-record.js';
import type { MadeText, StepsDone } from '../../../../src/contracts/calls-made.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { CallsMade } from '../../../../src/workflows/calls/calls-made.js';
import { examplePlan } from '../../rules/example-plan.js';

const SECRET = 'hunter2-hunter2';
const PLAN = planWithSecret();

function planWithSecret() {
  const plan = examplePlan([]);
  const [operation] = Object.values(plan.operations);
  if (operation?.implementation.kind !== 'script') throw new Error('a script is expected');
  operation.implementation.script.env = { pass: [], set: {}, secrets: { TOKEN: 'env:TOKEN' } };
  return { plan, call: operation.key };
}

const secrets = (name: string): SecretSource => new SecretSource('/', name, { TOKEN: SECRET });
const textOf = (value: unknown): MadeText => {
  const text = JSON.stringify(value);
  return [text.slice(0, 6 * 1024), text.length];
};

function record(given: unknown, gave: unknown) {
  const listed = [{ path: 'seed', call: PLAN.call, given: textOf(given), gave: textOf(gave) }];
  return recordCalls({ listed, left_out: 0 }, PLAN.plan, secrets).calls?.[0];
}

test('R-000-86, R-002-34: a call is recorded with its input, its output, and the digest of its script', () => {
  expect(record({ n: 1 }, { ok: true })).toMatchObject({
    path: 'seed',
    call: PLAN.call,
    runs: { kind: 'script', digest: expect.any(String) },
    given: { value: { n: 1 } },
    gave: { value: { ok: true } },
  });
});

test('known secrets are masked before a value is truncated, even one that the limit would split', () => {
  for (const before of [0, 10, 4080, 4090, 4100, 6120, 6130, 6140]) {
    const text = JSON.stringify(record({ text: `${'x'.repeat(before)}${SECRET}${'y'.repeat(9000)}` }, SECRET));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('***"}');
  }
});

test('a value has at most 4096 characters, and its length is stated', () => {
  const call = record({ text: 'x'.repeat(9000) }, { text: 'y'.repeat(5000) });
  expect(call).toMatchObject({ given: { characters: 9011 }, gave: { characters: 5011 } });
  expect(JSON.stringify(call).length).toBeLessThan(2 * 4096 + 500);
});

test('all values of a record together are bounded', () => {
  const listed = Array.from({ length: 100 }, (_, n) => ({
    path: `each/${n}/seed`,
    call: PLAN.call,
    given: textOf('x'.repeat(4000)),
    gave: textOf('y'.repeat(4000)),
  }));
  const made = recordCalls({ listed, left_out: 4900 }, PLAN.plan, secrets);
  expect(made).toMatchObject({ calls_left_out: 4900 });
  expect(JSON.stringify(made).length).toBeLessThan(256 * 1024 + 100 * 400);
  expect(made.calls?.at(-1)).toMatchObject({ given: { start: '', characters: 4002 } });
});

test('of thousands of calls, the first and then failures are listed, and the others counted', () => {
  const made = new CallsMade(0);
  for (let n = 0; n < 5000; n += 1) {
    const call = made.begin(`each/${n}/seed`, 'db.write', { n });
    if (n % 1000 === 999) call.failed({ code: 'mine', message: `no ${n}` });
    else call.gave(n);
  }
  const report = made.report();
  expect(report?.listed).toHaveLength(105);
  expect(report?.left_out).toBe(4895);
  expect(report?.listed.at(-1)).toMatchObject({ path: 'each/4999/seed', error: { code: 'mine' } });
});

test('a task without calls reports nothing, and the calls of earlier runs are counted', () => {
  expect(new CallsMade(0).report()).toBeUndefined();
  expect(new CallsMade(7).report()).toEqual({ listed: [], left_out: 7 });
});

describe('what a call runs', () => {
  /** The recorded call of `db.write` with this implementation. */
  const recorded = (implementation: object, more: object = {}) => {
    const plan = examplePlan([]);
    const [operation] = Object.values(plan.operations);
    Object.assign(operation ?? {}, { implementation: { ...operation?.implementation, ...implementation } });
    const listed = [{ path: 'a', call: 'db.write', given: textOf(1), ...more }];
    return recordCalls({ listed, left_out: 0 } as never, plan, secrets).calls?.[0];
  };

  test.each<[string, object, object]>([
    [
      'an API is its address with its placeholders',
      { kind: 'api', api: { method: 'GET', base_url: 'https://a.test/', path: '/users/{id}', credentials: {} } },
      { kind: 'api', method: 'GET', url: 'https://a.test/users/{id}' },
    ],
    [
      'a tool is its server',
      { kind: 'mcp', mcp: { server: { name: 's', transport: 'stdio', env: { secrets: {} } }, tool: 't' } },
      { kind: 'mcp', server: 's', tool: 't' },
    ],
    [
      'a pinned tool is its server, with the digest',
      { kind: 'mcp', mcp: { server: { name: 's', transport: 'stdio', env: { secrets: {} } }, tool: 't', pinned: 'd' } },
      { kind: 'mcp', server: 's', tool: 't', pinned: 'd' },
    ],
    ['a model is its name', { kind: 'model', model: { name: 'm' } }, { kind: 'model', model: 'm' }],
    [
      'a program in place of a model has its digest',
      { kind: 'model', model: { name: 'm', script: { digest: 'd', env: { secrets: {} } } } },
      { kind: 'model', model: 'm', digest: 'd' },
    ],
  ])('of %s', (_, implementation, runs) => {
    expect(recorded(implementation)?.runs).toEqual(runs);
    expect(recorded(implementation)?.implementation).toBe('db.write');
  });

  test('of a workflow is its task, without an implementation', () => {
    const call = recorded({}, { call: 'other', task: 't-1/a' });
    expect(call?.runs).toEqual({ kind: 'workflow', task: 't-1/a' });
    expect(call).not.toHaveProperty('implementation');
    expect(recorded({}, { call: 'other' })?.runs).toEqual({ kind: 'workflow', task: '' });
  });

  test('is also recorded for an interrupted call, without an output or an error', () => {
    for (const key of ['gave', 'error']) expect(recorded({})).not.toHaveProperty(key);
  });
});

test('why a call failed is recorded without known secrets', () => {
  const error = { code: 'mine', message: `not ${SECRET}` };
  const listed = [{ path: 'a', call: PLAN.call, given: textOf(1), error }];
  const { calls } = recordCalls({ listed, left_out: 0 } as never, PLAN.plan, secrets);
  expect(calls?.[0]?.error).toEqual({ code: 'mine', message: 'not ***' });
});

describe('the steps without calls', () => {
  const steps = (done: unknown) => recordSteps(done as StepsDone, PLAN.plan, secrets);

  test('are recorded with their output or the reason of their failure', () => {
    const listed = [
      { path: 'w', verb: 'wait', status: 'succeeded', gave: textOf({ a: SECRET }) },
      { path: 'v', verb: 'value', status: 'failed', error: { code: 'mine', message: SECRET } },
    ];
    expect(steps({ listed, left_out: 0 })).toEqual({
      steps: [
        { path: 'w', verb: 'wait', status: 'succeeded', gave: { value: { a: '***' } } },
        { path: 'v', verb: 'value', status: 'failed', error: { code: 'mine', message: '***' } },
      ],
    });
  });

  test('are counted if they are not listed, and not mentioned if there are none', () => {
    expect(steps({ listed: [], left_out: 3 })).toEqual({ steps: [], steps_left_out: 3 });
    expect(steps(undefined)).toEqual({});
  });
});

test('listed calls are not counted, and a task without calls has no list', () => {
  expect(recordCalls({ listed: [], left_out: 0 }, PLAN.plan, secrets)).toEqual({ calls: [] });
  expect(recordCalls(undefined, PLAN.plan, secrets)).toEqual({});
});

test('a value of exactly 4096 characters is recorded in full', () => {
  expect(record('x'.repeat(4094), 1)?.given).toEqual({ value: 'x'.repeat(4094) });
  expect(record('x'.repeat(4095), 1)?.given).toEqual({ start: `"${'x'.repeat(4095)}`, characters: 4097 });
});
