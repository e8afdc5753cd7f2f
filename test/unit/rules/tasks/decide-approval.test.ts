import { describe, expect, test } from 'vitest';
import type { Approval, Decision, DecisionOutcome, Verdict } from '../../../../src/contracts/approvals.js';
import { approvalToProve, decideApproval } from '../../../../src/rules/tasks/decide-approval.js';

const AT = '2026-01-02T03:04:05.000Z';

function approval(more: Partial<Approval> = {}): Approval {
  return {
    id: 'release-3f9a1c20b7de',
    path: 'release',
    title: 'Release?',
    what: { ability: 'signup', implementation: null, environment: 'staging', effects: null, input: {} },
    reasons: [],
    approvers: ['managers'],
    groups: [],
    people: ['alice', 'bob', 'carol'],
    quorum: 1,
    self_approval: true,
    comment: 'optional',
    requested_by: { name: 'dave', source: 'claimed' },
    raised_at: AT,
    expires_at: AT,
    status: 'open',
    decisions: [],
    ignored: [],
    ...more,
  };
}

const decide = (to: Approval | Approval[], verdict: Verdict, decision: Decision): DecisionOutcome =>
  decideApproval([to].flat(), verdict, decision, AT);

const reasonOf = (outcome: DecisionOutcome): string => (outcome.counted ? 'it counted' : outcome.reason);

describe('a decision that counts', () => {
  test('is recorded with its person, time and comment', () => {
    const one = approval();
    const outcome = decide(one, 'approve', { by: ' alice ', comment: ' seen it ' });
    expect(outcome).toEqual({ counted: true, approval_id: one.id, status: 'approved', missing: 0 });
    expect(one.decisions).toEqual([
      { decision: 'approve', by: { name: 'alice', source: 'claimed' }, comment: 'seen it', at: AT, self: false },
    ]);
  });

  test('that denies ends the approval, whatever the quorum', () => {
    const one = approval({ quorum: 3 });
    decide(one, 'approve', { by: 'alice' });
    expect(decide(one, 'deny', { by: 'bob' })).toMatchObject({ counted: true, status: 'denied' });
  });
});

describe('`comment: on_deny`', () => {
  test('requires a comment for a denial, and none for an approval', () => {
    const one = approval({ comment: 'on_deny', quorum: 2 });
    expect(decide(one, 'approve', { by: 'alice' })).toMatchObject({ counted: true });
    expect(reasonOf(decide(one, 'deny', { by: 'bob', comment: ' ' }))).toBe('a denial needs a comment');
    expect(one).toMatchObject({ status: 'open', ignored: [{ by: 'bob', reason: 'a denial needs a comment' }] });
    expect(decide(one, 'deny', { by: 'bob', comment: 'not today' })).toMatchObject({ status: 'denied' });
  });
});

describe('quorum', () => {
  test('an approval stays open until enough people approved, and reports how many are missing', () => {
    const one = approval({ quorum: 2 });
    expect(decide(one, 'approve', { by: 'alice' })).toMatchObject({ status: 'open', missing: 1 });
    expect(decide(one, 'approve', { by: 'bob' })).toMatchObject({ status: 'approved', missing: 0 });
  });

  test('one person counts once', () => {
    const one = approval({ quorum: 2 });
    decide(one, 'approve', { by: 'alice' });
    expect(reasonOf(decide(one, 'approve', { by: 'alice' }))).toMatch(/alice has already decided/);
    expect(one.status).toBe('open');
  });

  test('people without a name count as one person', () => {
    const one = approval({ approvers: [], people: [], quorum: 2 });
    decide(one, 'approve', {});
    expect(decide(one, 'approve', {}).counted).toBe(false);
    expect(one.status).toBe('open');
  });
});

