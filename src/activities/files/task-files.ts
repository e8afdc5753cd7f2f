import { FILE_LIMITS, type TaskFile } from '../../contracts/files.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { bytesOfFiles, filesIn } from '../../rules/calls/files-in.js';
import { formatBytes } from '../../text/byte-size.js';
import type { FileStore } from './file-store.js';

/** Checks declared sizes, which {@link holdFiles} verifies. @throws AbilityError `file.too_large`. */
export function refuseLargeFiles({ files: limits }: Pick<Plan, 'files'>, input: JsonObject): void {
  if (!limits?.input) return;
  const { file_bytes: max = FILE_LIMITS.file_bytes, task_bytes: maxOfAll = FILE_LIMITS.task_bytes } = limits;
  const files = filesIn(input, limits.at);
  const large = files.find(({ file }) => file.bytes > max);
  if (large) {
    const { name, bytes } = large.file;
    throw tooLarge(`${name} (${formatBytes(bytes)}) is larger than the ${formatBytes(max)} that a file may have`);
  }
  const together = bytesOfFiles(files.map(({ file }) => file));
  if (together <= maxOfAll) return;
  throw tooLarge(
    `The files of the input are ${formatBytes(together)}, and those of a task may be ${formatBytes(maxOfAll)}`,
  );
}

/**
 * Lets a task hold its input files and those taken over from an earlier task. @param task its key.
 * @throws AbilityError `store.not_shared` for a missing one, `file.not_of_task` for one of another size.
 */
export async function holdFiles(
  { plan, input, progress = {} }: { plan: Plan; input: JsonObject; progress?: Progress | undefined },
  task: string,
  store: Pick<FileStore, 'hold'>,
): Promise<void> {
  const given = plan.files?.input ? filesIn(input, plan.files.at).map(({ file }) => file) : [];
  const made = Object.values(progress).flatMap((entry) => entry.made ?? []);
  const files = [...given, ...made.map(({ file }) => file)];
  const once = new Map(files.map((file) => [`${file.$file} ${file.bytes}`, file]));
  for (const file of once.values()) await store.hold(task, file);
}

function tooLarge(message: string): AbilityError {
  return new AbilityError({
    code: 'file.too_large',
    message,
    suggestion: 'Make them smaller, or raise `policy.max_file` or `policy.max_task_files` in ability.yaml.',
  });
}

/** Adds its files to reused progress; the new task then holds them too. @param files of the earlier task. */
export function withFiles(kept: Progress, files: readonly TaskFile[]): Progress {
  const made = new Map<string, TaskFile[]>();
  for (const file of files) {
    const path = file.step === '' ? undefined : nearest(kept, file.step);
    if (path !== undefined) made.set(path, [...(made.get(path) ?? []), file]);
  }
  if (made.size === 0) return kept;
  return Object.fromEntries(
    Object.entries(kept).map(([path, entry]): [string, StepProgress] => {
      const own = made.get(path);
      return [path, own ? { ...entry, made: own } : entry];
    }),
  );
}

/** The step itself, or the nearest enclosing step, whose progress is kept. */
function nearest(kept: Progress, step: string): string | undefined {
  for (let path = step; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    if (Object.hasOwn(kept, path)) return path;
  }
  return undefined;
}
