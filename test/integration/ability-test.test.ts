import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CaseReport, TestReport } from '../../src/testing/index.js';
import { runProjectCases } from '../../src/testing/index.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

const ENVIRONMENTS = `
  dev: {}
  staging: { approve: [destructive], approvers: [alice, bob, carol], quorum: 2 }
  prod: { protected: true, approve: [destructive] }`;

const HOOKS = `
hooks:
  - id: ready
    handler: { script: { path: hooks/answer.mjs } }
  - id: ticket
    blocking: true
    match: { environments: [prod] }
    handler: { expression: { deny_if: "!has(input.ticket)", reason: No ticket. } }
`;

let project: ProjectFolder;
let report: TestReport;
/** Temporary files that runs created and did not remove. */
const leftovers = (): string[] => readdirSync(join(project.root, 'tmp'));

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile(ENVIRONMENTS, 'default_environment: dev\n'),
    ...operation('util.echo', 'return input;', {
      yaml: 'output_schema: { type: object, properties: { n: { type: integer } } }',
    }),
    ...operation('util.fast', 'return input;'),
    ...operation('db.drop', 'return null;', { effects: 'destructive', yaml: 'hooks: { pre_call: [ready] }' }),
    'registry/low-level/util.fast.yaml': `
operation_key: util.fast
summary: Fast.
effects: read
implementation: { kind: script, tags: [fast], script: { path: scripts/util.fast.mjs } }
`,
    'registry/low-level/http.secret.yaml': `
operation_key: http.secret
summary: Needs an address and a credential.
effects: write_additive
implementation: { kind: api, api: { method: POST, path: /, headers: { authorization: "Bearer {credential:token}" } } }
`,
    'registry/config/all.yaml': `
abilities:
  - id: http.secret
    environments: { dev: { endpoints: { default: "env:NOWHERE_URL" }, credentials: { token: "env:NOWHERE_TOKEN" } } }
`,
    'registry/hooks/PreAbilityCall.yaml': HOOKS,
    'tmp/.keep': '',
    'hooks/answer.mjs':
      'process.stdout.write(JSON.stringify({ guard_decision: "deny", reason: "The real hook says no." }));',
    ...workflow(
      'flow',
      `
steps:
  - { id: first, call: util.echo, with: { n: "\${{ input.n }}" }, retry: { attempts: 3, first: 60s, max: 60s }, timeout: 5m }
  - { id: quick, call: util.fast, with: { n: "\${{ steps.first.output.n }}" } }
  - id: both
    parallel:
      left: { call: util.echo, with: { n: 1 } }
      right: { call: util.echo, with: { n: 2 } }
  - { id: ask, approval: { title: Go on?, timeout: 24h } }
finally: [{ id: bye, call: util.echo, with: { n: 9 } }]
output: { n: "\${{ steps.quick.output.n }}", by: "\${{ steps.ask.output.by }}" }`,
    ),
    'registry/high-level/flow.test.yaml': `
ability: flow
defaults:
  input: { n: 7 }
  mocks: { util.echo: { output: { n: 7 } }, quick: { output: { n: 8 } } }
  approvals: { ask: { decision: approve, by: alice, comment: fine } }
cases:
  - name: passes
    expect:
      output: { n: 8, by: alice }
      calls: [{ call: util.echo, with: { n: 7 } }, util.fast, { call: util.echo, with: { n: 1 } }, { call: util.echo, with: { n: 2 } }, { call: util.echo, with: { n: 9 } }]
      steps: { ask: succeeded, both/left: succeeded, bye: succeeded }
  - name: a day passes in no time
    approvals: { ask: expire }
    expect: { status: denied, error: { code: approval.expired, step: ask }, steps: { bye: succeeded } }
  - name: attempts a minute apart
    mocks: { first: [{ error: { code: http.503 } }, { error: { code: unavailable.connection } }, { output: { n: 7 } }] }
    expect: { status: succeeded }
  - name: a denial
    approvals: { ask: { decision: deny, comment: no } }
    expect: { status: denied, error: { code: approval.denied, message: ": no" } }
  - name: a contract that is broken
    mocks: { first: { output: { n: seven } } }
    expect: { status: failed, error: { code: script.output_invalid, step: first } }
  - name: another output
    expect: { output: { n: 9, by: alice } }
  - name: another order
    expect: { calls: [util.fast, util.echo] }
  - name: a call without a mock
    mocks: { util.echo: [{ output: { n: 7 } }] }
  - name: a missing mock is no failure to expect
    mocks: { util.echo: [{ output: { n: 7 } }] }
    expect: { status: failed }
`,
    'registry/low-level/db.drop.test.yaml': `
ability: db.drop
defaults: { mocks: { run: { output: null } }, hooks: { ready: allow } }
cases:
  - { name: mocked hook }
  - { name: mocked hook that fails, hooks: { ready: { status: error, reason: broken } }, expect: { error: hook.failed } }
  - { name: as many approvers as the quorum requires, environment: staging, approvals: { run: approve } }
  - { name: too few, environment: staging, approvals: { run: { decision: approve, by: bob } }, expect: { error: approval.expired } }
  - { name: a stranger, environment: staging, approvals: { run: { decision: approve, by: mallory } } }
  - { name: undecided, environment: staging }
  - { name: an expression, environment: prod, expect: { status: denied, error: { code: guard.denied, message: No ticket. }, calls: [] } }
`,
    'registry/low-level/real.test.yaml': `
ability: db.drop
cases: [{ name: the real hook runs, mocks: { db.drop: { output: null } }, expect: { error: { code: guard.denied, message: The real hook says no. } } }]
`,
    'registry/low-level/live.test.yaml': `
ability: util.echo
cases: [{ name: live, input: { n: 3 }, mocks: { run: { live: true } }, expect: { output: { n: 3 } } }]
`,
    'registry/low-level/secret.test.yaml': `
ability: http.secret
cases:
  - { name: no credential is needed, mocks: { run: { output: {} } } }
  - { name: a lost answer, mocks: { run: { error: { code: outcome.unknown } } }, expect: { status: unknown } }
  - { name: a live call needs its credential, mocks: { run: { live: true } }, expect: { status: failed, error: config.missing_credential } }
`,
    ...workflow(
      'takes_back',
      'steps: [{ id: first, call: util.echo, with: { n: 1 }, undo: { call: util.echo, with: { n: 2 } } }]',
    ),
    'registry/high-level/takes_back.test.yaml': `
ability: takes_back
cases:
  - name: an answer that cannot be used is undone, and the call is not repeated
    mocks: { first: [{ error: { code: script.output_missing } }], first.undo: { output: { n: 2 } } }
    expect: { status: failed, error: { code: script.output_missing, step: first }, calls: [{ call: util.echo, with: { n: 1 } }, { call: util.echo, with: { n: 2 } }] }
`,
    ...workflow(
      'listens',
      `
steps:
  - id: all
    parallel:
      one: { wait: { signal: go, if: "signal.ok", timeout: 24h } }
      two: { wait: { signal: stop, timeout: 24h } }
  - { id: later, call: listens_inside }
output: [ "\${{ steps.one.output }}", "\${{ steps.two.output }}", "\${{ steps.later.output }}" ]`,
    ),
    ...workflow(
      'listens_inside',
      'steps: [{ id: one, wait: { signal: end, timeout: 1h } }]\noutput: "${{ steps.one.output }}"',
    ),
    'registry/high-level/listens.test.yaml': `
ability: listens
defaults: { signals: [{ name: end, payload: 3 }, { name: go, payload: { ok: false } }, { name: stop }, { name: go, payload: { ok: true } }] }
cases:
  - { name: signals are sent when they are waited for, expect: { output: [{ ok: true }, null, 3] } }
  - { name: a signal that does not come, signals: [{ name: go, payload: { ok: true } }], expect: { status: timed_out, error: timeout.signal } }
  - { name: a signal that no step waits for any more, signals: [{ name: stop }, { name: stop }], expect: { status: succeeded } }
`,
    ...workflow(
      'adds',
      `
steps:
  - id: each
    foreach: input.list
    as: n
    steps:
      - { id: price, call: util.echo, with: { n: "\${{ n }}" } }
      - { id: add, let: { sum: "\${{ (steps.add.output == null ? 0 : steps.add.output.sum) + steps.price.output.n }}" } }
output: "\${{ steps.each.output.map(turn, turn.sum) }}"`,
    ),
    'registry/high-level/adds.test.yaml': `
ability: adds
cases: [{ name: a running sum, input: { list: [1, 2, 3] }, mocks: { price: [{ output: { n: 1 } }, { output: { n: 20 } }, { output: { n: 300 } }] }, expect: { output: [1, 21, 321] } }]
`,
    'registry/low-level/broken.test.yaml': 'ability: util.ecko\ncases: [{ name: x }]\n',
  });
  vi.stubEnv('TMPDIR', join(project.root, 'tmp'));
  report = await runProjectCases({ root: project.root });
});
afterAll(() => {
  vi.unstubAllEnvs();
  project.remove();
});

