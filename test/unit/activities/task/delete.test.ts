import { afterEach, describe, expect, test, vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import type { Execution } from '../../../../src/activities/dependencies.js';
import { createEndTask, createErase, createPurge } from '../../../../src/activities/task/delete.js';
import type { RunStart } from '../../../../src/activities/task/runs.js';
import type { DeleteRequest, TaskToDelete, Tombstone } from '../../../../src/contracts/deletion.js';
import { ACTIVITY_LIMITS, deleteIdOf, PLACEMENTS, WORKFLOWS } from '../../../../src/contracts/names.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { type ActivityInfo, activityEnvironment, KEYS, USER } from '../admitted-task.js';

type Dependencies = Parameters<typeof createEndTask>[0];

afterEach(() => {
  vi.useRealTimers();
});

const RUN = { workflowId: deleteIdOf('k'), runId: 'r-1' };
const REQUEST = { key: 'k', by: USER, purge: true };
const MEMO = { ability: 'signup', environment: 'dev' };
const TOMBSTONE: Tombstone = {
  format: 1,
  task_key: 'k',
  ability_id: 'buried',
  environment: 'past',
  input: 'b',
  deleted_at: '2030-01-01T00:00:00.000Z',
  deleted_by: USER,
  purged: false,
};

/** What is known of the task `k`, and which run requests its deletion. */
interface World {
  /** What Temporal returns for it at each look-up; the last one repeats. */
  executions?: (Partial<Execution> | undefined)[];
  record?: object;
  tombstone?: Tombstone;
  wasHere?: boolean;
  wasShared?: boolean;
  /** The run that requests the deletion. */
  start?: Partial<RunStart> | null;
  info?: ActivityInfo;
  more?: Partial<Dependencies['executions']>;
  release?: () => Promise<number>;
}

function world({ executions = [], start = {}, info, more, ...known }: World = {}) {
  const looks = executions.map(
    (execution) => execution && { isOpen: false, memo: MEMO as never, project: 'acme', ...execution },
  );
  let look = 0;
  const find = vi.fn(async () => looks[Math.min(look++, looks.length - 1)]);
  const cancel = vi.fn(async () => {});
  const remove = vi.fn(async (_: string, onProgress: () => void) => onProgress());
  const release = vi.fn(known.release ?? (async () => 0));
  const bury = vi.fn(() => known.wasHere ?? false);
  const begun = start && { ...RUN, type: WORKFLOWS.delete, taskQueue: 'q', ...start };
  const chains = { has: async () => false, keep: async () => {} };
  const dependencies: Dependencies = {
    project: 'acme',
    host: 'here',
    plans: new Admission(
      'acme',
      KEYS,
      async () => begun ?? undefined,
      chains,
      () => PLACEMENTS,
    ),
    records: {
      readTombstone: () => known.tombstone,
      find: async () => known.record && { request: known.record },
      bury,
      unshare: async () => known.wasShared ?? false,
    } as never,
    files: { store: { release }, folders: {} } as never,
    executions: { find, cancel, remove, removeRefused: async () => {}, ...more },
  };
  const environment = activityEnvironment({
    workflowType: WORKFLOWS.delete,
    workflowExecution: RUN,
    taskQueue: 'q',
    ...info,
  });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  return {
    ...{ environment, beats, find, cancel, remove, release, bury },
    endTask: (): Promise<TaskToDelete> => environment.run(createEndTask(dependencies), REQUEST),
    erase: (): Promise<unknown> => environment.run(createErase(dependencies), TOMBSTONE),
    purge: (request: DeleteRequest = REQUEST): Promise<void> => environment.run(createPurge(dependencies), request),
  };
}

describe('an activity of a deletion is refused', () => {
  test.each<[string, World]>([
    ['to a workflow of another type', { info: { workflowType: 'mine' } }],
    [
      'to the deletion of another task',
      { info: { workflowExecution: { workflowId: deleteIdOf('other'), runId: 'r-1' } } },
    ],
    ['to a run that was started on another queue', { start: { taskQueue: 'own' } }],
    ['to a run that was started eagerly', { start: { eager: true } }],
    ['to a run that Temporal does not know', { start: null }],
  ])('%s', async (_, how) => {
    const { endTask, find } = world({ executions: [{}], ...how });
    await expect(endTask()).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
    expect(find).not.toHaveBeenCalled();
  });

  test('for a key that is a path', async () => {
    const workflowId = deleteIdOf('../up');
    const { bury, erase } = world({ info: { workflowExecution: { workflowId, runId: 'r-1' } } });
    await expect(erase()).rejects.toMatchObject({ type: 'seal.invalid' });
    expect(bury).not.toHaveBeenCalled();
  });
});

describe('the task to delete', () => {
  const record = { ability: 'recorded', environment: 'old', input: 'r' };
  const asTask = ({ ability, environment }: typeof MEMO, input: string | null) => ({
    ability_id: ability,
    environment,
    input,
  });
  const asDeleted = { ability_id: 'buried', environment: 'past', input: 'b' };

  test.each<[string, World, object]>([
    ['is that of Temporal, which has no digest of its input', { executions: [{}] }, asTask(MEMO, null)],
    ['is that of Temporal with the input of its record', { executions: [{}], record }, asTask(MEMO, 'r')],
    ['is that of its record', { record }, asTask(record, 'r')],
    [
      'is that of its record, whatever was deleted earlier',
      { record, tombstone: TOMBSTONE },
      { ...asTask(record, 'r'), deleted: TOMBSTONE },
    ],
    ['is one that was deleted before', { tombstone: TOMBSTONE }, { ...asDeleted, deleted: TOMBSTONE }],
    [
      'may have been deleted where Temporal has it',
      { executions: [{}], tombstone: TOMBSTONE },
      { ...asTask(MEMO, 'b'), deleted: TOMBSTONE },
    ],
    [
      'may have no known input',
      { tombstone: { ...TOMBSTONE, input: null } },
      { ...asDeleted, input: null, deleted: { ...TOMBSTONE, input: null } },
    ],
  ])('%s', async (_, known, expected) => {
    expect(await world(known).endTask()).toEqual(expected);
  });

  test.each<[string, string, World]>([
    ['that neither Temporal nor a record has', 'task.not_found', {}],
    ['that is a workflow and no task', 'task.not_found', { executions: [{ memo: undefined }], record }],
    ['of another project', 'task.other_project', { executions: [{ project: 'theirs' }], record }],
    ['of a project that is not known', 'task.other_project', { executions: [{ project: undefined }], record }],
  ])('is refused %s', async (_, type, known) => {
    const { endTask, cancel } = world(known);
    await expect(endTask()).rejects.toMatchObject({ type, nonRetryable: true });
    expect(cancel).not.toHaveBeenCalled();
  });

  test('is refused with the reason if the key belongs to a workflow that is not a task', async () => {
    await expect(world({ executions: [{ memo: undefined }] }).endTask()).rejects.toThrow('no task');
    await expect(world().endTask()).rejects.not.toThrow('workflow');
  });

  test('is cancelled while it is open, and awaited', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { endTask, cancel, find } = world({ executions: [{ isOpen: true }, { isOpen: true }, { isOpen: false }] });
    const ended = endTask();
    await vi.runAllTimersAsync();
    await ended;
    expect(cancel).toHaveBeenCalledWith('k');
    expect(find).toHaveBeenCalledTimes(3);
  });

  test('is not cancelled once it has ended', async () => {
    const { endTask, cancel } = world({ executions: [{}] });
    await endTask();
    expect(cancel).not.toHaveBeenCalled();
  });
});

