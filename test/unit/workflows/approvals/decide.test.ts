import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval, Decision } from '../../../../src/contracts/approvals.js';
import { ACTIVITIES } from '../../../../src/contracts/names.js';
import { Approvals } from '../../../../src/workflows/approvals/approvals.js';
import { decide } from '../../../../src/workflows/approvals/decide.js';
import { World } from '../../../property/fake-workflow.js';
import { examplePlan } from '../../rules/example-plan.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const PROOF = { nonce: 'n', mac: 'm' };

/** A run of a task with one open approval, and the signals that it gets. */
function deciding(approval: Partial<Approval> = {}, prove = async (): Promise<object> => ({ able: true })) {
  const open = {
    ...{ id: 'a-1', path: 'ask', status: 'open', quorum: 2, approvers: [], people: [], groups: [] },
    ...{ self_approval: true, what: { ability: 'x', environment: 'dev', input: {} } },
    ...{ comment: 'optional', requested_by: { name: 'dave', source: 'claimed' }, raised_at: '2030' },
    ...{ decisions: [], ignored: [], ...approval },
  } as unknown as Approval;
  const approvals = new Approvals({ approvals: [open] });
  const environment = { ...examplePlan().environment, proof: 'required', proofs: ['os_user'] };
  const warnings: string[] = [];
  const life = { pendingWork: 0 };
  const audited: unknown[] = [];
  const run = {
    approvals,
    life,
    audit: { decided: (kind: string, _: Approval, facts: object) => audited.push({ kind, ...facts }) },
    warnings: { add: (warning: string) => warnings.push(warning) },
    task: { context: { seal: 'mark' }, plan: { ...examplePlan(), environment } },
  };
  const world = new World(undefined, undefined, (ms) => void vi.setSystemTime(ms));
  const proving = vi.fn(prove);
  world.answers.set(ACTIVITIES.prove, proving as never);
  const send = (...signals: [name: 'approve' | 'deny', sent: unknown][]) =>
    world.run(async () => void (await Promise.all(signals.map(([name, sent]) => decide(run as never, name, sent)))));
  const decisions = () => open.decisions.map(({ decision, by }) => [decision, by === 'unnamed' ? by : by.name]);
  return { open, approvals, warnings, life, world, proving, send, decisions, audited };
}