/** The report of a case by its name. */
function of(name: string): CaseReport {
  const found = report.cases.find((own) => own.name === name);
  if (!found) throw new Error(`there is no case ${name}`);
  return found;
}

describe('a case passes', () => {
  test.each([
    'passes',
    'a denial',
    'a contract that is broken',
    'an answer that cannot be used is undone, and the call is not repeated',
    'mocked hook',
    'mocked hook that fails',
    'as many approvers as the quorum requires',
    'too few',
    'an expression',
    'the real hook runs',
    'live',
    'no credential is needed',
    'a lost answer',
    'a live call needs its credential',
    'a running sum',
    'signals are sent when they are waited for',
  ])('%s', (name) => {
    expect(of(name)).toMatchObject({ status: 'passed', failures: [], notes: [] });
  });

  test.each(['a day passes in no time', 'attempts a minute apart'])('%s', (name) => {
    expect(of(name)).toMatchObject({ status: 'passed' });
    expect(of(name).duration_ms).toBeLessThan(10_000);
  });
});

describe('a case fails', () => {
  test('when the output differs', () => {
    expect(of('another output').failures).toEqual([{ kind: 'value', at: 'output.n', expected: 9, actual: 8 }]);
  });

  test('when the calls differ', () => {
    const [failure] = of('another order').failures;
    expect(failure).toMatchObject({ kind: 'calls' });
    expect(failure?.kind === 'calls' && failure.lines.map(({ mark }) => mark).join('')).toBe('+  ++');
  });

  test.each(['a call without a mock', 'a missing mock is no failure to expect'])(
    'when a mock is missing: %s',
    (name) => {
      expect(of(name)).toMatchObject({
        status: 'failed',
        failures: expect.arrayContaining([
          { kind: 'problem', problem: expect.objectContaining({ code: 'test.no_mock' }) },
        ]),
      });
    },
  );

  test('when an approval is not decided', () => {
    expect(of('undecided').failures).toMatchObject([{ kind: 'problem', problem: { code: 'test.no_decision' } }]);
    expect(of('undecided').task_status).toBeNull();
  });

  test('when an expected signal does not come, with a note about the unused one', () => {
    expect(of('a signal that no step waits for any more')).toMatchObject({
      status: 'failed',
      notes: expect.arrayContaining(['No step waited for the signal stop, so it was not sent.']),
    });
  });

  test('when a decision does not count, with the reason', () => {
    expect(of('a stranger')).toMatchObject({ status: 'failed', task_status: 'denied' });
    expect(of('a stranger').notes.join()).toContain('mallory is not among the approvers');
  });
});

