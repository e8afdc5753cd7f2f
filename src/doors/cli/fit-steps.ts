import { isStepEnd } from '../../contracts/states.js';
import type { StepSummary } from '../../contracts/task.js';

/**
 * The lines of the steps that matter now, as many as there is room for, with a count of those left out.
 *
 * What matters are the innermost steps that are at work, else the last one that has ended.
 *
 * @param lines one a step, in the same order.
 * @param room most lines; with less than 3 nothing is counted.
 */
export function fitSteps(steps: readonly StepSummary[], lines: readonly string[], room: number): string[] {
  if (lines.length <= room) return [...lines];
  const most = room < 3 ? room : room - 2;
  const { first, last } = atWork(steps);
  const centred = Math.floor((first + last + 1 - most) / 2);
  // Where not all that is at work fits, its first steps are shown.
  const wanted = Math.min(centred, first);
  const start = Math.max(0, Math.min(wanted, lines.length - most));
  const shown = lines.slice(start, start + most);
  if (room < 3) return shown;
  const below = lines.length - start - most;
  return [`  ... ${start} more above`, ...shown, `  ... ${below} more below`];
}

function atWork(steps: readonly StepSummary[]): { first: number; last: number } {
  const working = steps.filter(({ status }) => status === 'running' || status === 'waiting');
  const innermost = working.filter(({ path }) => !working.some((other) => other.path.startsWith(`${path}/`)));
  const indices = innermost.map((step) => steps.indexOf(step));
  const [first] = indices;
  if (first !== undefined) return { first, last: indices.at(-1) ?? first };
  const ended = Math.max(0, ...steps.map(({ status }, index) => (isStepEnd(status) ? index : 0)));
  return { first: ended, last: ended };
}
