import type { InputChange, TaskResult } from '../../../../contracts/task.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { tellMoment } from '../tell-time.js';

/** How the input of a task was changed, a line each; those that are not listed are counted where they were made. */
export function tellChanges({
  changes = [],
  changes_left: left = 0,
}: Pick<TaskResult, 'changes' | 'changes_left'>): string[] {
  const [first, ...later] = changes.map(tellChange);
  return [...(first === undefined ? [] : [first]), ...(left > 0 ? [`and ${left} more`] : []), ...later];
}

/** Who changed the input of a task before it was run, when, and what in it. */
function tellChange({ by, at, fields }: InputChange): string {
  const what = fields.length > 0 ? `changed ${oneLine(fields.join(', '))}` : 'took over changed definitions';
  return `${oneLine(by.name)} (${by.source}) ${what} ${tellMoment(at)}`;
}
