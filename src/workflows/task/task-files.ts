import { FILE_LIMITS, type FileValue, type StepFiles, type TaskFile } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { filesIn, makesFiles } from '../../rules/calls/files-in.js';

/**
 * The files of a task: of its input, its own calls, and the outputs of tasks it called. A file value proves
 * nothing, so a call receives and hands out only digests that its task has. Source:
 * docs/decisions/0013-files-between-steps.md.
 */
export class TaskFiles {
  /** In order of arrival, including files of called tasks. */
  readonly listed: TaskFile[] = [];
  /** Digests that calls may receive. */
  private readonly own: Set<string>;
  private readonly sizes = new Map<string, number>();
  private readonly maxBytes: number;
  private readonly isShared: boolean;

  /** @param start of the run. @param plan of the task itself. */
  constructor({ child, carried, progress, input }: TaskStart, { files }: Plan) {
    this.own = new Set(child?.files);
    this.isShared = child?.file_room !== undefined;
    this.maxBytes = child?.file_room ?? files?.task_bytes ?? FILE_LIMITS.task_bytes;
    if (carried) this.list(carried.files ?? []);
    if (carried || !files) return;
    if (files.input && !child)
      this.list(filesIn(input, files.at).map(({ at, file }) => ({ step: '', name: at, file })));
    for (const { made } of Object.values(progress ?? {})) if (made) this.list(made);
  }

  add(step: string, files: StepFiles): void {
    for (const [name, made] of Object.entries(files)) {
      this.list((Array.isArray(made) ? made : [made]).map((file) => ({ step, name, file })));
    }
  }

  /** Adds a called task's files; those in its output also belong to this task. */
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

  /** Remaining bytes for files; undefined if the task has none yet. */
  get room(): number | undefined {
    if (this.sizes.size === 0 && !this.isShared) return undefined;
    return Math.max(0, this.maxBytes - this.taken);
  }

  get isTooMuch(): boolean {
    return this.sizes.size > 0 && this.taken > this.maxBytes;
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

/** Ids of steps that may produce files; undefined if the plan has no files. */
export function fileMakers(
  { operations, files }: Plan,
  steps: readonly { step: PlanStep }[],
): ReadonlySet<string> | undefined {
  if (!files) return undefined;
  const makers = steps.filter(({ step }) => step.verb === 'call' && makesFiles(operations[step.call]));
  return new Set(makers.map(({ step }) => step.id));
}