describe('a decision', () => {
  test('counts, and its sender learns what became of it', async () => {
    const { send, approvals, open, decisions, audited } = deciding();
    await send(['approve', { id: 'd-1', by: 'ann' }]);
    expect(audited).toEqual([{ kind: 'decision', result: 'approve', by: 'ann', proof: 'claimed' }]);
    expect(approvals.outcomeOf('d-1')).toEqual({ counted: true, approval_id: 'a-1', status: 'open', missing: 1 });
    expect(decisions()).toEqual([['approve', 'ann']]);
    expect(open.decisions[0]?.at).toBe('2030-01-01T00:00:00.000Z');
  });

  test('that is sent again counts once, even if it says something else', async () => {
    const { send, approvals, decisions } = deciding();
    await send(['approve', { id: 'd-1', by: 'ann' }], ['approve', { id: 'd-1', by: 'bob' }], ['deny', { id: 'd-1' }]);
    expect(decisions()).toEqual([['approve', 'ann']]);
    expect(approvals.outcomeOf('d-1')).toMatchObject({ missing: 1 });
  });

  test('with another id, or without one, is another one', async () => {
    const { send, decisions, open } = deciding({ quorum: 3 });
    await send(
      ['approve', { id: 'd-1', by: 'ann' }],
      ['approve', { id: 'd-2', by: 'bob' }],
      ['approve', { by: 'cleo' }],
    );
    expect(decisions()).toEqual([
      ['approve', 'ann'],
      ['approve', 'bob'],
      ['approve', 'cleo'],
    ]);
    expect(open.status).toBe('approved');
  });

  test.each<[string, 'approve' | 'deny', Decision, string]>([
    ['denies', 'deny', {}, 'denied'],
    ['asks for changes', 'deny', { request_changes: true, comment: 'Smaller.' }, 'changes_requested'],
  ])('by the signal that %s', async (_, name, more, status) => {
    const { send, open } = deciding();
    await send([name, { by: 'ann', ...more }]);
    expect(open.status).toBe(status);
  });

  test('that did not count has its reason as its outcome', async () => {
    const { send, approvals, open, warnings } = deciding({ comment: 'required' });
    await send(['approve', { id: 'd-1', by: 'ann' }]);
    expect(approvals.outcomeOf('d-1')).toEqual({ counted: false, approval_id: 'a-1', reason: 'it needs a comment' });
    expect(open.ignored).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('that concerns no approval is a warning of the task', async () => {
    const { send, approvals, warnings } = deciding({ status: 'denied' });
    await send(['approve', { id: 'd-1', by: 'ann' }]);
    expect(approvals.outcomeOf('d-1')).toMatchObject({ counted: false, approval_id: null });
    expect(warnings).toEqual(['A decision (approve) was ignored: no approval is open; the last one is denied']);
  });

  test.each<[string, unknown, string]>([
    ['text', 'yes', 'unnamed'],
    ['nothing', undefined, 'unnamed'],
    ['members of other types', { by: 7, approval_id: {}, comment: [], fields: 'x', request_changes: 'yes' }, 'unnamed'],
    ['a name alone', { by: 'ann' }, 'ann'],
  ])('that was sent by hand may be anything: %s', async (_, sent, by) => {
    const { send, decisions } = deciding({ quorum: 1 });
    await send(['approve', sent]);
    expect(decisions()).toEqual([['approve', by]]);
  });

  test('has its fields', async () => {
    const { send, open } = deciding({ fields: { n: { type: 'integer' } } });
    await send(['approve', { by: 'ann', fields: { n: 3 } }]);
    expect(open.decisions).toMatchObject([{ fields: { n: 3 } }]);
  });
});

describe('a decision that must be proved', () => {
  const REQUIRED = { proof: 'required' as const, quorum: 1 };
  const sent = { id: 'd-1', approval_id: 'a-1', by: 'ann', proof: PROOF };

  test('counts once its proof was checked, and meanwhile has no outcome', async () => {
    const { send, approvals, world, proving, open, life } = deciding(REQUIRED, async () => {
      expect([approvals.has('d-1'), approvals.outcomeOf('d-1'), approvals.pendingProofs, life.pendingWork]).toEqual([
        ...[true, null, 1, 1],
      ]);
      await new Promise<void>((resolve) => void world.after(10, resolve));
      return { able: true };
    });
    await send(['approve', sent]);
    expect(approvals.outcomeOf('d-1')).toMatchObject({ counted: true, status: 'approved' });
    expect(open.decisions).toMatchObject([{ by: { name: 'ann', source: 'os_user' } }]);
    expect([approvals.pendingProofs, life.pendingWork]).toEqual([0, 0]);
    const decision = {
      approval_id: 'a-1',
      raised_at: '2030',
      verdict: 'approve',
      by: 'ann',
      comment: null,
      fields: null,
      grant: null,
      denied_items: null,
      what: { ability: 'x', environment: 'dev' },
    };
    expect(proving.mock.calls).toEqual([[{ seal: 'mark', decision, proof: PROOF }]]);
  });

  test('is checked and counts once, if it comes again meanwhile', async () => {
    const { send, proving, decisions } = deciding(REQUIRED);
    await send(['approve', sent], ['approve', { ...sent, proof: { nonce: 'o', mac: 'm' } }]);
    expect(proving).toHaveBeenCalledOnce();
    expect(decisions()).toEqual([['approve', 'ann']]);
  });

  test.each<[string, object, () => Promise<object>, RegExp]>([
    ['without a proof', { proof: undefined }, async () => ({ able: true }), /brings no proof/],
    ['with half a proof', { proof: { nonce: 'n' } }, async () => ({ able: true }), /brings no proof/],
    ['without the name of its approval', { approval_id: undefined }, async () => ({ able: true }), /brings no proof/],
    ['with a wrong proof', {}, async () => ({ able: true, reason: 'it is wrong' }), /it is wrong/],
    ['where no worker can check it', {}, async () => ({ able: false }), /no proof can be checked here/],
    ['whose check fails', {}, () => Promise.reject(new Error('gone')), /could not be checked: gone/],
    ['by a token', { proof: { ...PROOF, token: 'tok' } }, async () => ({ able: true }), /proved by a token/],
  ])('does not count %s', async (_, more, prove, reason) => {
    const { send, approvals, decisions } = deciding(REQUIRED, prove);
    await send(['approve', JSON.parse(JSON.stringify({ ...sent, ...more }))]);
    expect(decisions()).toEqual([]);
    expect(approvals.outcomeOf('d-1')).toMatchObject({ counted: false, reason: expect.stringMatching(reason) });
  });
});
