import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decide, openApprovals, readRecord, retryTask } from '../../src/client/index.js';
import type { Approval } from '../../src/contracts/approvals.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { shownEdits } from '../../src/rules/tasks/shown-approvals.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { recordFromHistory } from '../../src/worker/record-from-history.js';
import { retryBy } from '../fixtures/caller.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

let project: RunningProject;

const ENVIRONMENTS = `
  dev: {}
  prod: { approve: [destructive], edit: [amount, note, attachment], approvers: [alice, bob, tester], self_approval: false }
  two: { approve: [destructive], edit: [amount], approvers: [alice, bob], quorum: 2 }
  fixed: { approve: [destructive], approvers: [alice] }`;

/** What is wrong, the workflow, its approval, and what the error says. */
const WRONG = [
  ['a name that the input does not have', 'w1', 'edit: [sum]', '`input_schema` has no such property'],
  ['a file', 'w2', 'edit: [attachment]', 'it may hold a file'],
  ['a name that is a field, too', 'w3', 'edit: [amount], fields: { amount: { type: integer } }', 'among the `fields`'],
  ['a task whose turn may depend on it', 'w4', 'edit: [amount]', 'has `concurrency`'],
] as const;

const INPUT = `
input_schema:
  type: object
  required: [to, amount]
  additionalProperties: false
  properties:
    to: { type: string }
    amount: { type: integer, minimum: 1, maximum: 1000 }
    note: { type: string, default: none }
    attachment: { type: [object, "null"], format: file, default: null }
`;

const GUARDS = `
hooks:
  - id: not_thirteen
    blocking: true
    handler: { expression: { deny_if: 'has(input.amount) && input.amount == 13', reason: Thirteen is not paid. } }
  - id: much
    blocking: true
    edit: [amount]
    handler: { expression: { confirm_if: 'has(input.amount) && input.amount > 500', reason: It is much. } }
  - id: three_a_session
    blocking: true
    match: { abilities: [pay] }
    handler:
      expression:
        deny_if: 'session != null && session.calls.filter(c, c.ability == "pay").size() >= 2'
        reason: Two payments a session.
`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(ENVIRONMENTS),
    'registry/hooks/PreAbilityCall.yaml': GUARDS,
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - id: not_seventy
    blocking: true
    handler: { expression: { deny_if: 'has(input.amount) && input.amount == 70', reason: Not seventy. } }`,
    ...operation('pay', 'return input;', { effects: 'destructive', yaml: INPUT.trim() }),
    ...workflow(
      'payroll',
      `${INPUT.trim()}
steps:
  - id: ask
    approval: { title: "Pay \${{ input.amount }}?", edit: [amount] }
  - { id: paid, call: pay, with: { to: "\${{ input.to }}", amount: "\${{ input.amount }}" } }
output: "\${{ steps.paid.output.amount }}"`,
    ),
    ...workflow(
      'failing',
      `${INPUT.trim()}
steps:
  - id: ask
    approval: { title: Fail?, edit: [amount] }
  - { id: no, fail: { code: custom.unpaid, message: "\${{ input.amount }} is not paid" } }`,
    ),
    ...workflow(
      'both',
      `${INPUT.trim()}
steps:
  - id: p
    parallel:
      a: { approval: { title: A?, edit: [amount] } }
      b: { approval: { title: B?, edit: [note] } }
