import type { UndoSubject } from '../../contracts/approvals.js';
import type { Rollback } from '../../contracts/task.js';

/** Why an undo asks people. */
export const UNDO_ASKS = 'The undo says `approval: required`.';

/** What an approver reads of an undo, such as `db.drop, destructive, with {"name":"x"}`. */
export function describeUndo({ ability, effects, input, approval }: UndoSubject): string {
  const asks = approval ? '; it asks again before it runs' : '; this approval covers it';
  return `${ability}, ${effects}, with ${JSON.stringify(input)}${asks}`;
}

const MAX_NAMED = 20;

/** Such as `partial; not undone: create (denied)`; undefined if nothing was to be undone. */
export function describeRollback({ rolled_back: how, not_undone: left = [] }: Rollback): string | undefined {
  const named = left.slice(0, MAX_NAMED).map(({ task, path, status }) => {
    return `${path}${task === undefined ? '' : ` of ${task}`} (${status.replace('_', ' ')})`;
  });
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return how && (left.length === 0 ? how : `${how}; not undone: ${named.join(', ')}${more}`);
}