describe('who may decide', () => {
  test('a person who is not an approver does not count, and is informed who is', () => {
    const one = approval();
    expect(reasonOf(decide(one, 'approve', { by: 'mallory' }))).toMatch(/mallory is not among .* \(managers\)/);
    expect(one.status).toBe('open');
  });

  test('a person who changed the request counts as its requester as well', () => {
    const changed = approval({ changed_by: ['bob'], self_approval: false, approvers: [], people: [] });
    const no = decideApproval([changed], 'approve', { by: 'bob' }, AT);
    expect(no).toMatchObject({ counted: false, reason: expect.stringMatching(/^bob changed what was asked for/) });
    const allowed = approval({ changed_by: ['bob'], self_approval: true, approvers: [], people: [] });
    expect(decideApproval([allowed], 'approve', { by: 'bob' }, AT)).toMatchObject({ counted: true });
    expect(allowed.decisions).toMatchObject([{ self: true }]);
  });

  test('the name of a group is not a person', () => {
    expect(decide(approval(), 'approve', { by: 'managers' }).counted).toBe(false);
  });

  test.each([[{}], [{ by: '' }], [{ by: '   ' }]])(
    '%j names no person and does not count if approvers are listed',
    (by) => {
      expect(reasonOf(decide(approval(), 'approve', by))).toMatch(/names no person/);
    },
  );

  test('without listed approvers any person counts', () => {
    const one = approval({ approvers: [], people: [] });
    expect(decide(one, 'approve', { by: 'erin' }).counted).toBe(true);
  });

  test('without listed approvers an empty name counts and is recorded as unnamed', () => {
    const one = approval({ approvers: [], people: [] });
    expect(decide(one, 'approve', {}).counted).toBe(true);
    expect(one.decisions).toMatchObject([{ by: 'unnamed', self: false }]);
  });

  test('a name that is not text does not count', () => {
    expect(decide(approval(), 'approve', { by: ['alice'] } as never).counted).toBe(false);
  });
});

test('without self-approval an empty name does not count, whoever else may decide', () => {
  for (const more of [{}, { approvers: [], people: [] }]) {
    expect(reasonOf(decide(approval({ ...more, self_approval: false }), 'approve', {}))).toMatch(/names no person/);
  }
});

describe('the requester', () => {
  const own = { people: ['dave', 'alice'] };

  test('may decide if that is allowed, and this is recorded', () => {
    const one = approval(own);
    expect(decide(one, 'approve', { by: 'dave' }).counted).toBe(true);
    expect(one.decisions).toMatchObject([{ self: true }]);
  });

  test('may not decide if that is not allowed, even if listed', () => {
    const one = approval({ ...own, self_approval: false });
    expect(reasonOf(decide(one, 'approve', { by: 'dave' }))).toMatch(/dave asked for it/);
    expect(decide(one, 'approve', { by: 'alice' }).counted).toBe(true);
  });
});

describe('a required comment', () => {
  test.each([[undefined], [''], ['  ']])('is not %j', (comment) => {
    const one = approval({ comment: 'required' });
    const decision = comment === undefined ? { by: 'alice' } : { by: 'alice', comment };
    expect(reasonOf(decide(one, 'approve', decision))).toMatch(/needs a comment/);
  });

  test('is any written text', () => {
    expect(decide(approval({ comment: 'required' }), 'deny', { by: 'alice', comment: 'no' }).counted).toBe(true);
  });
});

