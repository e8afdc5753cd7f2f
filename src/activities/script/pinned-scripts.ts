import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plan, PlanHooks, PlanScript } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { digestOf } from '../../rules/canonical.js';
import { CallFailure } from '../call-failure.js';

/** Where bytes are kept by their digest. */
export interface ByteStore {
  put(bytes: Uint8Array): string;
  get(digest: string): Promise<Uint8Array>;
}

/** One file that a plan holds by its digest. */
interface PinnedFile {
  path: string;
  digest: string;
}

/**
 * The scripts of plans, as they were when the plans were made.
 *
 * A script that is still the same runs where it stands, so that what it imports is found. One that was edited, renamed or
 * deleted since runs as it was, with the files it declares, from a copy out of the store. Source: design, section 2.
 */
export class PinnedScripts {
  /** @param folder where copies are made; inside the project, so that its modules are found from there. */
  constructor(
    private readonly root: string,
    private readonly folder: string,
    private readonly store: ByteStore,
  ) {}

  /**
   * Keeps the bytes of every script of a plan.
   *
   * @returns a warning when they cannot be kept: an edit would then end the task.
   */
  keep(plan: Plan): string | undefined {
    try {
      for (const file of scriptsOf(plan).flatMap(filesOf)) this.keepFile(file);
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `The scripts could not be kept as they are now (${reason}); leave them as they are until the task has ended`;
    }
  }

  /**
   * Where to run a script so that it is the one that was planned.
   *
   * @returns an absolute path. @throws CallFailure `script.changed` when it was edited and the store does not have it.
   */
  async find(script: PlanScript): Promise<string> {
    const files = filesOf(script);
    if (files.every((file) => this.digestHere(file.path) === file.digest)) return resolve(this.root, script.path);
    const copy = join(this.folder, digestOf(files));
    if (!existsSync(copy)) await this.copyOut(script, files, copy);
    return join(copy, this.within(script.path));
  }

  private keepFile({ path, digest }: PinnedFile): void {
    const bytes = readFileSync(resolve(this.root, path));
    if (sha256(bytes) === digest) this.store.put(bytes);
  }

  private digestHere(path: string): string | undefined {
    try {
      return sha256(readFileSync(resolve(this.root, path)));
    } catch {
      return undefined;
    }
  }

  /** A path without detours, which could lead out of a copy though not out of the project. */
  private within(path: string): string {
    return relative(this.root, resolve(this.root, path));
  }

  /** Two workers may do so at once; the first one's copy stands. */
  private async copyOut(script: PlanScript, files: PinnedFile[], copy: string): Promise<void> {
    const own = `${copy}.${randomUUID()}`;
    try {
      for (const { path, digest } of files) {
        const bytes = await this.store.get(digest);
        const file = join(own, this.within(path));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, bytes, { mode: 0o755 });
      }
      renameSync(own, copy);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      if (existsSync(copy)) return;
      throw notKept(script, error);
    }
  }
}

function notKept({ path }: PlanScript, cause: unknown): CallFailure {
  const reason = cause instanceof AbilityError ? cause.message : String(cause);
  return new CallFailure(
    {
      code: 'script.changed',
      message: `${path} was edited or removed after the task was created, and what it was cannot be had: ${reason}`,
      suggestion:
        'Put it back, create another task, or point ABILITY_STORE to the folder that the workers of the environment share.',
    },
    { cause },
  );
}

function filesOf({ path, digest, files = [] }: PlanScript): PinnedFile[] {
  return [{ path, digest }, ...files];
}

/** Every script of a plan: of implementations and of hooks. */
function scriptsOf(plan: Plan): PlanScript[] {
  const operations = Object.values(plan.operations);
  const workflows = Object.values(plan.workflows ?? {});
  const hooks = [plan.ability, ...workflows.map(({ ability }) => ability), ...operations].flatMap((part) =>
    hooksOf(part.hooks),
  );
  const implementations = operations.flatMap(({ implementation }) =>
    implementation.kind === 'script' ? [implementation.script] : [],
  );
  return [...implementations, ...hooks];
}

function hooksOf({ pre_create, pre_call, post_call }: PlanHooks): PlanScript[] {
  return [...pre_create, ...pre_call, ...post_call].flatMap(({ handler }) =>
    handler.kind === 'script' ? [handler.script] : [],
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