describe('erasing a task', () => {
  test.each([
    [false, false, 'absent'],
    [true, false, 'removed'],
    [false, true, 'removed'],
  ])('leaves no record; here: %s, shared: %s, answer: %s', async (wasHere, wasShared, record) => {
    const { erase, bury, release } = world({ wasHere, wasShared });
    expect(await erase()).toEqual({ host: 'here', record });
    expect(bury).toHaveBeenCalledWith(TOMBSTONE);
    expect(release).toHaveBeenCalledWith('k');
  });

  test('is retried if its files could not be removed, even if a store refuses it', async () => {
    const refused = () => Promise.reject(new AbilityError({ code: 'store.not_shared', message: 'not now' }));
    const error: unknown = await world({ release: refused })
      .erase()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringMatching(/files of k .*not now/) });
    expect(error).not.toHaveProperty('nonRetryable', true);
  });
});

describe('purging a task', () => {
  test('removes its history, with a heartbeat for each part', async () => {
    const { purge, remove, beats } = world({ executions: [{}] });
    await purge();
    expect(remove).toHaveBeenCalledWith('k', expect.any(Function));
    expect(beats).toHaveLength(2);
  });

  test('removes only refused requests, if that is all that there is', async () => {
    const removeRefused = vi.fn(async () => {});
    const { purge, remove } = world({ executions: [{}], more: { removeRefused } });
    await purge({ ...REQUEST, refused: true });
    expect(removeRefused).toHaveBeenCalledWith('k', expect.any(Function));
    expect(remove).not.toHaveBeenCalled();
  });

  test('is refused for a task of another project', async () => {
    const { purge, remove } = world({ executions: [{ project: 'theirs' }] });
    await expect(purge()).rejects.toMatchObject({ type: 'task.other_project' });
    expect(remove).not.toHaveBeenCalled();
  });

  test('sends heartbeats while it runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const remove = async () => void vi.advanceTimersByTime(ACTIVITY_LIMITS.heartbeat);
    const { purge, beats } = world({ executions: [{}], more: { remove } });
    await purge();
    expect(beats.length).toBeGreaterThan(1);
  });

  test.each(['CANCELLED', 'TIMED_OUT', 'WORKER_SHUTDOWN'] as const)('stops if it is cancelled (%s)', async (why) => {
    let looks = 0;
    const remove = async (_: string, onProgress: () => void) => {
      for (; looks < 10; looks += 1) {
        if (looks === 1) purging.environment.cancel(why);
        await Promise.resolve();
        onProgress();
      }
    };
    const purging = world({ executions: [{}], more: { remove } });
    await expect(purging.purge()).rejects.toThrow();
    expect(looks).toBe(1);
  });

  test('is retried if Temporal fails', async () => {
    const lost = new Error('connection lost');
    const { purge } = world({ executions: [{}], more: { remove: () => Promise.reject(lost) } });
    await expect(purge()).rejects.toBe(lost);
  });
});