output: "\${{ input }}"`,
    ),
    ...Object.assign(
      {},
      ...WRONG.map(([, id, yaml]) =>
        workflow(
          id,
          `${INPUT.trim()}\n${id === 'w4' ? 'concurrency: { key: "${{ input.to }}" }\n' : ''}steps: [{ id: ask, approval: { title: A?, ${yaml} } }]`,
        ),
      ),
    ),
    ...workflow(
      'within',
      `steps: [{ id: pay, call: pay, with: { to: bob, amount: 300 } }]\noutput: "\${{ steps.pay.output }}"`,
    ),
  });
}, 60_000);
afterAll(() => project.stop());

async function waiting(ability: string, input: JsonObject, environment: string, approvals = 1, session?: string) {
  const { id } = await project.create(ability, input, { environment, ...(session && { session }) });
  await expect
    .poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 })
    .toBe(approvals);
  return { id, approvals: await openApprovals(project.connection, id) };
}

const approve = (id: string, by: string, fields: JsonObject, approval?: string) =>
  decide(project.connection, id, 'approve', { by, fields, ...(approval && { approval_id: approval }) });

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'counted',
    (error: Error) => error.message,
  );

async function ended(id: string) {
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
}

const PAY = { to: 'bob', amount: 300 };
const changesOf = (approval: Approval | undefined) => approval && shownEdits(approval).map(({ changes }) => changes);

describe('a call that is approved with another input', () => {
  test('runs with it, and record and approval have both', async () => {
    const { id, approvals } = await waiting('pay', PAY, 'prod');
    expect(Object.keys(approvals[0]?.edit ?? {})).toEqual(['amount', 'note']);
    const outcome = await approve(id, 'alice', { amount: 20, note: 'less' });
    expect(outcome).toMatchObject({ counted: true, status: 'approved' });
    expect(outcome.approval_id).not.toBe(approvals[0]?.id);
    const result = await ended(id);
    expect(result.output).toMatchObject({ to: 'bob', amount: 20, note: 'less' });
    const [approval] = result.approvals;
    expect(approval).toMatchObject({
      id: outcome.approval_id,
      what: { input: { to: 'bob', amount: 20, note: 'less' } },
      decisions: [{ by: { name: 'alice' }, decision: 'approve' }],
      edited: [{ by: { name: 'alice' }, from: { id: approvals[0]?.id, input: { amount: 300, note: 'none' } } }],
    });
    expect(approval?.decisions[0]).not.toHaveProperty('fields');
    expect(changesOf(approval)).toEqual([
      [
        { field: 'amount', before: 300, after: 20 },
        { field: 'note', before: 'none', after: 'less' },
      ],
    ]);
    expect(result.changes).toMatchObject([{ by: { name: 'alice' }, fields: ['amount', 'note'] }]);
    await expect.poll(() => readRecord(project.connection, id)?.input).toMatchObject({ amount: 20, note: 'less' });
    // Written anew from the history, the record is the same.
    const record = readRecord(project.connection, id);
    rmSync(join(pathsOf(project.root).records, id), { recursive: true });
    vi.stubEnv('ABILITY_SEAL_KEYS', TEST_KEYS);
    await recordFromHistory(project.connection, id, result).finally(() => vi.unstubAllEnvs());
    expect(readRecord(project.connection, id)?.input).toEqual(record?.input);
  });

  test('of a workflow runs with it, too; what is the same is no change', async () => {
    const { id } = await waiting('within', {}, 'prod');
    await approve(id, 'alice', { amount: 30, note: 'none' });
    const result = await ended(id);
    expect(result.output).toMatchObject({ amount: 30, note: 'none' });
    expect(result.approvals[0]?.edited).toMatchObject([{ fields: ['amount'] }]);
    expect(result.changes).toBeUndefined();
    const again = await waiting('pay', PAY, 'prod');
    await approve(again.id, 'alice', { amount: 300 });
    expect((await ended(again.id)).approvals[0]).not.toHaveProperty('edited');
  });

  test.each([
    ['another type', { amount: 'all' }, /must be integer/],
    ['more than the schema allows', { amount: 5000 }, /must be <= 1000/],
    ['a field that may not be changed', { to: 'eve' }, /there is no field to/],
    ['a file', { attachment: null }, /there is no field attachment/],
    ['a field of another name', { __proto__x: 1 }, /there is no field/],
    ['what a guard denies', { amount: 13 }, /Thirteen is not paid/],
    ['what a creation hook denies', { amount: 70 }, /Not seventy/],
    ['what people would have to confirm for another reason', { amount: 600 }, /another reason: It is much/],
  ])('is refused with %s, and stays open as it was', async (_, fields, why) => {
    const { id, approvals } = await waiting('pay', PAY, 'prod');
    expect(await refusal(approve(id, 'alice', fields))).toMatch(why);
    const [open] = await openApprovals(project.connection, id);
    expect(open).toMatchObject({ id: approvals[0]?.id, what: { input: { ...PAY, note: 'none' } }, decisions: [] });
    await approve(id, 'alice', {});
    expect((await ended(id)).output).toMatchObject(PAY);
  });

  test('counts only for who may decide: no one approves their own request by changing it', async () => {
    const { id } = await waiting('pay', PAY, 'prod');
    expect(await refusal(approve(id, 'tester', { amount: 20 }))).toMatch(/deciding for oneself is not allowed/);
    expect(await refusal(approve(id, 'mallory', { amount: 20 }))).toMatch(/not among the approvers/);
    expect((await openApprovals(project.connection, id))[0]).not.toHaveProperty('edited');
    await decide(project.connection, id, 'deny', { by: 'alice' });
    expect(await refusal(approve(id, 'bob', { amount: 20 }))).toMatch(/nothing to decide|already denied/);
    expect((await ended(id)).status).toBe('denied');
  });

  test('cannot be changed where no one allows it, or only one of those who ask', async () => {
    const { id, approvals } = await waiting('pay', PAY, 'fixed');
    expect(approvals[0]).not.toHaveProperty('edit');
    expect(await refusal(approve(id, 'alice', { amount: 20 }))).toMatch(/there is no field amount/);
    await decide(project.connection, id, 'deny', { by: 'alice' });
    const much = await waiting('pay', { ...PAY, amount: 900 }, 'prod');
    expect(Object.keys(much.approvals[0]?.edit ?? {})).toEqual(['amount']);
    await approve(much.id, 'alice', { amount: 800 });
    expect((await ended(much.id)).output).toMatchObject({ amount: 800 });
  });

  test('is asked anew of those who approved something else', async () => {
    const { id, approvals } = await waiting('pay', PAY, 'two');
    const [first] = approvals;
    await approve(id, 'alice', {}, first?.id);
    expect(await approve(id, 'bob', { amount: 20 }, first?.id)).toMatchObject({ status: 'open', missing: 1 });
    const [now] = await openApprovals(project.connection, id);
    expect(now).toMatchObject({
      decisions: [{ by: { name: 'bob' } }],
      ignored: [{ by: 'alice', reason: 'it was about what was asked before bob changed amount' }],
    });
    expect(await refusal(approve(id, 'alice', {}, first?.id))).toMatch(`is now ${now?.id}`);
    // The first one may decide again, on what is asked now.
    expect(await approve(id, 'alice', {}, now?.id)).toMatchObject({ status: 'approved' });
    expect((await ended(id)).output).toMatchObject({ amount: 20 });
  });

  test('by two at once is changed by one of them', async () => {
    const { id, approvals } = await waiting('pay', PAY, 'prod');
    const both = [approve(id, 'alice', { amount: 21 }, approvals[0]?.id), approve(id, 'bob', { amount: 22 })];
    const said = await Promise.all(both.map(refusal));
    expect(said.filter((one) => one === 'counted')).toHaveLength(1);
    const { output, approvals: decided } = await ended(id);
    const winner = said[0] === 'counted' ? 21 : 22;
    expect(output).toMatchObject({ amount: winner });
    expect(decided[0]?.edited).toHaveLength(1);
  });
});

describe('an approval step with `edit`', () => {
  test('changes the input of the task from then on', async () => {
    const { id } = await waiting('payroll', PAY, 'dev');
    expect(await refusal(approve(id, 'alice', { amount: 70 }))).toMatch(/Not seventy/);
    await approve(id, 'alice', { amount: 25 });
    const result = await ended(id);
    expect(result.output).toBe(25);
    expect(result.changes).toMatchObject([{ by: { name: 'alice' }, fields: ['amount'] }]);
  });

  test('is what a retry goes on with', async () => {
    const { id } = await waiting('failing', PAY, 'dev');
    await approve(id, 'alice', { amount: 25 });
    expect((await ended(id)).status).toBe('failed');
    const retried = await retryTask(project.connection, id, { ...retryBy(), run: true });
    // It is approved anew, with the changed input.
    await expect
      .poll(async () => (await openApprovals(project.connection, retried.id))[0]?.what.input)
      .toMatchObject({ amount: 25 });
    await approve(retried.id, 'bob', {});
    expect((await ended(retried.id)).error?.message).toBe('25 is not paid');
  });

  test('asks anew, at other steps, about the input that one of them changed', async () => {
    const { id, approvals } = await waiting('both', PAY, 'dev', 2);
    const [a, b] = ['a', 'b'].map((step) => approvals.find(({ path }) => path.endsWith(step)));
    await approve(id, 'alice', { amount: 25 }, a?.id);
    await expect.poll(async () => (await openApprovals(project.connection, id))[0]?.id).not.toBe(b?.id);
    const [open] = await openApprovals(project.connection, id);
    expect(open?.what.input).toMatchObject({ amount: 25 });
    expect(await refusal(approve(id, 'bob', { note: 'x' }, b?.id))).toMatch('was changed, and is now');
    await approve(id, 'bob', { note: 'x' }, open?.id);
    expect((await ended(id)).output).toMatchObject({ to: 'bob', amount: 25, note: 'x' });
  });

  test.each(WRONG)('is refused for %s', async (_, id, __, why) => {
    const refused = await refusal(project.create(id, PAY, { environment: 'dev' }));
    expect(refused).toContain(why);
  });
});

test('a session counts a call once whose input was changed', async () => {
  await project.startSession('edits');
  const { id } = await waiting('pay', { to: 'bob', amount: 600 }, 'dev', 1, 'edits');
  expect(await refusal(approve(id, 'alice', { amount: 13 }))).toMatch(/Thirteen/);
  await approve(id, 'alice', { amount: 700 });
  expect((await ended(id)).output).toMatchObject({ amount: 700 });
  const pay = (amount: number) => project.run('pay', { to: 'bob', amount }, { environment: 'dev', session: 'edits' });
  expect((await pay(1)).status).toBe('succeeded');
  expect((await pay(2)).error?.message).toContain('Two payments a session.');
});
