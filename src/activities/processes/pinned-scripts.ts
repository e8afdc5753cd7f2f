import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { PinnedFile, Plan, PlanScript } from '../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { scriptsOf } from '../../planning/hooks/hook-parts.js';
import { digestOf } from '../../rules/canonical.js';
import { attempt } from '../../text/attempt.js';
import { CallFailure } from '../call/call-failure.js';
import { PinnedCopy } from './pinned-copy.js';

export interface ByteStore {
  put(bytes: Uint8Array): Promise<string>;
  get(digest: string): Promise<Uint8Array>;
  holds(digest: string): Promise<boolean>;
}

/** The pinned copy that runs in place of a script of the project. Absolute paths. */
export interface FoundScript {
  file: string;
  /** The copy of the project root: `{pinned}` and `ABILITY_PINNED`. */
  pinned: string;
  /** What the script reads, for a box: the copy, packages, and pinned files at their place in the project. */
  reads: { at: string; from: string }[];
  names: Record<string, string>;
}

/**
 * The scripts of plans, as they were when the plans were made. A script never runs from its place in the project,
 * where a file may change right after the check, but from a copy of its pinned files, compared right before each
 * run. A process that may write there as the worker's own user is trusted like the worker. Source:
 * docs/architecture.md#promises.
 */
export class PinnedScripts {
  /** Requested checks of copies that have not begun, by folder. */
  private readonly looks = new Map<string, Promise<void>>();

  /** @param folder for copies; inside the project, so that modules in the folders above are found. */
  constructor(
    private readonly root: string,
    private readonly folder: string,
    private readonly store: ByteStore,
  ) {}

  /** Keeps the bytes of all scripts. @returns a warning if that fails: an edit would then end the task. */
  async keep(plan: Plan): Promise<string | undefined> {
    try {
      for (const { path, digest } of uniqueFiles(scriptsOf(plan).flatMap(filesOf))) {
        if (await this.store.holds(digest)) continue;
        const bytes = this.readHere(path, digest);
        if (!bytes) throw new Error(`${path} was edited while the task was created`);
        await this.store.put(bytes);
      }
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      return `The scripts could not be stored as they are now (${reason}); do not change them until the task has ended`;
    }
  }

  /**
   * To be called right before each run. @throws CallFailure `script.changed` if edited and not in the store,
   * `script.start_failed` if its copy cannot be written.
   */
  async find(script: PlanScript): Promise<FoundScript> {
    const files = this.filesOf(script);
    for (const { live, path, digest } of files)
      if (live && !this.readHere(path, digest)) throw editedLive(script, path);
    const copy = new PinnedCopy(this.root, join(this.folder, digestOf(files)), join(this.folder, 'new'), files);
    try {
      await this.mend(copy);
    } catch (error) {
      throw error instanceof AbilityError ? notKept(script, error) : notCopied(script, error);
    }
    const file = join(copy.folder, this.within(script.path));
    const kept = [copy.folder, ...copy.packages()].map((path) => ({ at: path, from: path }));
    const live = files.filter((each) => each.live).map(({ path }) => path);
    const reads = [...kept, ...live.map((path) => ({ at: join(this.root, path), from: join(copy.folder, path) }))];
    return { file, pinned: copy.folder, reads, names: namesOf(this.root, copy.folder, files) };
  }

  /** Calls within one turn of the event loop share a check, which begins after the last request. */
  private mend(copy: PinnedCopy): Promise<void> {
    const underWay = this.looks.get(copy.folder);
    if (underWay) return underWay;
    const look = setImmediate().then(() => {
      this.looks.delete(copy.folder);
      return copy.mend((file) => this.bytesOf(file));
    });
    this.looks.set(copy.folder, look);
    return look;
  }

  /** The stored bytes, or matching bytes of the project, which are then put back into the store. */
  private async bytesOf({ path, digest }: PinnedFile): Promise<Uint8Array> {
    try {
      return await this.store.get(digest);
    } catch (error) {
      const bytes = this.readHere(path, digest);
      if (!bytes) throw error;
      await this.putBack(bytes);
      return bytes;
    }
  }

  private async putBack(bytes: Uint8Array): Promise<void> {
    try {
      await this.store.put(bytes);
    } catch {
      // The run has its files; the creator of the next task is warned.
    }
  }

  /** The project's file if its digest matches; read once, so that the checked bytes are those used. */
  private readHere(path: string, digest: string): Uint8Array | undefined {
    return attempt(() => {
      const bytes = readFileSync(resolve(this.root, path));
      return createHash('sha256').update(bytes).digest('hex') === digest ? bytes : undefined;
    });
  }

  private filesOf(script: PlanScript): PinnedFile[] {
    return filesOf(script).map((file) => ({ ...file, path: this.within(file.path) }));
  }

  /** A path without `..`, which could lead out of a copy though not out of the project. */
  private within(path: string): string {
    return relative(this.root, resolve(this.root, path)).split(sep).join('/');
  }
}

/** Prevents Python from writing compiled modules into the copy, where the next run would find them. */
function namesOf(root: string, pinned: string, files: readonly PinnedFile[]): Record<string, string> {
  const isPython = files.some(({ path }) => path.endsWith('.py'));
  return { ABILITY_ROOT: root, ABILITY_PINNED: pinned, ...(isPython && { PYTHONDONTWRITEBYTECODE: '1' }) };
}

function editedLive({ path }: PlanScript, file: string): CallFailure {
  return new CallFailure(
    {
      code: 'script.changed',
      message: `${path} reads ${file} from the working directory, and that file was edited or removed after the task was created`,
      suggestion: `Put it back, or create another task. With . "$ABILITY_PINNED/${file}" the script would read the pinned version.`,
    },
    { isFinal: true },
  );
}

function notCopied({ path }: PlanScript, cause: unknown): CallFailure {
  const reason = reasonOf(cause);
  return new CallFailure(
    {
      code: 'script.start_failed',
      message: `The copy of ${path} that is to run could not be written: ${reason}`,
      suggestion: 'Make room on the disk, and let the user that runs workers write to the folder.',
    },
    { cause },
  );
}

function notKept({ path }: PlanScript, cause: AbilityError): CallFailure {
  return new CallFailure(
    {
      code: 'script.changed',
      message: `${path} was edited or removed after the task was created, and its pinned version cannot be read: ${cause.message}`,
      suggestion:
        'Put it back, create another task, or point ABILITY_STORE to the folder that the workers of the environment share.',
    },
    { isFinal: true, cause },
  );
}

function filesOf({ path, digest, real, files = [] }: PlanScript): PinnedFile[] {
  return [{ path, digest, ...(real !== undefined && { real }) }, ...files];
}

/** One entry per path; the first one wins. */
function uniqueFiles(files: readonly PinnedFile[]): PinnedFile[] {
  return [...new Map(files.toReversed().map((file) => [file.path, file])).values()].reverse();
}
