import {
  type Client,
  type ScheduleDescription,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import { targetsIn } from '../activities/project-definitions.js';
import { scheduleIdOf, WORKFLOWS } from '../contracts/names.js';
import type { Notice, NoticeRequest } from '../contracts/notices.js';
import { reasonOf } from '../contracts/problem.js';
import type { ScheduleMemo } from '../contracts/schedules.js';
import type { TaskMemo } from '../contracts/task.js';
import type { Registry } from '../definitions/registry.js';
import { type KnownMisses, keepMisses, readMisses } from '../server/store/known-misses.js';
import type { Store } from '../server/store/store.js';
import { log } from './logger.js';

/** Until the first look: a server that was down needs a moment to count what it missed. */
const FIRST_MS = 5000;
const LOOK_MS = 20_000;

interface WatchDependencies {
  project: string;
  store: Store;
  client: Client;
  lastDefinitions: () => Registry | undefined;
}

/**
 * Reports the firings that Temporal has missed, for which there is no task, and begins those ahead whose approvals are
 * asked before. Several workers do each once.
 */
export class MissedFirings {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isClosed = false;
  /** When the next firing is to be begun ahead, if that is before the next look. Milliseconds since 1970. */
  private next = Number.POSITIVE_INFINITY;

  constructor(private readonly dependencies: WatchDependencies) {}

  start(afterMs = FIRST_MS): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        // The server may be down; then it is the next look that counts.
        .catch((error: unknown) => log.debug({ reason: reasonOf(error) }, 'the schedules could not be read'))
        .finally(() => this.start(Math.max(0, Math.min(LOOK_MS, this.next - Date.now()))));
    }, afterMs).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  async look(): Promise<void> {
    const { client, project } = this.dependencies;
    const prefix = scheduleIdOf(project, '');
    this.next = Number.POSITIVE_INFINITY;
    for await (const { scheduleId } of client.schedule.list()) {
      if (this.isClosed) return;
      if (scheduleId.startsWith(prefix)) await this.lookAt(scheduleId, scheduleId.slice(prefix.length));
    }
  }

  private async lookAt(scheduleId: string, schedule: string): Promise<void> {
    const { client, store, project } = this.dependencies;
    const found = await describe(client, scheduleId);
    if (!found?.action.memo?.schedule) return;
    this.next = Math.min(this.next, await beginAhead(client, found, found.action.memo.schedule as ScheduleMemo));
    const missed = found.info.numActionsMissedCatchupWindow;
    if (missed === 0) return;
    const created_at = found.info.createdAt.toISOString();
    const before = await readMisses(store, project, schedule, created_at);
    if (missed <= (before?.missed ?? 0)) return;
    const { environment } = found.action.memo as unknown as TaskMemo;
    const at = new Date().toISOString();
    log.warn({ schedule, environment, missed }, 'firings of a schedule were missed');
    const place = { project, task_key: null, ability: found.action.workflowType, environment, schedule };
    const id = `${scheduleId}:${created_at}:schedule.missed:${missed}`;
    await this.notify({ id, event: 'schedule.missed', at, ...place, status: 'missed', missed }, found.action.taskQueue);
    const known: KnownMisses = { created_at, missed, at };
    await keepMisses(store, project, schedule, known);
  }

  private async notify(notice: Notice, taskQueue: string): Promise<void> {
    const { client, lastDefinitions } = this.dependencies;
    const registry = lastDefinitions();
    const targets = registry ? targetsIn(registry, notice.environment, notice.event) : [];
    if (targets.length === 0) return;
    const request: NoticeRequest = { notice, targets, unplanned: true };
    const options = { workflowId: `notify:${notice.id}`, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
    await client.workflow
      .start(WORKFLOWS.notify, { ...options, taskQueue, args: [request] })
      .catch((error: unknown) => {
        // Another worker was faster.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
  }
}

/**
 * Has Temporal begin the task of the next firing, if its approvals are asked ahead and it is time: under the key of that
 * firing, so that Temporal starts none itself. With `overlap: skip` it begins once no other task of the schedule is open.
 * @returns when it is time. Milliseconds since 1970; Infinity: another look finds out.
 */
async function beginAhead(
  client: Client,
  { scheduleId, info, state, policies }: ScheduleDescription,
  { approve_before_ms }: ScheduleMemo,
): Promise<number> {
  const [next] = info.nextActionTimes;
  const never = Number.POSITIVE_INFINITY;
  if (approve_before_ms === undefined || next === undefined || state.paused) return never;
  const at = next.getTime() - approve_before_ms;
  if (at > Date.now()) return at;
  if (info.runningActions.length > 0) return never;
  if (info.recentActions.some(({ scheduledAt }) => scheduledAt.getTime() === next.getTime())) return never;
  const { overlap } = policies;
  await client.schedule.getHandle(scheduleId).backfill({ start: new Date(next.getTime() - 1000), end: next, overlap });
  log.info({ schedule: scheduleId, due: next.toISOString() }, 'began a firing ahead, to ask for its approvals');
  return never;
}

/** As `ActivityDependencies.whyNoFiring`: another definition, even if it is the same again, was not approved. */
export async function whyNoFiring(client: Client, scheduleId: string, since: string): Promise<string | null> {
  const found = await describe(client, scheduleId);
  if (!found) return 'its schedule was deleted';
  const { createdAt, lastUpdatedAt = createdAt } = found.info;
  if (Math.max(createdAt.getTime(), lastUpdatedAt.getTime()) > Date.parse(since)) {
    return 'its schedule was changed after people were asked';
  }
  return found.state.paused ? 'its schedule is paused' : null;
}

/** How many firings a schedule has missed since it was created; 0: there is no such schedule. */
export async function countMissed(client: Client, scheduleId: string): Promise<number> {
  return (await describe(client, scheduleId))?.info.numActionsMissedCatchupWindow ?? 0;
}

async function describe(client: Client, scheduleId: string) {
  try {
    return await client.schedule.getHandle(scheduleId).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}