test('a broken file is reported with its place, and the other files still run', () => {
  expect(report).toMatchObject({
    status: 'broken',
    problems: [{ message: 'There is no ability `util.ecko`', location: { line: 1, column: 10 } }],
  });
  expect(report.cases.length).toBe(report.passed + report.failed);
});

test('nothing is left in the project or next to it', () => {
  expect(existsSync(join(project.root, '.system'))).toBe(false);
  expect(leftovers()).toEqual(['.keep']);
});

test('the cases of one ability run alone, and each is reported as it ends', async () => {
  const reported: string[] = [];
  const { status, cases } = await runProjectCases({
    root: project.root,
    ability: 'util.echo',
    onCase: ({ name }) => reported.push(name),
  });
  expect(status).toBe('passed');
  expect(cases.map(({ ability }) => ability)).toEqual(['util.echo']);
  expect(reported).toEqual(['live']);
});

test('a stopped run leaves nothing behind', LONG, async () => {
  const stop = new AbortController();
  const running = runProjectCases({
    root: project.root,
    onCase: () => stop.abort(new Error('stopped')),
    signal: stop.signal,
  });
  await expect(running).rejects.toThrow('stopped');
  expect(leftovers()).toEqual(['.keep']);
});

test('a project without cases is refused', async () => {
  const empty = makeProject();
  await expect(runProjectCases({ root: empty.root })).rejects.toMatchObject({ code: 'test.no_cases' });
  empty.remove();
});