describe('which approval', () => {
  const two = (): Approval[] => [approval({ id: 'a-1' }), approval({ id: 'b-2' })];

  test('the id may be omitted while exactly one is open', () => {
    const [first, second] = two() as [Approval, Approval];
    first.status = 'approved';
    expect(decide([first, second], 'approve', { by: 'alice' })).toMatchObject({ approval_id: 'b-2', counted: true });
  });

  test('the id must be named when several are open', () => {
    const both = two();
    expect(reasonOf(decide(both, 'approve', { by: 'alice' }))).toMatch(/2 approvals are open/);
    expect(both.map(({ status }) => status)).toEqual(['open', 'open']);
    expect(decide(both, 'approve', { by: 'alice', approval_id: 'a-1' }).counted).toBe(true);
  });

  test('an id that does not exist decides nothing, even while one is open', () => {
    const one = approval();
    const outcome = decide(one, 'approve', { by: 'alice', approval_id: 'other-000000000000' });
    expect(outcome).toMatchObject({ counted: false, approval_id: 'other-000000000000' });
    expect(one.status).toBe('open');
  });

  test('of several with the specified id the open one is decided, or else the last one is meant', () => {
    const same = [approval({ status: 'denied' }), approval(), approval({ status: 'expired' })];
    const named = { by: 'alice', approval_id: 'release-3f9a1c20b7de' };
    expect(decide(same, 'approve', named).counted).toBe(true);
    expect(same.map(({ status }) => status)).toEqual(['denied', 'approved', 'expired']);
    expect(reasonOf(decide(same, 'approve', named))).toMatch(/already expired/);
  });

  test('the outcome of a decision without an id has no id if no approval exists', () => {
    expect(decide([], 'approve', {})).toEqual({ counted: false, approval_id: null, reason: 'no approval is open' });
  });

  test('it is reported if none is open', () => {
    expect(reasonOf(decide([], 'approve', { by: 'alice' }))).toBe('no approval is open');
    expect(reasonOf(decide(approval({ status: 'denied' }), 'approve', { by: 'alice' }))).toMatch(/is denied/);
  });
});

describe('a late decision', () => {
  test('does not change the first, and is reported as late', () => {
    const one = approval();
    decide(one, 'approve', { by: 'alice' });
    const late = decide(one, 'deny', { by: 'bob', approval_id: one.id });
    expect(reasonOf(late)).toMatch(/already approved/);
    expect(one.status).toBe('approved');
  });

  test.each(['expired', 'cancelled', 'denied'] as const)('on an approval that is %s does not count', (status) => {
    const one = approval({ status });
    expect(reasonOf(decide(one, 'approve', { by: 'alice', approval_id: one.id }))).toMatch(new RegExp(status));
  });
});

test('each decision that did not count is recorded with its reason', () => {
  const one = approval();
  decide(one, 'approve', { by: 'mallory' });
  decide(one, 'deny', {});
  expect(one.ignored).toEqual([
    { decision: 'approve', by: 'mallory', reason: expect.stringMatching(/not among/), at: AT },
    { decision: 'deny', by: null, reason: expect.stringMatching(/names no person/), at: AT },
  ]);
  expect(one.decisions).toEqual([]);
});

describe('fields that the decider fills in', () => {
  const fields = {
    ticket: { type: 'string' },
    level: { type: 'integer', enum: [1, 2], optional: true },
    urgent: { type: 'boolean', optional: true },
  } as const;
  const withFields = () => approval({ fields: { ...fields, level: { ...fields.level, enum: [1, 2] } } });

  test('are recorded with the decision', () => {
    const one = withFields();
    decide(one, 'approve', { by: 'alice', fields: { ticket: 'T-1', level: 2 } });
    expect(one.decisions[0]?.fields).toEqual({ ticket: 'T-1', level: 2 });
  });

  test.each([
    [undefined, 'it needs the field ticket'],
    [{ ticket: '' }, 'it needs the field ticket'],
    [{ ticket: 3 }, 'the field ticket must be of the type string'],
    [{ ticket: 'T-1', level: 3 }, 'the field level must be one of 1, 2'],
    [{ ticket: 'T-1', urgent: 'yes' }, 'the field urgent must be of the type boolean'],
    [{ ticket: 'T-1', tikcet: 'x' }, 'there is no field tikcet'],
    [{ ticket: 'T-1', toString: 'x' }, 'there is no field toString'],
  ])('%j does not count: %s', (given, reason) => {
    const one = withFields();
    expect(reasonOf(decide(one, 'approve', { by: 'alice', ...(given && { fields: given as never }) }))).toBe(reason);
    expect(one.status).toBe('open');
  });

  test('are not recorded if none were passed', () => {
    const one = approval();
    decide(one, 'approve', { by: 'alice', fields: {} });
    expect(one.decisions[0]).not.toHaveProperty('fields');
  });

  test('are not needed for a denial', () => {
    expect(decide(withFields(), 'deny', { by: 'alice' })).toMatchObject({ counted: true, status: 'denied' });
  });

  test('are not recorded with a denial, which counts whatever fields it has', () => {
    const one = withFields();
    expect(decide(one, 'deny', { by: 'alice', fields: { ticket: 3, other: 'x' } })).toMatchObject({ status: 'denied' });
    expect(one.decisions[0]).not.toHaveProperty('fields');
  });
});

