import type { TaskFile } from '../../contracts/files.js';
import type { Progress, StepProgress } from '../../contracts/task.js';

/**
 * What a retry takes over, with the files that came of it: they are the new task's as well.
 *
 * @param kept of the earlier task. @param files all that the earlier task had.
 */
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

/** The step itself or the nearest one around it that is taken over. */
function nearest(kept: Progress, step: string): string | undefined {
  for (let path = step; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    if (Object.hasOwn(kept, path)) return path;
  }
  return undefined;
}
