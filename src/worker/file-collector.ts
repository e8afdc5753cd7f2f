import type { Client } from '@temporalio/client';
import { keepTime } from '../activities/project-definitions.js';
import { reasonOf } from '../contracts/problem.js';
import { projectOf } from '../rules/tasks/task-refusals.js';
import { type Collected, collectFiles, type TaskEnd } from '../server/store/collect-files.js';
import { FileHolds } from '../server/store/file-holds.js';
import type { Store } from '../server/store/store.js';
import { log } from './logger.js';
import { unlessNotFound } from './not-found.js';

const DAY_MS = 24 * 60 * 60_000;
/** A runtime that lives only for one command has no time to collect. */
const FIRST_MS = 30_000;
/** Hourly, since a worker may have been off when the daily collection was due. */
const LOOK_MS = 60 * 60_000;

export interface CollectorDependencies {
  project: string;
  /** Its policy is read at each collection. */
  root: string;
  store: Store;
  client: Client;
}

/** Removes unneeded files once a day per project; the first of its workers does it. */
export class FileCollector {
  private readonly holds: FileHolds;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly dependencies: CollectorDependencies) {
    this.holds = new FileHolds(dependencies.store, dependencies.project);
  }

  start(): void {
    this.later(FIRST_MS);
  }

  /** Stops after the current collection. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Collects if the last successful collection is a day old. @returns undefined if not due. */
  async collectIfDue(now = new Date()): Promise<Collected | undefined> {
    const { store, project } = this.dependencies;
    const name = `collections/${project}`;
    const last = Number(new TextDecoder().decode(await store.getNamed(name)) || 0);
    if (now.getTime() - last < DAY_MS) return undefined;
    await store.putNamed(name, new TextEncoder().encode(String(now.getTime())));
    try {
      return await this.collect(now);
    } catch (error) {
      // The day was noted first, so that only one worker collects; a failed collection does not count.
      await store.putNamed(name, new TextEncoder().encode(String(last)));
      throw error;
    }
  }

  async collect(now = new Date()): Promise<Collected> {
    const { store, root } = this.dependencies;
    const endOf = (task: string): Promise<TaskEnd> => this.endOf(task);
    return collectFiles({ holds: this.holds, store, endOf, keepMs: keepTime(root), now });
  }

  private later(ms: number): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.running = this.look().finally(() => this.later(LOOK_MS));
    }, ms);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    try {
      const collected = await this.collectIfDue();
      if (collected && collected.files > 0) log.info({ ...collected }, 'removed files that no task needs any more');
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ reason }, 'files that no task needs any more could not be removed; it is tried again');
    }
  }

  private async endOf(task: string): Promise<TaskEnd> {
    const { client, project } = this.dependencies;
    const description = await unlessNotFound(() => client.workflow.getHandle(task).describe());
    // Another project may have a task with the same key.
    if (!description || projectOf(description) !== project) return 'unknown';
    return description.closeTime ?? 'open';
  }
}
