import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from './store.js';

/** Older intents are ignored, so that a killed process does not block others for long. */
const INTENT_MS = 120_000;
/** A remover gives up if it has not removed the file this long after its intent. */
const REMOVAL_MS = 30_000;
const LOOK_MS = 100;

const BY_TASK = 'file-holds/by-task/';
const BY_FILE = 'file-holds/by-file/';
const LEAVING = 'file-holds/leaving/';
const NOTHING = new Uint8Array();

/** A task that holds files, and since when it holds the last of them. */
export interface HoldingTask {
  task: string;
  digests: string[];
  since: Date;
}

/**
 * Which tasks hold which files of a store; a held file is kept. A remover announces the removal and then looks for
 * holds; a holder writes its hold and then looks for a removal: in any order, one sees the other. Two objects per
 * hold: one by file, which counts, and one by task, written before it and removed after it. Source:
 * docs/decisions/0013-files-between-steps.md.
 */
export class FileHolds {
  /** @param project of these tasks; a store may serve several. */
  constructor(
    private readonly store: Store,
    private readonly project: string,
  ) {}

  /** @returns its size in bytes; undefined if missing. @throws AbilityError `store.full`, `store.not_shared`. */
  async hold(task: string, digest: string): Promise<number | undefined> {
    await this.store.putNamed(this.ofTask(task) + digest, NOTHING);
    await this.store.putNamed(this.ofFile(digest) + this.ownerOf(task), NOTHING);
    await this.untilNotRemoved(digest);
    return this.store.sizeOfFile(digest);
  }

  async heldBy(task: string): Promise<string[]> {
    return (await this.store.listNamed(this.ofTask(task))).map(({ name }) => name.slice(name.lastIndexOf('/') + 1));
  }

  /** Releases one file, and removes it if no other task holds it. @returns whether it was removed. */
  async letGo(task: string, digest: string): Promise<boolean> {
    await this.store.removeNamed(this.ofFile(digest) + this.ownerOf(task));
    const isRemoved = await this.removeUnheld(digest);
    await this.store.removeNamed(this.ofTask(task) + digest);
    return isRemoved;
  }

  /** Releases all files of a task, and removes those that no other task holds. @returns the number of removed files. */
  async release(task: string): Promise<number> {
    let removed = 0;
    for (const digest of await this.heldBy(task)) if (await this.letGo(task, digest)) removed += 1;
    return removed;
  }

  async holdingTasks(): Promise<HoldingTask[]> {
    const prefix = `${BY_TASK}${this.project}/`;
    const tasks = new Map<string, HoldingTask>();
    for (const { name, modified } of await this.store.listNamed(prefix)) {
      const [part = '', digest = ''] = name.slice(prefix.length).split('/');
      const task = decodeURIComponent(part);
      const known = tasks.get(task) ?? { task, digests: [], since: modified };
      known.digests.push(digest);
      if (modified > known.since) known.since = modified;
      tasks.set(task, known);
    }
    return [...tasks.values()];
  }

  /** Removes a file unless a task of any project holds it. @returns whether it was removed. */
  async removeUnheld(digest: string): Promise<boolean> {
    if (await this.isHeld(digest)) return false;
    const intent = `${LEAVING}${digest}/${randomUUID()}`;
    const begun = Date.now();
    await this.store.putNamed(intent, NOTHING);
    try {
      if ((await this.isHeld(digest)) || Date.now() - begun > REMOVAL_MS) return false;
      await this.store.removeFile(digest);
      return true;
    } finally {
      await this.store.removeNamed(intent);
    }
  }

  private async isHeld(digest: string): Promise<boolean> {
    return (await this.store.listNamed(this.ofFile(digest))).length > 0;
  }

  private async untilNotRemoved(digest: string): Promise<void> {
    for (;;) {
      const intents = await this.store.listNamed(`${LEAVING}${digest}/`);
      if (!intents.some(({ modified }) => Date.now() - modified.getTime() < INTENT_MS)) return;
      await sleep(LOOK_MS);
    }
  }

  private ofTask(task: string): string {
    return `${BY_TASK}${this.project}/${encodeURIComponent(task)}/`;
  }

  private ofFile(digest: string): string {
    return `${BY_FILE}${digest}/`;
  }

  private ownerOf(task: string): string {
    return `${this.project}/${encodeURIComponent(task)}`;
  }
}
