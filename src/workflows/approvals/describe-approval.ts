import type { Approval, ApprovalField, Verdict } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import { markdownCode, markdownLine, showUnseenCharacters, startOf } from '../../rules/shown-text.js';
import { needsComment } from '../../rules/tasks/decision-form.js';
import { throughAgent } from '../../rules/tasks/persons.js';
import { describeChanges, describeUndo, shownEdits } from '../../rules/tasks/shown-approvals.js';

const MAX_INPUT = 2000;

/** Lines of Markdown for an approver, with the payload to send. */
export function describeApproval(approval: Approval): string[] {
  const { id, title, what, reasons, requested_by, expires_at, due_at, quorum, decisions, ignored } = approval;
  const last = ignored.at(-1);
  return [
    `Waiting for approval ${markdownCode(id)}: **${markdownLine(title)}**`,
    '',
    `- what: ${markdownCode(what.ability)} in ${markdownCode(what.environment)}${what.effects ? `, ${what.effects}` : ''}`,
    `- input: ${markdownCode(startOf(JSON.stringify(what.input), MAX_INPUT))}`,
    ...(what.undo
      ? [`- undone, if the task fails, by: ${markdownCode(startOf(describeUndo(what.undo), MAX_INPUT))}`]
      : []),
    ...reasons.map((reason) => `- because: ${markdownLine(reason)}`),
    `- asked for by ${markdownLine(requested_by.name)} (${requested_by.source})${throughAgent(requested_by, markdownLine)}, until ${expires_at}`,
    ...(due_at === undefined ? [] : [`- asked ahead: it is due at ${due_at}`]),
    `- who may decide: ${whoMay(approval)}`,
    ...(quorum > 1 ? [`- approvals needed: ${quorum}, given: ${decisions.length}`] : []),
    ...Object.entries(approval.fields ?? {}).map(describeField),
    ...(approval.edit
      ? [`- may be changed, as \`fields\`: ${Object.keys(approval.edit).map(markdownCode).join(', ')}`]
      : []),
    ...shownEdits(approval).map((edit) => {
      const by = edit.by === 'unnamed' ? 'an unnamed person' : markdownLine(edit.by.name);
      return `- changed by ${by}: ${markdownCode(startOf(describeChanges(edit), MAX_INPUT))}`;
    }),
    ...(last ? [`- the last decision was ignored: ${markdownLine(last.reason)}`] : []),
    '',
    `To approve, send the signal ${markdownCode('approve')} with this as its input; ${describePlaceholders(approval, 'approve')}:`,
    '',
    ...payload(approval, 'approve'),
    `To deny, send the signal ${markdownCode('deny')}; ${describePlaceholders(approval, 'deny')}:`,
    '',
    ...payload(approval, 'deny'),
  ];
}

function whoMay({ approvers, self_approval, requested_by }: Approval): string {
  const who = approvers.length > 0 ? markdownLine(approvers.join(', ')) : 'anyone';
  return self_approval ? who : `${who}, but not ${markdownLine(requested_by.name)}`;
}

function describeField([name, field]: [string, ApprovalField]): string {
  const { type, title, description, enum: choices, optional } = field;
  const kind = choices ? `one of ${choices.map((choice) => markdownCode(String(choice))).join(', ')}` : type;
  const words = [title, description].filter((text) => text !== undefined).map((text) => `: ${markdownLine(text)}`);
  return `- field ${markdownCode(name)}, ${kind}${optional ? ', may be left out' : ''}${words.join('')}`;
}

function describePlaceholders(approval: Approval, verdict: Verdict): string {
  const own = ['`by` is your name'];
  if (needsComment(approval, verdict)) own.push('`comment` is needed');
  if (verdict === 'approve' && fieldsOf(approval)) own.push('`fields` are examples');
  return own.join(', ');
}

/** A valid payload: an allowed name, a comment if required, and an example of each field. */
function payload(approval: Approval, verdict: Verdict): string[] {
  const fields = verdict === 'approve' ? fieldsOf(approval) : undefined;
  const decision = {
    approval_id: approval.id,
    by: nameFor(approval),
    ...(needsComment(approval, verdict) && { comment: 'why' }),
    ...(fields && { fields }),
  };
  const text = showUnseenCharacters(JSON.stringify(decision, null, 2));
  const mark = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return [`${mark}json`, text, mark, ''];
}

/** A person who may still decide; if none is known, a placeholder. */
function nameFor({ people, self_approval, requested_by, changed_by = [], decisions }: Approval): string {
  const excluded = new Set(self_approval ? [] : [requested_by.name, ...changed_by]);
  const decided = new Set(decisions.map(({ by }) => (by === 'unnamed' ? '' : by.name)));
  return people.find((name) => !excluded.has(name) && !decided.has(name)) ?? 'your name';
}

/** An example of each field that must be filled in; undefined if there are none. */
function fieldsOf({ fields = {} }: Approval): Record<string, Json> | undefined {
  const needed = Object.entries(fields).filter(([, { optional }]) => !optional);
  return needed.length === 0 ? undefined : Object.fromEntries(needed.map(([name, field]) => [name, exampleOf(field)]));
}

const EXAMPLES = { string: 'text', number: 1.5, integer: 1, boolean: true } as const;

function exampleOf({ type, enum: choices }: ApprovalField): Json {
  return choices?.[0] ?? EXAMPLES[type];
}
