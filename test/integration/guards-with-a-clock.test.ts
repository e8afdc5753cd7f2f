import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskResult } from '../../src/contracts/task.js';
import { runProjectCases } from '../../src/testing/index.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { makeProject, operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

/** The window begins far in the future, so that only a case can be inside it. */
const FROZEN = "now() >= timestamp('2090-12-24T18:00:00+01:00')";
const HOOKS = {
  'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: not_created, handler: { expression: { deny_if: "${FROZEN}", reason: Frozen. } } }
`,
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: freeze, handler: { expression: { deny_if: "${FROZEN}", reason: Frozen. } } }
  - { id: always, handler: { expression: { deny_if: "now().getFullYear('Europe/Berlin') >= 2020", reason: Too late. } } }
  - { id: asks, handler: { script: { path: hooks/allow.mjs } } }
`,
  'hooks/allow.mjs': 'process.stdout.write(JSON.stringify({ guard_decision: "allow" }));',
};

const FILES: ProjectFiles = {
  'ability.yaml': projectFile('{ dev: {} }'),
  ...HOOKS,
  ...operation('op.guarded', 'return 1;', { yaml: 'hooks: { pre_create: [not_created], pre_call: [freeze] }' }),
  ...operation('op.mixed', 'return 1;', { yaml: 'hooks: { pre_call: [asks, freeze] }' }),
  ...operation('op.refused', 'return 1;', { yaml: 'hooks: { pre_call: [always] }' }),
  ...workflow(
    'flow',
    `
hooks: { pre_call: [freeze] }
steps:
  - { id: before, call: op.guarded }
  - { id: pause, wait: 1s }
  - { id: after, call: op.mixed }
output: "\${{ now() }}"`,
  ),
};

describe('a guard that reads the clock', () => {
  let project: RunningProject;
  let result: TaskResult;
  const momentsOf = ({ hooks }: TaskResult) =>
    hooks.filter(({ hook_id }) => hook_id !== 'asks').map(({ moment }) => Date.parse(moment ?? ''));
  beforeAll(async () => {
    project = await runProject(FILES);
    result = await project.run('flow', {}, { key: 'clocked' });
  });
  afterAll(() => project.stop());

  test('allows before its window, and its answers state the time: at creation, around the task, around calls', () => {
    expect(result.status).toBe('succeeded');
    expect(result.hooks.map(({ hook_id, phase, path }) => `${phase} ${hook_id} ${path}`)).toEqual([
      'PreAbilityCreate not_created op.guarded',
      'PreAbilityCall freeze ',
      'PreAbilityCall freeze before',
      'PreAbilityCall asks after',
      'PreAbilityCall freeze after',
    ]);
    const [created = 0, task = 0, before = 0, after = 0] = momentsOf(result);
    expect(created).toBeLessThanOrEqual(task);
    expect(task).toBeLessThanOrEqual(before);
    // Because of the script, one activity evaluates all of them; it sees the time of the workflow.
    expect(after - before).toBeGreaterThanOrEqual(1000);
  });

  test('refuses inside its window with its reason, and the answer states the time', async () => {
    const refused = await project.run('op.refused');
    expect(refused).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(Math.abs((momentsOf(refused)[0] as number) - Date.now())).toBeLessThan(60_000);
    const record = readFileSync(join(refused.links.record as string, 'tool_call.md'), 'utf8');
    expect(record).toContain(`deny, now() was ${refused.hooks[0]?.moment}`);
  });

  test('answers the same in a replay, and costs no event', async () => {
    const history = await project.connection.temporal.workflow.getHandle('clocked').fetchHistory();
    expect(await replayHistory({ name: 'clocked', workflowId: 'clocked', history })).toMatchObject({ status: 'ok' });
    const scheduled =
      history.events?.filter(({ activityTaskScheduledEventAttributes }) => activityTaskScheduledEventAttributes) ?? [];
    const names = scheduled.map(({ activityTaskScheduledEventAttributes: made }) => made?.activityType?.name);
    expect(names.filter((name) => name === 'PreAbilityCall')).toHaveLength(1);
  });
});

test('a case of ability test sets the clock of its task: for hooks before creation and around calls, and for steps', async () => {
  const expectations = [
    ['before the window', 'now: 2090-12-24T16:59:00Z', '{ status: succeeded, calls: [op.guarded, op.mixed] }'],
    ['at its beginning', 'now: 2090-12-24T17:00:00Z', '{ status: unavailable, error: guard.denied }'],
    ['with another offset', 'now: 2090-12-24T18:00:01+01:00', '{ status: unavailable, error: guard.denied }'],
    ['in the past', 'now: 2001-01-01T00:00:00Z', '{ status: succeeded }'],
    [
      'while it waits',
      'now: 2090-12-24T16:59:59.5Z',
      '{ status: denied, error: { code: guard.denied, message: Frozen. }, calls: [op.guarded] }',
    ],
  ];
  const project = makeProject({
    ...FILES,
    ...workflow(
      'clock',
      'steps: [{ id: until, wait: { until: "timestamp(\'2002-01-01T00:00:00Z\')" } }]\noutput: "${{ now().getFullYear() }}"',
    ),
    ...workflow(
      'inner',
      'steps: [{ id: c, call: op.guarded }]\noutput: "${{ timestamp(task.started_at).getFullYear() }}"',
    ),
    ...workflow(
      'hourly',
      `
steps:
  - id: each
    foreach: input.list
    as: n
    label: "\${{ n }} in hour \${{ now().getHours() }}"
    on_failure: finish
    continue_on_error: true
    steps:
      - { id: pause, wait: { until: "timestamp(task.started_at) + duration(string(n) + 'h')" } }
      - { id: sub, call: inner }
output: "\${{ steps.each.output }}"`,
    ),
    'registry/high-level/hourly.test.yaml': `
ability: hourly
defaults: { mocks: { op.guarded: { output: 1 } } }
cases:
  - { name: a loop, now: 2090-12-24T14:30:00Z, input: { list: [1, 2, 3] }, expect: { status: denied, error: guard.denied, calls: [op.guarded, op.guarded] } }
  - { name: a loop on a clock in the past, now: 2001-01-01T00:00:00Z, input: { list: [1, 2] }, expect: { output: [2001, 2001] } }
`,
    'registry/high-level/clock.test.yaml':
      'ability: clock\ncases:\n  - { name: a year is waited for, now: 2001-12-31T00:00:00Z, expect: { output: 2002 } }\n',
    'registry/high-level/flow.test.yaml': [
      'ability: flow',
      'defaults: { hooks: { asks: allow }, mocks: { op.guarded: { output: 1 }, op.mixed: { output: 1 } } }',
      'cases:',
      ...expectations.map(([name, now, expected]) => `  - { name: ${name}, ${now}, expect: ${expected} }`),
    ].join('\n'),
  });
  try {
    const { cases, problems } = await runProjectCases({ root: project.root });
    expect(problems).toEqual([]);
    expect(cases.map(({ name, failures }) => [name, failures])).toEqual(
      ['a year is waited for', ...expectations.map(([name]) => name), 'a loop', 'a loop on a clock in the past'].map(
        (name) => [name, []],
      ),
    );
  } finally {
    project.remove();
  }
});
