import {
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOptions,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { TaskCaller } from '../../contracts/callers.js';
import { scheduleIdOf } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { ScheduleMemo, ScheduleSpec } from '../../contracts/schedules.js';
import { digestOf } from '../../rules/canonical.js';
import { firingIdOf } from '../../rules/tasks/task-ids.js';
import { sleep } from '../../server/start-timer.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import { defined } from '../../text/defined.js';
import type { Connection } from '../connection/connect.js';
import { withServer } from '../connection/keep-runtime.js';
import { invalidArgumentOf } from '../connection/temporal-errors.js';
import { startRequest } from '../start/start-request.js';
import { checkSpec } from './check-spec.js';
import { type FiredTask, isOurs, type LastFiring, lastOf, readFirings, specOf } from './read-firings.js';
import { temporalTimes } from './temporal-times.js';

const PROJECT = defineSearchAttributeKey('AbilityProject', SearchAttributeType.KEYWORD);

const LISTED_MS = 2000;
const LOOK_MS = 50;

/** A schedule as Temporal has it. Times are ISO 8601. */
export interface SeenSchedule {
  spec: ScheduleSpec;
  /** The definition that contains it; null: created by hand. */
  stated_in: string | null;
  paused: boolean;
  note: string | null;
  created_at: string;
  /** The next firings, at most ten. */
  next: string[];
  /** `missed`: the time for catching up passed; `skipped`: an earlier task was still open, with `approve_before` at least so often. */
  counts: { fired: number; missed: number; skipped: number };
  /** What became of its last firing: the newest task, or a firing that was missed later; null: none was due. */
  last: LastFiring | null;
}

/** A schedule with its last firings, the newest first. */
export interface ShownSchedule extends SeenSchedule {
  firings: FiredTask[];
}

/** Accepts an equal one. @throws AbilityError `schedule.exists`, `usage.invalid`, `placement.no_worker`. */
export async function createSchedule(
  connection: Connection,
  spec: ScheduleSpec,
  statedIn?: string,
): Promise<{ created: boolean }> {
  checkSpec(spec);
  return withServer(connection, async () => {
    try {
      const definition = await definitionOf(connection, spec, statedIn);
      await refusingTimes(() =>
        connection.temporal.schedule.create({
          scheduleId: scheduleIdOf(connection.project, spec.id),
          ...definition,
          typedSearchAttributes: [{ key: PROJECT, value: connection.project }],
        }),
      );
      return { created: true };
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const found = await describe(connection, spec.id);
      const known = specOf(found, spec.id);
      if (digestOf(known) === digestOf({ spec, stated_in: statedIn ?? null })) return { created: false };
      throw scheduleExists(spec.id);
    }
  });
}

/** A paused schedule stays paused. @throws AbilityError as {@link createSchedule}. */
export async function changeSchedule(connection: Connection, spec: ScheduleSpec, statedIn?: string): Promise<void> {
  checkSpec(spec);
  await withServer(connection, async () => {
    const definition = await definitionOf(connection, spec, statedIn);
    await refusingTimes(() =>
      onHandle(connection, spec.id, (handle) => handle.update(({ state }) => ({ ...definition, state }))),
    );
  });
}

/** All schedules of a project, sorted by name. */
export function listSchedules(connection: Connection): Promise<SeenSchedule[]> {
  return findSchedules(connection, []);
}

/** As {@link listSchedules}. @param names of schedules that are found even if the server does not list them yet. */
export function findSchedules(connection: Connection, names: readonly string[]): Promise<SeenSchedule[]> {
  return withServer(connection, async () => {
    const all = new Set(names);
    for await (const name of listedNames(connection)) all.add(name);
    const seen: SeenSchedule[] = [];
    for (const name of [...all].sort()) {
      // It may have been deleted meanwhile.
      const found = await describe(connection, name).catch((error: unknown) => {
        if (!(error instanceof AbilityError && error.code === 'schedule.not_found')) throw error;
      });
      if (found) seen.push(await seenOf(connection, found, name));
    }
    return seen;
  });
}

async function* listedNames({ temporal, project }: Connection): AsyncGenerator<string> {
  const prefix = scheduleIdOf(project, '');
  for await (const { scheduleId } of temporal.schedule.list()) {
    if (scheduleId.startsWith(prefix)) yield scheduleId.slice(prefix.length);
  }
}

/** The server lists a new schedule with a delay. Gives up without an error after two seconds, or if the server fails. */
export async function untilListed(connection: Connection, id: string): Promise<void> {
  const deadline = performance.now() + LISTED_MS;
  try {
    while (performance.now() < deadline) {
      for await (const name of listedNames(connection)) if (name === id) return;
      await sleep(LOOK_MS);
    }
  } catch (error) {
    if (!grpcErrorOf(error)) throw error;
  }
}

/** One schedule, with the outcomes of its last firings. @throws AbilityError `schedule.not_found`. */
export async function showSchedule(connection: Connection, id: string): Promise<ShownSchedule> {
  return withServer(connection, async () => {
    const found = await describe(connection, id);
    const firings = await readFirings(connection, found);
    return { ...(await seenOf(connection, found, id, firings)), firings };
  });
}

/** The ability that it starts, and where. @throws AbilityError `schedule.not_found`. */
export function placeOfSchedule(connection: Connection, id: string): Promise<{ ability: string; environment: string }> {
  return withServer(connection, async () => specOf(await describe(connection, id), id).spec);
}

/** Pauses it until it is resumed; tasks that it has started continue. @throws AbilityError `schedule.not_found`. */
export function pauseSchedule(connection: Connection, id: string, note: string): Promise<void> {
  return withServer(connection, () => onHandle(connection, id, (handle) => handle.pause(note)));
}

/** @throws AbilityError `schedule.not_found`. */
export function resumeSchedule(connection: Connection, id: string, note: string): Promise<void> {
  return withServer(connection, () => onHandle(connection, id, (handle) => handle.unpause(note)));
}

/** Fires it now, even where it is paused or a task of it runs. @throws AbilityError `schedule.not_found`. */
export function fireSchedule(connection: Connection, id: string): Promise<void> {
  return withServer(connection, () => onHandle(connection, id, (handle) => handle.trigger(overlapping('allow_all'))));
}

/** Backfills the firings between two moments, one after the other. @throws AbilityError `schedule.not_found`. */
export function backfillSchedule(connection: Connection, id: string, start: Date, end: Date): Promise<void> {
  return withServer(connection, () =>
    onHandle(connection, id, (handle) => handle.backfill({ start, end, overlap: overlapping('buffer_all') })),
  );
}

/** Deletes it; tasks that it has started continue. @throws AbilityError `schedule.not_found`. */
export function deleteSchedule(connection: Connection, id: string): Promise<void> {
  return withServer(connection, () => onHandle(connection, id, (handle) => handle.delete()));
}

/** Reports times that the server or the SDK rejects. @throws AbilityError `usage.invalid`. */
async function refusingTimes<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const invalid = error instanceof TypeError ? error.message : invalidArgumentOf(error);
    if (invalid === undefined) throw error;
    const message = `Temporal refuses the times of the schedule: ${invalid}`;
    const suggestion = 'Correct --jitter or --catch-up, or the time zone if this server does not know it.';
    throw usageError(message, suggestion, error);
  }
}

