import type { LastApproved, ShownApproval } from '../../../../client/index.js';
import type { Approval, ApprovalField } from '../../../../contracts/approvals.js';
import type { Json } from '../../../../contracts/json.js';
import { oneLine, startOf } from '../../../../rules/shown-text.js';
import { throughAgent } from '../../../../rules/tasks/persons.js';
import { describeChanges, describeUndo, type ShownEdit, shownEdits } from '../../../../rules/tasks/shown-approvals.js';
import { formatMoment, formatUntil } from '../format-time.js';
import type { Style } from '../terminal/terminal.js';

const MAX_OF_A_VALUE = 120;
const MAX_DIFFERENCES = 20;

/**
 * What a decider sees: what would run, where and why, who requested it, and how it differs from the last approved one.
 */
export function renderShown(approval: ShownApproval, style: Style, last?: LastApproved | null): string {
  const { task_key, task_ability, path, what_digest, proof } = approval;
  const step = path === 'run' ? 'the task itself' : `step ${path}`;
  return [
    renderApproval(approval, style),
    `  in: ${oneLine(task_ability)} ${task_key}, ${oneLine(step)}`,
    ...(proof === 'required'
      ? ['  proof: the owner of this runtime decides, without --as; others with a token in ABILITY_TOKEN']
      : []),
    ...(last === undefined ? [] : renderLastApproved(last)),
    style('dim', `  what_digest: ${what_digest}`),
  ].join('\n');
}

function renderLastApproved(last: LastApproved | null): string[] {
  if (last === null) return ['  approved before: none of this ability at this step, among the recent tasks'];
  const { task_key, by, at, differs } = last;
  const head = `  approved before: ${task_key} ${formatMoment(at)} by ${oneLine(by.join(', '))}`;
  if (differs.length === 0) return [`${head}; the same`];
  const more = differs.length - MAX_DIFFERENCES;
  return [
    `${head}; different now:`,
    ...differs
      .slice(0, MAX_DIFFERENCES)
      .map((one) => `    ${oneLine(one.at)}: ${shownValue(one.expected)} -> ${shownValue(one.actual)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

function shownValue(value: Json | undefined): string {
  return value === undefined ? 'nothing' : oneLine(startOf(JSON.stringify(value), MAX_OF_A_VALUE));
}

export function renderApproval(approval: Approval, style: Style): string {
  const { id, title, what, reasons, quorum, requested_by, expires_at, due_at, decisions, self_approval } = approval;
  const who = oneLine(whoDecides(approval) + (self_approval ? '' : `, but not ${requested_by.name}`));
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  return [
    `${style('yellow', 'approval')} ${id}: ${style('bold', oneLine(title))}`,
    `  what: ${what.ability}${what.implementation ? ` (${what.implementation})` : ''} in ${what.environment}, ${what.effects ?? 'no effect'}`,
    `  input: ${JSON.stringify(what.input)}`,
    ...(what.undo ? [`  undone, if the task fails, by: ${oneLine(describeUndo(what.undo))}`] : []),
    ...reasons.map((reason) => `  because: ${oneLine(reason)}`),
    ...Object.entries(approval.fields ?? {}).map(([name, field]) => `  fill in: ${oneLine(renderField(name, field))}`),
    ...(approval.edit ? [`  may be changed with --set: ${oneLine(Object.keys(approval.edit).join(', '))}`] : []),
    ...shownEdits(approval).map((edit) => `  changed by ${oneLine(nameOf(edit))}: ${oneLine(describeChanges(edit))}`),
    `  who may decide: ${who}${quorum > 1 ? `; ${have} of ${quorum} so far` : ''}`,
    `  asked for by ${oneLine(requested_by.name)} (${requested_by.source})${throughAgent(requested_by, oneLine)}, until ${formatUntil(expires_at)}`,
    ...(due_at === undefined ? [] : [`  asked ahead, due ${formatMoment(due_at)}`]),
  ].join('\n');
}

function nameOf({ by }: ShownEdit): string {
  return by === 'unnamed' ? 'an unnamed person' : by.name;
}

function renderField(name: string, { type, title, description, enum: choices, optional }: ApprovalField): string {
  const kind = choices ? `one of ${choices.join(', ')}` : type;
  const about = [title, description].filter(Boolean).join('. ');
  return `${name} (${kind}${optional ? ', optional' : ''})${about ? `: ${about}` : ''}`;
}

/** The approvers as written, with the people of groups in brackets; `anyone` if there are none. */
export function whoDecides({ approvers, people }: Pick<Approval, 'approvers' | 'people'>): string {
  if (approvers.length === 0) return 'anyone';
  const named = approvers.join(', ');
  return people.join(', ') === named ? named : `${named} (${people.join(', ') || 'no one'})`;
}
