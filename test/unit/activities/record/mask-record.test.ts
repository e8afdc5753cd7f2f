import { expect, test } from 'vitest';
import { maskRecord, secretsOf } from '../../../../src/activities/record/mask-record.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { examplePlan } from '../../rules/example-plan.js';

const SECRET = 'hunter2-hunter2';

/** A plan whose script uses these secrets. */
function planWith(secrets: Record<string, string>): Plan {
  const plan = examplePlan();
  const [operation] = Object.values(plan.operations);
  if (operation?.implementation.kind !== 'script') throw new Error('a script is expected');
  operation.implementation.script.env = { pass: [], set: {}, secrets };
  return plan;
}
const plan = planWith({ TOKEN: 'env:TOKEN' });
const source = new SecretSource('/nowhere', 'dev', { TOKEN: SECRET, OTHER: 'other-secret' });

const RESULT = {
  status: 'failed',
  output: { a: SECRET },
  error: { code: 'mine', message: SECRET },
  warnings: [SECRET],
  approvals: [{ id: 'a', title: SECRET }],
  hooks: [
    { hook_id: 'h', decision: 'deny', reason: SECRET },
    { hook_id: 'i', decision: 'allow' },
  ],
  steps: [
    { path: 'a', status: 'failed', error: { code: 'mine', message: SECRET } },
    { path: 'b', status: 'succeeded' },
  ],
};
const recordWith = (more: object) =>
  maskRecord(
    { plan, input: { a: SECRET }, warnings: [SECRET], result: null, ...more } as unknown as TaskRecord,
    () => source,
  );

test('known secrets are masked in the input, the warnings and every text of the result', () => {
  const { result, ...record } = recordWith({ result: RESULT });
  expect(record).toMatchObject({ plan, input: { a: '***' }, warnings: ['***'] });
  expect(result).toEqual(JSON.parse(JSON.stringify(RESULT).replaceAll(SECRET, '***')));
});

test('a task that has not ended has no result', () => {
  expect(recordWith({}).result).toBeNull();
});

test('the secrets are those of the environment of the plan', () => {
  const environments: string[] = [];
  const record = { plan, input: {}, warnings: [], result: null } as unknown as TaskRecord;
  maskRecord(record, (environment) => {
    environments.push(environment);
    return source;
  });
  expect(environments).toEqual(['staging']);
});

test.each<[string, Record<string, string>, string[]]>([
  [
    'those that its operations use, each once',
    { A: 'env:TOKEN', B: 'env:TOKEN', C: 'env:OTHER' },
    [SECRET, 'other-secret'],
  ],
  ['only those that this worker has', { A: 'env:GONE', B: 'env:TOKEN' }, [SECRET]],
  ['only those that a call may read', { A: 'file:../outside', B: 'env:TOKEN' }, [SECRET]],
])('the secrets of a plan are %s', (_, secrets, found) => {
  expect(secretsOf(planWith(secrets), source)).toEqual(found);
});

test('an internal error is not treated as a missing secret', () => {
  const broken = {
    valuesOf: () => {
      throw new TypeError('a defect');
    },
  } as never;
  expect(() => secretsOf(plan, broken)).toThrow('a defect');
});
