import { expect, test } from 'vitest';
import type { RightLimits, Rights } from '../../../src/contracts/access.js';
import { access } from '../../../src/definitions/formats/access.js';
import {
  ALL_RIGHTS,
  isAllowed,
  isAllowedIn,
  isLimited,
  limitsInWords,
  rightsOf,
  rightsOfPerson,
  rightsOfToken,
} from '../../../src/rules/rights.js';

const limited = (...run: RightLimits[]): Rights => ({ run });
const REPORTS = limited({ abilities: ['report.*'], environments: ['dev', 'stag*'] });

test.each<[Rights, string | undefined, string | undefined, boolean]>([
  [rightsOf('run'), 'db.drop', 'prod', true],
  [rightsOf('run'), undefined, undefined, true],
  [rightsOf('read', 'approve'), 'db.drop', 'prod', false],
  [{}, 'db.drop', 'prod', false],
  [{ run: [] }, 'db.drop', 'prod', false],
  [REPORTS, 'report.daily', 'dev', true],
  [REPORTS, 'report.daily', 'staging', true],
  [REPORTS, 'report.', 'dev', true],
  [REPORTS, 'report', 'dev', false],
  [REPORTS, 'reports.x', 'dev', false],
  [REPORTS, 'my.report.daily', 'dev', false],
  [REPORTS, 'Report.daily', 'dev', false],
  [REPORTS, 'report.daily', 'dev2', false],
  [REPORTS, 'report.daily', 'prod', false],
  [REPORTS, 'report.daily', '', false],
  [REPORTS, 'report.daily', undefined, false],
  [REPORTS, undefined, 'dev', false],
  [limited({ environments: ['dev'] }), undefined, 'dev', true],
  [limited({ environments: ['dev'] }), undefined, undefined, false],
  [limited({ abilities: ['*'], environments: ['*'] }), undefined, undefined, true],
  [limited({ abilities: [] }), 'report.daily', 'dev', false],
  // Two limits are not mixed.
  [
    limited({ abilities: ['a'], environments: ['dev'] }, { abilities: ['b'], environments: ['prod'] }),
    'a',
    'prod',
    false,
  ],
  [
    limited({ abilities: ['a'], environments: ['dev'] }, { abilities: ['b'], environments: ['prod'] }),
    'b',
    'prod',
    true,
  ],
])('%j allows running %s in %s: %s', (rights, ability, environment, expected) => {
  expect(isAllowed(rights, 'run', { ability, environment })).toBe(expected);
});

test('a right has limits unless one of them allows everything', () => {
  expect([ALL_RIGHTS, REPORTS, {}].map((rights) => isLimited(rights, 'run'))).toEqual([false, true, true]);
  expect(isLimited(limited({ environments: ['dev'] }, {}), 'run')).toBe(false);
  expect(['dev', 'prod'].map((environment) => isAllowedIn(REPORTS, 'run', environment))).toEqual([true, false]);
});

test('the limits of a token are those of all its rights, and an agent decides nothing', () => {
  const within = { environments: ['dev'] };
  expect(rightsOfToken({ can: ['read', 'approve'], within })).toEqual({ read: [within], approve: [within] });
  expect(rightsOfToken({ can: ['read', 'approve'], agent: 'bot' })).toEqual({ read: [{}] });
  expect(limitsInWords({ abilities: ['a', 'b.*'], environments: ['dev'] })).toBe('a, b.* in dev');
  expect(limitsInWords({ environments: ['dev'] })).toBe('all abilities in dev');
});

const PROJECT = {
  people: {
    platform: ['ada'],
    support: ['bob', 'ada'],
    leads: { members: ['lea'], claim: '5f3c' },
    zoe: { slack: 'U01' },
    yan: { slack: 'U02' },
  },
  access: access.parse({
    platform: ['run', 'approve'],
    support: { read: {}, run: { environments: ['dev'], abilities: ['report.*'] } },
    '/idp/ops': ['approve'],
    leads: ['approve'],
    zoe: ['approve'],
    constructor: ['approve'],
  }),
};
const OF_SUPPORT = { environments: ['dev'], abilities: ['report.*'] };

test.each<[string, string[], Rights]>([
  ['eve', [], { read: [{}] }],
  ['eve', ['nobody', 'toString', '__proto__'], { read: [{}] }],
  ['bob', [], { read: [{}, {}], run: [OF_SUPPORT] }],
  ['Bob', [], { read: [{}] }],
  ['eve', ['support'], { read: [{}, {}], run: [OF_SUPPORT] }],
  ['lea', [], { read: [{}], approve: [{}] }],
  ['eve', ['5f3c'], { read: [{}], approve: [{}] }],
  // Its name in the claim is another one.
  ['eve', ['leads'], { read: [{}] }],
  ['zoe', [], { read: [{}], approve: [{}] }],
  ['yan', [], { read: [{}] }],
  // No group of a claim has the name of a person.
  ['eve', ['zoe'], { read: [{}] }],
  ['ada', ['/idp/ops'], { read: [{}, {}], run: [{}, OF_SUPPORT], approve: [{}, {}] }],
])('%s of %j has only read and what their groups have', (name, groups, expected) => {
  expect(rightsOfPerson({ name, groups }, PROJECT)).toEqual(expected);
});

test.each([
  { g: [] },
  { g: ['write'] },
  { g: {} },
  { g: { write: {} } },
  { g: { run: ['dev'] } },
  { g: { run: { environments: [] } } },
  { g: { run: { environments: [''] } } },
  { g: { run: { environments: ['Dev'] } } },
  { g: { run: { abilities: ['report.(a|b)'] } } },
  { g: { run: { abilities: ['report,db'] } } },
  { g: { run: { ability: ['x'] } } },
  { '': ['read'] },
])('%j gives no rights: it is refused', (given) => {
  expect(access.safeParse(given).success).toBe(false);
});
