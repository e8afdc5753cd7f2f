import type { Client } from '@temporalio/client';
import { keepTime } from '../activities/project-definitions.js';
import { reasonOf } from '../contracts/problem.js';
import { projectOf } from '../rules/tasks/other-project.js';
import { type Collected, collectFiles, type TaskEnd } from '../server/store/collect-files.js';
import { FileHolds } from '../server/store/file-holds.js';
import type { Store } from '../server/store/store.js';
import { log } from './logger.js';
import { unlessNotFound } from './not-found.js';

const DAY_MS = 24 * 60 * 60_000;
/** A runtime that lives as long as one command has no time for it. */
const FIRST_MS = 30_000;
/** More often than daily, since a worker may have been off when a day was over. */
const LOOK_MS = 60 * 60_000;

/** Dependencies of a worker's file collector. */
export interface CollectorDependencies {
  project: string;
  /** Root of the project, whose policy is read each time. */
  root: string;
  store: Store;
  client: Client;
}

/** Removes files that no task needs any more, once a day for a project, whichever of its workers comes first. */
export class FileCollector {
  private readonly holds: FileHolds;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly dependencies: CollectorDependencies) {
    this.holds = new FileHolds(dependencies.store, dependencies.project);
  }

  /** Looks from now on whether it is time. */
  start(): void {
    this.later(FIRST_MS);
  }

  /** Stops it after its current work. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Collects where the last collection that ended well began a day ago. @returns undefined where it did not. */
  async collectIfDue(now = new Date()): Promise<Collected | undefined> {
    const { store, project } = this.dependencies;
    const name = `collections/${project}`;
    const last = Number(new TextDecoder().decode(await store.getNamed(name)) || 0);
    if (now.getTime() - last < DAY_MS) return undefined;
    await store.putNamed(name, new TextEncoder().encode(String(now.getTime())));
    try {
      return await this.collect(now);
    } catch (error) {
      // The day is noted first, so that one worker of several collects; a collection that failed does not count.
      await store.putNamed(name, new TextEncoder().encode(String(last)));
      throw error;
    }
  }

  /** Collects now. */
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
    // A key of another project says nothing of a task of this one.
    if (!description || projectOf(description) !== project) return 'unknown';
    return description.closeTime ?? 'open';
  }
}