describe('a decision that requests changes', () => {
  test('needs a comment, and ends the approval', () => {
    const one = approval();
    expect(reasonOf(decide(one, 'request_changes', { by: 'alice', comment: ' ' }))).toMatch(/a comment must say which/);
    expect(decide(one, 'request_changes', { by: 'alice', comment: 'less' })).toMatchObject({
      status: 'changes_requested',
    });
    expect(reasonOf(decide(one, 'approve', { by: 'bob', approval_id: one.id }))).toMatch(/already changes requested/);
  });
});

test('a decision that both approves and requests changes does not count, but one that only requests them does', () => {
  const one = approval();
  expect(reasonOf(decide(one, 'approve', { by: 'alice', request_changes: true }))).toMatch(/changes at once/);
  const asking = { by: 'alice', request_changes: true, comment: 'less' };
  expect(decide(one, 'request_changes', asking)).toMatchObject({ status: 'changes_requested' });
});

describe('an approval that requires proof', () => {
  const proved = (nonce: string) => ({ proved: 'os_user', nonce }) as const;

  test('accepts no claim, and each proof once', () => {
    const one = approval({ proof: 'required', quorum: 2 });
    expect(reasonOf(decide(one, 'approve', { by: 'alice' }))).toMatch(/brings no proof/);
    expect(decideApproval([one], 'approve', { by: 'alice' }, AT, proved('n1'))).toMatchObject({ counted: true });
    expect(reasonOf(decideApproval([one], 'approve', { by: 'bob' }, AT, proved('n1')))).toMatch(/used before/);
    expect(one.decisions).toMatchObject([{ by: { name: 'alice', source: 'os_user' } }]);
    const byToken = { proved: 'token', nonce: 'n2' } as const;
    expect(decideApproval([one], 'approve', { by: 'bob' }, AT, byToken)).toMatchObject({ status: 'approved' });
    expect(one.decisions[1]).toMatchObject({ by: { name: 'bob', source: 'token' } });
  });
});

test('a proof that is not required is not used, and the decision is a claim', () => {
  const one = approval();
  decideApproval([one], 'approve', { by: 'alice' }, AT, { proved: 'os_user', nonce: 'n1' });
  expect(one.decisions).toMatchObject([{ by: { name: 'alice', source: 'claimed' } }]);
  expect(one.nonces).toBeUndefined();
});

test.each<[string, Partial<Approval>, Decision, boolean]>([
  ['an open approval that requires it', { proof: 'required' }, {}, true],
  ['the approval that the decision names', { proof: 'required' }, { approval_id: 'release-3f9a1c20b7de' }, true],
  ['no approval that does not require it', {}, {}, false],
  [
    'no approval that is closed',
    { proof: 'required', status: 'denied' },
    { approval_id: 'release-3f9a1c20b7de' },
    false,
  ],
  ['no approval that does not exist', { proof: 'required' }, { approval_id: 'other' }, false],
])('a proof is checked for %s', (_, more, decision, is) => {
  const one = approval(more);
  expect(approvalToProve([one], decision)).toBe(is ? one : undefined);
});

test.each(['schedule:nightly', 'webhook:github'])('%s may request approvals but decides none', (by) => {
  const open = { approvers: [], people: [], requested_by: { name: by, source: 'claimed' as const } };
  expect(reasonOf(decide(approval(open), 'approve', { by }))).toBe(`${by} is no person, and only people decide`);
});

