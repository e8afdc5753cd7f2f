import type { Approval, ApprovalEdit, UndoSubject } from '../../contracts/approvals.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Rollback, TaskResult } from '../../contracts/task.js';
import { findDifferences, type ValueDifference } from '../../text/value-differences.js';
import { generalPath } from '../steps/step-tree.js';

/** The last granted approval of this kind, and what has changed since. */
export interface LastApproved {
  task_key: string;
  approval_id: string;
  /** ISO 8601. */
  at: string;
  by: string[];
  what: Approval['what'];
  differs: ValueDifference[];
}

/** An approval with the task that shows it. */
export interface SeenApproval {
  task_key: string;
  approval: Approval;
}

/** The last granted one of the same ability and step. @param seen of tasks of one environment. */
export function lastApprovedAmong(seen: readonly SeenApproval[], now: Approval): LastApproved | null {
  const alike = seen
    .filter(({ approval }) => approval.status === 'approved' && isOfSameKind(approval, now))
    .map((found) => ({ ...found, at: found.approval.decisions.at(-1)?.at ?? '' }))
    .sort((one, other) => other.at.localeCompare(one.at));
  const [last] = alike;
  if (!last) return null;
  const { task_key, approval, at } = last;
  return {
    task_key,
    approval_id: approval.id,
    at,
    by: approval.decisions.map(({ by }) => (by === 'unnamed' ? by : by.name)),
    what: approval.what,
    differs: findDifferences('what', { ...approval.what }, { ...now.what }),
  };
}

function isOfSameKind(one: Approval, other: Approval): boolean {
  return one.what.ability === other.what.ability && generalPath(one.path) === generalPath(other.path);
}

/** One change of what an approval asks, field by field. A value is undefined where the field is absent. */
export interface ShownEdit extends Pick<ApprovalEdit, 'by' | 'at'> {
  changes: { field: string; before: Json | undefined; after: Json | undefined }[];
}

/** How decisions changed the input, in order. Source: docs/approvals.md#correct-then-approve. */
export function shownEdits({ edited = [], what }: Pick<Approval, 'edited' | 'what'>): ShownEdit[] {
  return edited.map(({ by, at, fields, from }, index) => {
    const after = edited[index + 1]?.from.input ?? what.input;
    const changes = fields.map((field) => ({
      field,
      before: valueIn(from.input, field),
      after: valueIn(after, field),
    }));
    return { by, at, changes };
  });
}

function valueIn(input: Json, field: string): Json | undefined {
  return isJsonObject(input) && Object.hasOwn(input, field) ? input[field] : undefined;
}

/** `amount 500 -> 50, note nothing -> "as agreed"`; the text is not escaped. */
export function describeChanges({ changes }: ShownEdit): string {
  const shown = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return changes.map(({ field, before, after }) => `${field} ${shown(before)} -> ${shown(after)}`).join(', ');
}

/** The input of a task after the decisions that changed it. @param input as the task was formed. */
export function inputAfterEdits(input: JsonObject, { ability_id, approvals }: TaskResult): JsonObject {
  const last = approvals
    .filter(({ task, path, what }) => {
      const isAboutTask = path === 'run' || what.implementation === null;
      return task === undefined && what.ability === ability_id && isAboutTask;
    })
    .filter(({ edited = [], status }) => edited.length > 0 && status === 'approved')
    .sort((one, other) => (one.edited?.at(-1)?.at ?? '').localeCompare(other.edited?.at(-1)?.at ?? ''))
    .at(-1);
  return isJsonObject(last?.what.input) ? last.what.input : input;
}

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
