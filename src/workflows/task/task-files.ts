import { FILE_LIMITS, type FileValue, type StepFiles, type TaskFile } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { filesIn } from '../../rules/calls/files-in.js';
import { makesFiles } from '../../rules/calls/makes-files.js';

/**
 * The files that a task has: those of its input, of its own calls, and of the outputs of the tasks it called.
 *
 * A file value proves nothing, so a call receives the digests that its task has, and hands out no others. A task
 * without files has no such cost. Source: docs/decisions/0013-files-between-steps.md.
 */
export class TaskFiles {
  /** All of them, in the order in which the task came by them, with those of the tasks it called. */
  readonly listed: TaskFile[] = [];
  /** Digests that may be handed out. */
  private readonly own: Set<string>;
  private readonly sizes = new Map<string, number>();
  private readonly mostBytes: number;
  private readonly isShared: boolean;

  /** @param start of the run. @param plan of the task itself. */
  constructor({ child, carried, progress, input }: TaskStart, { files }: Plan) {
    this.own = new Set(child?.files);
    this.isShared = child?.file_room !== undefined;
    this.mostBytes = child?.file_room ?? files?.task_bytes ?? FILE_LIMITS.task_bytes;
    if (carried) this.list(carried.files ?? []);
    if (carried || !files) return;
    if (files.input && !child)
      this.list(filesIn(input, files.at).map(({ at, file }) => ({ step: '', name: at, file })));
    for (const { made } of Object.values(progress ?? {})) if (made) this.list(made);
  }

  /** Notes the output files of a call. */
  add(step: string, files: StepFiles): void {
    for (const [name, made] of Object.entries(files)) {
      this.list((Array.isArray(made) ? made : [made]).map((file) => ({ step, name, file })));
    }
  }

  /** Notes the files of a called task; those in its output belong to this one as well. */
  adopt(path: string, files: readonly TaskFile[], output: Json): void {
    const out = new Set(filesIn(output).map(({ file }) => file.$file));
    for (const { step, called: isInner, ...file } of files) {
      const called = isInner || !out.has(file.file.$file) ? { called: true as const } : {};
      if (step !== '') this.list([{ step: `${path}/${step}`, ...file, ...called }]);
    }
  }

  /** The digests in a value that the task has; undefined where there are none. */
  within(value: Json): string[] | undefined {
    if (this.own.size === 0) return undefined;
    const digests = new Set(filesIn(value).map(({ file }) => file.$file));
    const found = [...digests].filter((digest) => this.own.has(digest));
    return found.length > 0 ? found : undefined;
  }

  /** Bytes that more files may take; undefined while none are taken. */
  get room(): number | undefined {
    if (this.sizes.size === 0 && !this.isShared) return undefined;
    return Math.max(0, this.mostBytes - this.taken);
  }

  /** Whether all of them together are more than the task may have. */
  get isTooMuch(): boolean {
    return this.sizes.size > 0 && this.taken > this.mostBytes;
  }

  private get taken(): number {
    return [...this.sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  private list(files: readonly TaskFile[]): void {
    for (const file of files) {
      const { $file, bytes }: FileValue = file.file;
      this.listed.push(file);
      this.sizes.set($file, bytes);
      if (!file.called) this.own.add($file);
    }
  }
}

/** Ids of the steps of a task whose calls may produce files; undefined if there are none. */
export function fileMakers(
  { operations, files }: Plan,
  steps: readonly { step: PlanStep }[],
): ReadonlySet<string> | undefined {
  if (!files) return undefined;
  const makers = steps.filter(({ step }) => step.verb === 'call' && makesFiles(operations[step.call]));
  return new Set(makers.map(({ step }) => step.id));
}