async function onHandle<T>(
  connection: Connection,
  id: string,
  use: (handle: ScheduleHandle) => Promise<T>,
): Promise<T> {
  try {
    return await use(connection.temporal.schedule.getHandle(scheduleIdOf(connection.project, id)));
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) throw scheduleNotFound(connection, id, error);
    throw error;
  }
}

/** Ignores schedules of the same id that start other workflows: they are not ours. */
async function describe(connection: Connection, id: string): Promise<ScheduleDescription> {
  const found = await onHandle(connection, id, (handle) => handle.describe());
  if (!isOurs(found)) throw scheduleNotFound(connection, id);
  return found;
}

type Definition = Pick<ScheduleOptions, 'action' | 'policies' | 'spec'>;

/** The action is the ability itself, so that Temporal's own overlap, backfill and pause act on tasks. */
async function definitionOf(
  connection: Connection,
  spec: ScheduleSpec,
  statedIn: string | undefined,
): Promise<Definition> {
  const { id, ability, environment, input, approve_before_ms, intent = null } = spec;
  const { cron, timezone, overlap, jitter_ms, catch_up_ms } = spec;
  const person = { name: `schedule:${id}`, source: 'claimed' } as const;
  const caller: TaskCaller = { person, kind: 'ci', session: null, scope: null, trace: null, intent };
  const wanted = { ability, environment, input, caller, run: true, leaves: true };
  const { args, options } = await startRequest(connection, wanted);
  // Later definitions may differ from those here, and no one would read a warning of that.
  const { definitions: _, ...claims } = args[1] ?? {};
  const schedule: ScheduleMemo = {
    ...{ cron, timezone, overlap, jitter_ms, catch_up_ms },
    ...defined({ approve_before_ms }),
    ...(statedIn !== undefined && { stated_in: statedIn }),
  };
  return {
    spec: { ...temporalTimes(checkSpec(spec), timezone), timezone, jitter: jitter_ms },
    action: {
      type: 'startWorkflow',
      workflowType: ability,
      workflowId: firingIdOf(connection.project, id),
      args: [input, claims],
      ...options,
      memo: { ...options.memo, schedule },
      staticSummary: `${ability} in ${environment}, by schedule ${id}`,
    },
    policies: { overlap: overlapping(overlap), catchupWindow: catch_up_ms },
  };
}

function overlapping(overlap: ScheduleSpec['overlap']): ScheduleOverlapPolicy {
  return overlap.toUpperCase() as ScheduleOverlapPolicy;
}

async function seenOf(
  connection: Connection,
  description: ScheduleDescription,
  id: string,
  firings?: readonly FiredTask[],
): Promise<SeenSchedule> {
  const { info, state } = description;
  const specified = specOf(description, id);
  const { spec } = specified;
  const fired = firings ?? (await readFirings(connection, description, 1));
  // Temporal leaves out its own start of a firing whose task was begun ahead.
  const ahead = spec.approve_before_ms === undefined ? 0 : info.numActionsTaken;
  return {
    ...specified,
    paused: state.paused,
    note: state.note || null,
    created_at: info.createdAt.toISOString(),
    next: state.paused ? [] : info.nextActionTimes.map((time) => time.toISOString()),
    counts: {
      fired: info.numActionsTaken,
      missed: info.numActionsMissedCatchupWindow,
      skipped: Math.max(0, info.numActionsSkippedOverlap - ahead),
    },
    last: await lastOf(connection, description, spec, fired),
  };
}

function scheduleExists(id: string): AbilityError {
  return new AbilityError({
    code: 'schedule.exists',
    message: `The schedule ${id} exists with other settings`,
    suggestion: `Look at it with \`ability schedule show ${id}\`; choose another name, or delete it first.`,
  });
}

export function scheduleNotFound({ project, address }: Connection, id: string, cause?: unknown): AbilityError {
  const message = `${project} has no schedule ${id} on Temporal at ${address}`;
  const suggestion = 'Run `ability schedule list`.';
  return new AbilityError({ code: 'schedule.not_found', message, suggestion }, { cause });
}
