import { describe, expect, test, vi } from 'vitest';
import { admitSession, findOwnSession } from '../../../../src/activities/session/own-session.js';
import type { KnownRun } from '../../../../src/activities/task/runs.js';
import { sessionIdOf, WORKFLOWS } from '../../../../src/contracts/names.js';
import { USER } from '../admitted-task.js';
import { sessionWorld } from './session-world.js';

const RUN = { workflowId: sessionIdOf('acme', 's-1'), runId: 'r-1' };
const SESSION: KnownRun = { ...RUN, type: WORKFLOWS.session, taskQueue: 'q' };
const FOREIGN: [string, Partial<KnownRun>][] = [
  ['of another type', { type: 'mine' }],
  ['with another id', { workflowId: 'mine' }],
  ['on another queue', { taskQueue: 'own' }],
  ['that was started eagerly', { eager: true }],
  ['that another workflow started', { parent: { workflowId: 'w', runId: 'r' } }],
];

/** Looks up a session among runs. @param checked the first runs that are known to be sessions. */
function lookFor(runs: KnownRun[], checked: string[] = []) {
  const keep = vi.fn(async () => {});
  const find = async ({ runId }: { runId: string }) => runs.find((run) => run.runId === runId);
  const chains = { has: async (first: string) => checked.includes(first), keep };
  return { found: findOwnSession(RUN, ['q', 'p'], { runs: { find }, chains }), keep };
}

describe('a session of the project is a run', () => {
  test('that was started as one', async () => {
    expect(await lookFor([SESSION]).found).toEqual(SESSION);
  });

  test.each(FOREIGN)('but no run %s', async (_, of) => {
    expect(await lookFor([{ ...SESSION, ...of }]).found).toBeUndefined();
  });

  test('but none that Temporal does not know', async () => {
    expect(await lookFor([]).found).toBeUndefined();
  });
});

describe('a run that continues an earlier one is a session', () => {
  const next = { ...SESSION, first: 'r-0' };

  test('if the first one was, which is then recorded', async () => {
    const { found, keep } = lookFor([next, { ...SESSION, runId: 'r-0', taskQueue: 'p' }]);
    expect(await found).toEqual(next);
    expect(keep).toHaveBeenCalledWith('r-0');
  });

  test('if the first one is known to have been one, even if it is forgotten', async () => {
    const { found, keep } = lookFor([next], ['r-0']);
    expect(await found).toEqual(next);
    expect(keep).not.toHaveBeenCalled();
  });

  test.each(FOREIGN)('but not if that was a run %s', async (_, of) => {
    const { found, keep } = lookFor([next, { ...SESSION, runId: 'r-0', ...of }]);
    expect(await found).toBeUndefined();
    expect(keep).not.toHaveBeenCalled();
  });

  test('but not if the first one is forgotten', async () => {
    expect(await lookFor([next]).found).toBeUndefined();
  });
});

describe('an activity of a session is', () => {
  const admitted = (
    of: { session?: string; queue?: string; run?: object | null } = {},
    type: string = WORKFLOWS.session,
  ) => {
    const { project, dependencies, environment } = sessionWorld({}, {}, { type });
    const { info } = environment().context;
    const activityInfo = {
      workflowExecution: of.run === null ? undefined : { ...info.workflowExecution, ...of.run },
      taskQueue: of.queue ?? info.taskQueue,
    } as typeof info;
    const surroundings = { session_id: of.session ?? 's-1', scope: 'a', environment: 'dev', user: USER };
    return admitSession(surroundings, activityInfo, { plans: dependencies.plans, project });
  };

  test('admitted under its id', async () => {
    await expect(admitted()).resolves.toBeUndefined();
  });

  test.each<[string, Parameters<typeof admitted>]>([
    ['under the id of another session', [{ session: 's-2' }]],
    ['over the queue of another environment', [{ queue: 'acme-prod-local' }]],
    ['without a workflow', [{ run: null }]],
    ['of a workflow of another type', [{}, 'mine']],
  ])('refused %s', async (_, args) => {
    await expect(admitted(...args)).rejects.toMatchObject({ code: 'seal.invalid' });
  });
});
