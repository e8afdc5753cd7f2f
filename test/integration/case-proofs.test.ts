import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProjectCases, type TestReport } from '../../src/testing/index.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;
let report: TestReport;

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile(
      '{ prod: { protected: true, proof: required, approvers: [managers], approve: [destructive] } }',
      'people: { managers: [alice, bob] }\n',
    ),
    ...operation('db.drop', 'return 1;', { effects: 'destructive' }),
    ...workflow('child', 'steps: [{ id: inner, approval: { title: Inner? } }]'),
    ...workflow(
      'flow',
      `
steps:
  - { id: ask, approval: { title: Go on? } }
  - { id: drop, call: db.drop, with: {} }
  - { id: sub, call: child, with: {} }
output: "\${{ steps.ask.output.by }}"`,
    ),
    ...workflow(
      'filled',
      `
steps: [{ id: ask, approval: { title: Ticket?, fields: { ticket: { type: string }, n: { type: integer } } } }]
output: "\${{ steps.ask.output.fields }}"`,
    ),
    'registry/high-level/filled.test.yaml': `
ability: filled
defaults: { approvals: { ask: { decision: approve, fields: { ticket: A-1, n: 2 } } } }
cases:
  - { name: filled in, expect: { output: { ticket: A-1, n: 2 } } }
  - { name: left out, approvals: { ask: approve } }
`,
    ...workflow('several', 'steps: [{ id: ask, approval: { title: Both?, quorum: 2 } }]'),
    'registry/high-level/flow.test.yaml': `
ability: flow
defaults:
  mocks: { db.drop: { output: 1 } }
  approvals: { ask: { decision: approve, by: alice, comment: fine }, drop: approve, inner: approve }
cases:
  - { name: proved, expect: { status: succeeded, output: alice, calls: [db.drop] } }
  - { name: changes, approvals: { drop: request_changes }, expect: { status: denied, error: approval.changes_requested, calls: [] } }
  - { name: no, approvals: { inner: deny }, expect: { error: { code: approval.denied }, calls: [db.drop] } }
  - { name: a stranger, approvals: { ask: { decision: approve, by: mallory } } }
  - { name: a second person, approvals: { drop: { decision: approve, by: bob } } }
`,
    'registry/high-level/several.test.yaml': `
ability: several
cases: [{ name: two, approvals: { ask: approve }, expect: { status: denied, error: approval.expired } }]
`,
  });
  report = await runProjectCases({ root: project.root });
});
afterAll(() => project.remove());

const of = (name: string) => report.cases.find((one) => one.name === name);

test('cases can decide approvals that require proof, also in called tasks, no matter who runs them', () => {
  expect(report.problems).toEqual([]);
  for (const name of ['proved', 'changes', 'no']) expect(of(name)).toMatchObject({ status: 'passed', failures: [] });
});

test('a proof does not make a stranger an approver', () => {
  expect(of('a stranger')).toMatchObject({ status: 'failed', task_status: 'denied' });
  expect(of('a stranger')?.notes.join()).toMatch(/mallory is not among the approvers/);
});

test('a case can prove only one person, like the own runtime, so that no quorum of two is met', () => {
  expect(of('a second person')).toMatchObject({ status: 'failed', task_status: 'denied' });
  expect(of('a second person')?.notes.join()).toMatch(/bob does not count: proof is required, and only alice/);
  expect(of('two')).toMatchObject({ status: 'passed' });
});

test('a case fills in the fields that an approval requires, and a decision without them does not count', () => {
  expect(of('filled in')).toMatchObject({ status: 'passed', failures: [] });
  expect(of('left out')).toMatchObject({ status: 'failed', task_status: 'denied' });
  expect(of('left out')?.notes.join()).toMatch(/it needs the field ticket/);
});
