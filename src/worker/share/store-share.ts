import { randomBytes } from 'node:crypto';
import { endsLater } from '../../activities/record/complete-record.js';
import { jsonOf, type SharedLog, type TaskShare } from '../../activities/record/record-folder.js';
import { renderRecord } from '../../activities/record/render-record.js';
import { reasonOf } from '../../contracts/problem.js';
import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { endsWithin } from '../../rules/any-abort-signal.js';
import { sharedLog, sharedRecord, sharedTask, type TaskPlace } from '../../rules/tasks/task-ids.js';
import { readSharedRecord } from '../../server/store/read-shared-record.js';
import type { Store } from '../../server/store/store.js';
import { log } from '../logger.js';

/** A task waits no longer than this for a store; pending writes continue. */
const PATIENCE_MS = 2000;
/** After a timeout or failure, tasks do not wait for the store this long. */
const HURRY_MS = 10_000;

/** Shares records and logs with readers on other machines. */
export class StoreShare implements TaskShare {
  private readonly writes: StoreWrites;
  /** Until then tasks do not wait, since the store is slow or down; by `performance.now()`. */
  private hurriedUntil = Number.NEGATIVE_INFINITY;

  /** @param origin of the logs: see `SharedLogName`. */
  constructor(
    private readonly store: Store,
    private readonly project: string,
    private readonly origin: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.writes = new StoreWrites(store);
  }

  get missing(): number {
    return this.writes.missing;
  }

  planned(record: TaskRecord): void {
    const place = this.placeOf(record.task_key);
    this.writes.put(sharedRecord(place, RECORD_FILES.text), Buffer.from(renderRecord(record)));
    this.writes.put(sharedRecord(place, RECORD_FILES.json), Buffer.from(jsonOf(record)));
  }

  async ended(record: TaskRecord): Promise<void> {
    const shared = this.finish(record);
    if (performance.now() < this.hurriedUntil) return;
    const missed = this.missing;
    const isInTime = await this.waiting(shared);
    if (!isInTime || this.missing > missed) this.hurriedUntil = performance.now() + HURRY_MS;
  }

  logOf(task: string, step: string): SharedLog {
    let name: string | undefined;
    return new GrowingLog((bytes) => {
      name ??= sharedLog(this.placeOf(task), { step, origin: this.origin }, new Date(), randomBytes(4).toString('hex'));
      this.writes.put(name, bytes);
    });
  }

  async read(task: string): Promise<TaskRecord | undefined> {
    try {
      return await readSharedRecord(this.store, this.placeOf(task));
    } catch (error) {
      log.warn(
        { task, reason: String(error) },
        `whether ${this.store.where} has a record of ${task} could not be seen`,
      );
      return undefined;
    }
  }

  async remove(task: string): Promise<boolean> {
    const all = sharedTask(this.placeOf(task));
    await this.waiting(this.writes.settled(all));
    const isThere = (await this.store.getNamed(sharedRecord(this.placeOf(task), RECORD_FILES.json))) !== undefined;
    await this.store.removeNamed(all);
    return isThere;
  }

  /** Waits a moment for pending writes. */
  async close(): Promise<void> {
    await this.waiting(this.writes.settled(''));
  }

  /** Writes the record last: who sees an ended task's record then finds its logs. */
  private async finish(record: TaskRecord): Promise<void> {
    const known = await this.read(record.task_key);
    // A slow worker must not overwrite a later result.
    if (known && known.request.input === record.request.input && endsLater(known.result, record.result)) return;
    const all = sharedTask(this.placeOf(record.task_key));
    await this.writes.settled(all);
    this.planned(record);
    await this.writes.settled(all);
  }

  private placeOf(task: string): TaskPlace {
    return { project: this.project, task };
  }

  /** @returns whether a promise was kept in time. */
  private waiting(promise: Promise<void>): Promise<boolean> {
    return endsWithin(this.patienceMs, promise);
  }
}

/** Delay of a write while the log is small, and beyond that: each write contains the whole log. */
const SMALL_MS = 2000;
const LARGE_MS = 10_000;
const SMALL_BYTES = 64 * 1024;

/** Writes the whole log each time it has grown. */
export class GrowingLog implements SharedLog {
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  private written = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param write the log so far. */
  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  append(text: string): void {
    const part = Buffer.from(text);
    this.parts.push(part);
    this.bytes += part.length;
    this.timer ??= setTimeout(() => this.end(), this.bytes > SMALL_BYTES ? LARGE_MS : SMALL_MS).unref();
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.bytes === this.written) return;
    this.written = this.bytes;
    this.write(Buffer.concat(this.parts));
  }
}

/** Maximum size of pending writes; further ones are dropped, since the store is too slow. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Pause after a failure, so that an unavailable store costs nothing. */
const PAUSE_MS = 10_000;
const AT_ONCE = 16;

/** Writes in the background: in order per name, only the last value counts. Logs and counts failures. */
export class StoreWrites {
  private readonly waiting = new Map<string, Uint8Array>();
  private readonly writing = new Map<string, Promise<void>>();
  private bytes = 0;
  private lost = 0;
  private pausedUntil = 0;

  /** @param now monotonic clock in milliseconds. */
  constructor(
    private readonly store: Pick<Store, 'putNamed' | 'where'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get missing(): number {
    return this.lost;
  }

  put(name: string, bytes: Uint8Array): void {
    this.bytes += bytes.length - (this.waiting.get(name)?.length ?? 0);
    this.waiting.delete(name);
    if (this.bytes > MAX_BYTES) {
      this.bytes -= bytes.length;
      this.lose(name, 'the store is slower than what is written to it');
      return;
    }
    this.waiting.set(name, bytes);
    this.next();
  }

  /** Waits until all earlier writes to names with this prefix are done or lost. */
  async settled(prefix: string): Promise<void> {
    const isIn = (name: string): boolean => name.startsWith(prefix);
    const left = new Set([...this.waiting.keys(), ...this.writing.keys()].filter(isIn));
    while (left.size > 0) {
      await Promise.race([...this.writing.values()]);
      for (const name of left) if (!this.waiting.has(name) && !this.writing.has(name)) left.delete(name);
    }
  }

  private next(): void {
    for (const name of this.waiting.keys()) {
      if (this.writing.size >= AT_ONCE) return;
      if (!this.writing.has(name)) this.begin(name);
    }
  }

  private begin(name: string): void {
    const bytes = this.waiting.get(name) as Uint8Array;
    this.waiting.delete(name);
    this.bytes -= bytes.length;
    const done = this.write(name, bytes).then(() => {
      this.writing.delete(name);
      this.next();
    });
    this.writing.set(name, done);
  }

  private async write(name: string, bytes: Uint8Array): Promise<void> {
    if (this.now() < this.pausedUntil) {
      // A recent failure was logged; the next log line contains the new total.
      this.lost += 1;
      return;
    }
    try {
      await this.store.putNamed(name, bytes);
    } catch (error) {
      this.pausedUntil = this.now() + PAUSE_MS;
      this.lose(name, reasonOf(error));
    }
  }

  private lose(name: string, reason: string): void {
    this.lost += 1;
    log.error({ name, reason, shared_missing: this.lost }, `${name} was not written to ${this.store.where}: ${reason}`);
  }
}
