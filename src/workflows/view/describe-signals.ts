import { SIGNALS } from '../../contracts/names.js';
import { markdownCode } from '../../rules/shown-text.js';
import type { TaskRun } from '../task/task-run.js';
import { waitsOf } from './waits.js';

/** So many waits are told apart in the details. */
const MOST_WAITS = 20;

/** Which signals a task that waits goes on with, besides decisions; lines of Markdown. */
export function describeSignals(run: TaskRun): string[] {
  const lines = [
    ...(run.state === 'created' ? [`- to run it, send the signal ${markdownCode(SIGNALS.run)} without input`] : []),
    ...(run.paused ? [`- it is paused; to go on, send the signal ${markdownCode(SIGNALS.resume)} without input`] : []),
    ...awaited(run),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

function awaited(run: TaskRun): string[] {
  const waits = (waitsOf(run).waits ?? []).filter((wait) => wait.for === 'signal');
  return waits.slice(0, MOST_WAITS).map(({ path, what = '', until, condition }) => {
    const only = condition === undefined ? '' : `, for which ${markdownCode(condition)} must hold`;
    const end = until === undefined ? '' : `, until ${until}`;
    return `- ${markdownCode(path)} waits for the signal ${markdownCode(what)} with any JSON as its input${only}${end}`;
  });
}