describe('a name is one person, however it is written', () => {
  test.each([
    ['bob', 'Bob'],
    ['jos\u00e9', 'jose\u0301'],
    ['alice', 'al\u200bice'],
    ['alice', '\uff41lice'],
    ['alice', '\u2066alice\u2069'],
    ['Ada Lovelace', 'ada\u00a0 lovelace'],
    ['weiß', 'WEISS'],
  ])('%j and %j', (one, other) => {
    const open = approval({ approvers: [], people: [], quorum: 2 });
    expect(decide(open, 'approve', { by: one })).toMatchObject({ counted: true, missing: 1 });
    expect(reasonOf(decide(open, 'approve', { by: other }))).toMatch(/has already decided$/);
    const own = approval({
      approvers: [],
      people: [],
      self_approval: false,
      requested_by: { name: one, source: 'claimed' },
    });
    expect(reasonOf(decide(own, 'approve', { by: other }))).toMatch(/asked for it/);
    const changed = approval({ approvers: [], people: [], self_approval: false, changed_by: [one] });
    expect(reasonOf(decide(changed, 'approve', { by: other }))).toMatch(/changed what was asked for/);
  });

  test('and others are others, also if they look alike', () => {
    const open = approval({ approvers: [], people: [], quorum: 2 });
    decide(open, 'approve', { by: 'alice' });
    expect(decide(open, 'approve', { by: '\u0430lice' })).toMatchObject({ counted: true, status: 'approved' });
  });

  test('nobody, and no schedule, in disguise', () => {
    const open = approval({ approvers: [], people: [], self_approval: false });
    expect(reasonOf(decide(open, 'approve', { by: '\u200b\u2060' }))).toMatch(/names no person/);
    expect(reasonOf(decide(open, 'approve', { by: 'Schedule\uff1anightly' }))).toMatch(/is no person/);
  });
});

describe('a person whom a door admitted', () => {
  const proof = (groups: string[], nonce = '1') =>
    ({ proved: 'oidc', nonce, issuer: 'https://id.acme.test', subject: 'u-1', groups }) as const;
  const leads = (more: Partial<Approval> = {}) =>
    approval({ approvers: ['leads'], people: ['alice'], groups: ['leads'], ...more });

  test('decides by a group of the claim, and is recorded with issuer and subject', () => {
    const one = leads();
    expect(decideApproval([one], 'approve', { by: 'zoe' }, AT, proof(['x', 'leads']))).toMatchObject({ counted: true });
    expect(one.decisions[0]?.by).toEqual({
      name: 'zoe',
      source: 'oidc',
      issuer: 'https://id.acme.test',
      subject: 'u-1',
    });
  });

  test('without the group, or without the proof of it, does not', () => {
    for (const given of [proof([]), proof(['other']), undefined, { proved: false, reason: 'no' } as const]) {
      expect(reasonOf(decideApproval([leads()], 'approve', { by: 'zoe' }, AT, given))).toMatch(
        /not among the approvers/,
      );
    }
  });

  test('does not decide for themselves, twice, or with a proof that was used', () => {
    const one = leads({ quorum: 2, self_approval: false });
    const by = (name: string, nonce: string) =>
      reasonOf(decideApproval([one], 'approve', { by: name }, AT, proof(['leads'], nonce)));
    expect(by('dave', '1')).toMatch(/asked for it/);
    expect(by('zoe', '1')).toMatch(/used before/);
    expect(by('zoe', '2')).toBe('it counted');
    expect(by('Zoe', '3')).toMatch(/already decided/);
  });

  test('has a proof that is checked, required or not', () => {
    const door = { door: 'main', signature: 'x', ...proof([]), source: 'oidc' } as const;
    expect(approvalToProve([leads()], { proof: { ...door, groups: [] } })).toBeDefined();
    expect(approvalToProve([leads()], { proof: { nonce: '1', mac: 'x' } })).toBeUndefined();
  });
});
