import type { UndoSubject } from '../../contracts/approvals.js';

/** Why an undo asks people. */
export const UNDO_ASKS = 'The undo says `approval: required`.';

/** What an approver reads of an undo, such as `db.drop, destructive, with {"name":"x"}`. */
export function describeUndo({ ability, effects, input, approval }: UndoSubject): string {
  const asks = approval ? '; it asks again before it runs' : '; this approval covers it';
  return `${ability}, ${effects}, with ${JSON.stringify(input)}${asks}`;
}
