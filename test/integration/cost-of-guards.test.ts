import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSession } from '../../src/client/index.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, type TestTask } from '../fixtures/running-project.js';

let project: RunningProject;
const USER = { name: 'ada', source: 'claimed' } as const;
const ALLOWS = 'console.log(\'{"guard_decision":"allow"}\');';
const hook = (id: string, handler: string): string =>
  `  - { id: ${id}, match: { abilities: [op.${id}] }, blocking: true, handler: ${handler} }`;

/** Guards of a project, none of which reads the session; a guard of the other project does. */
const FILES = {
  'registry/hooks/PreAbilityCall.yaml': [
    'hooks:',
    hook('builtin', '{ builtin: { name: environment_scope, options: { allow: [dev] } } }'),
    hook('expression', '{ expression: { deny_if: "input.n > 5", reason: Too much. } }'),
    hook('two', '{ expression: { deny_if: "session != null && session.id == \'x\'", reason: Not here. } }'),
    hook('script', '{ script: { path: guards/allows.mjs } }'),
    hook('ability', '{ ability: guard.allows }'),
  ].join('\n'),
  'guards/allows.mjs': ALLOWS,
  ...operation('guard.allows', "return { guard_decision: 'allow' };", { yaml: 'input_schema: { type: object }' }),
  ...Object.assign(
    {},
    ...['none', 'builtin', 'expression', 'two', 'script', 'ability', 'reads'].map((id) =>
      operation(`op.${id}`, 'return 1;', { yaml: 'input_schema: { type: object }' }),
    ),
  ),
};
const READS = hook('reads', '{ expression: { deny_if: "session.counts.total > 99", reason: Enough. } }');

/** The types of the events of a task, in order. */
async function eventsOf(of: RunningProject, ability: string, more: TestTask = {}): Promise<string[]> {
  const { status, task_key } = await of.run(ability, { n: 1 }, more);
  expect(status).toBe('succeeded');
  const { events } = await of.connection.temporal.workflow.getHandle(task_key as string).fetchHistory();
  return (events ?? []).map((event) => {
    const [kind = ''] = Object.keys(event).filter((key) => key.endsWith('EventAttributes') && event[key as never]);
    const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
    return activity ? `scheduled ${activity}` : kind.replace('EventAttributes', '');
  });
}

async function sessionOf(of: RunningProject): Promise<string> {
  return (await startSession(of.connection, { environment: 'dev', scope: 'integration', user: USER })).session_id;
}

/** How many events of each kind one list has beyond the other. */
function beyond(events: string[], plain: string[]): Record<string, number> {
  const more: Record<string, number> = {};
  for (const kind of events) more[kind] = (more[kind] ?? 0) + 1;
  for (const kind of plain) more[kind] = (more[kind] ?? 0) - 1;
  return Object.fromEntries(Object.entries(more).filter(([, count]) => count !== 0));
}

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {} }'), ...FILES });
  await project.host().serve([{ environment: 'dev', placement: 'local' }]);
});
afterAll(() => project.stop());

/** A separate activity: its three events, and the workflow task that receives its result. */
const ONE_ACTIVITY = {
  'scheduled PreAbilityCall': 1,
  activityTaskStarted: 1,
  activityTaskCompleted: 1,
  workflowTaskScheduled: 1,
  workflowTaskStarted: 1,
  workflowTaskCompleted: 1,
};

describe('the cost of guards, in events of the history', () => {
  test.each(['builtin', 'expression', 'two'])('nothing, for the guard %s', async (id) => {
    const plain = await eventsOf(project, 'op.none');
    expect(plain.filter((kind) => kind.startsWith('scheduled'))).toEqual(['scheduled op.none']);
    const guarded = await eventsOf(project, `op.${id}`);
    expect(guarded.map((kind) => kind.replace(`op.${id}`, 'op.none'))).toEqual(plain);
  });

  test('nothing, inside or outside of a session, if no guard reads it', async () => {
    const plain = await eventsOf(project, 'op.none');
    const session = await sessionOf(project);
    for (const id of ['none', 'expression', 'two']) {
      const inSession = await eventsOf(project, `op.${id}`, { session });
      expect(inSession.map((kind) => kind.replace(`op.${id}`, 'op.none'))).toEqual(plain);
    }
  });

  test.each(['script', 'ability'])('one activity, for a %s', async (id) => {
    const plain = await eventsOf(project, 'op.none');
    const guarded = await eventsOf(project, `op.${id}`);
    const renamed = guarded.map((kind) => kind.replace(`op.${id}`, 'op.none'));
    expect(beyond(renamed, plain)).toEqual(ONE_ACTIVITY);
  });

  test('in a session that some guard reads, one activity before and one marker after each call', async () => {
    const plain = await eventsOf(project, 'op.none');
    const other = await runProject({
      'ability.yaml': projectFile('{ dev: {} }'),
      ...FILES,
      'registry/hooks/PreAbilityCall.yaml': `${FILES['registry/hooks/PreAbilityCall.yaml']}\n${READS}`,
    });
    try {
      await other.host().serve([{ environment: 'dev', placement: 'local' }]);
      const session = await sessionOf(other);
      for (const id of ['reads', 'none', 'script']) {
        const counted = async () => {
          const events = await eventsOf(other, `op.${id}`, { session });
          return beyond(
            events.map((kind) => kind.replace(`op.${id}`, 'op.none')),
            plain,
          );
        };
        // On a busy machine, what is written at the end may take another workflow task.
        await expect.poll(counted, { timeout: 20_000 }).toEqual({ ...ONE_ACTIVITY, markerRecorded: 1 });
      }
      // Outside of a session, nothing is recorded.
      expect(await eventsOf(other, 'op.none')).toEqual(plain);
    } finally {
      await other.stop();
    }
  });
});
