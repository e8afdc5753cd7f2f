import type { Approval, ApprovalEdit } from '../../contracts/approvals.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { TaskResult } from '../../contracts/task.js';

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
