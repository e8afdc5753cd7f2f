import { expect, test } from 'vitest';
import { recordCalls } from '../../../src/activities/record/record-calls.js';
import type { MadeText } from '../../../src/contracts/calls-made.js';
import { SecretSource } from '../../../src/planning/secrets/secret-source.js';
import { CallsMade } from '../../../src/workflows/calls/calls-made.js';
import { examplePlan } from '../rules/example-plan.js';

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

test('R-000-86, R-002-34: a call is recorded with what it was given and gave, and the script with its digest', () => {
  expect(record({ n: 1 }, { ok: true })).toMatchObject({
    path: 'seed',
    call: PLAN.call,
    runs: { kind: 'script', digest: expect.any(String) },
    given: { value: { n: 1 } },
    gave: { value: { ok: true } },
  });
});

test('known secrets are masked before a value is cut, also one that the cut halves', () => {
  for (const before of [0, 10, 4080, 4090, 4100, 6120, 6130, 6140]) {
    const text = JSON.stringify(record({ text: `${'x'.repeat(before)}${SECRET}${'y'.repeat(9000)}` }, SECRET));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('***"}');
  }
});

test('a value has at most 4096 characters, and its length is said', () => {
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

test('of thousands of calls the first are listed and then failures, the others are counted', () => {
  const made = new CallsMade(0);
  for (let n = 0; n < 5000; n += 1) {
    const call = made.begin(`each/${n}/seed`, 'db.write', { n });
    if (n % 1000 === 999) call.failed({ code: 'mine', message: `no ${n}` });
    else call.gave(n);
  }
  const told = made.report();
  expect(told?.listed).toHaveLength(105);
  expect(told?.left_out).toBe(4895);
  expect(told?.listed.at(-1)).toMatchObject({ path: 'each/4999/seed', error: { code: 'mine' } });
});

test('a task without calls tells nothing, and the calls of earlier runs are counted', () => {
  expect(new CallsMade(0).report()).toBeUndefined();
  expect(new CallsMade(7).report()).toEqual({ listed: [], left_out: 7 });
});
