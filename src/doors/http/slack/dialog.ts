import type { Approval, ApprovalField } from '../../../contracts/approvals.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { oneLine, startOf } from '../../../rules/shown-text.js';
import { needsComment } from '../../../rules/tasks/decision-form.js';
import type { Carried, FilledIn } from './read-request.js';

/** Limits of Slack's. Source: https://docs.slack.dev/reference/block-kit. */
const MAX_FIELDS = 90;
const MAX_CHOICES = 100;
const MAX_CHOICE = 75;
const MAX_TEXT = 2000;

const TITLES = { approve: 'Approve', deny: 'Deny', request_changes: 'Request changes' };

/** Block of the comment, at which errors are shown. */
export const COMMENT = 'comment';

/**
 * The dialog of a decision; undefined: the button is enough. @throws AbilityError `feature.unsupported` for fields that no dialog
 * of Slack's can hold.
 */
export function dialogFor(approval: Approval, about: Carried): JsonObject | undefined {
  const fields = Object.entries(fieldsOf(approval, about));
  const optional = !needsComment(approval, about.verdict);
  if (optional && fields.length === 0) return undefined;
  if (fields.length > MAX_FIELDS || fields.some(([, { enum: choices = [] }]) => !areChoices(choices))) {
    throw new AbilityError({
      code: 'feature.unsupported',
      message: 'The fields of this approval do not fit into a dialog of Slack; decide on the page, or by command',
    });
  }
  const comment = { type: 'plain_text_input', multiline: true, max_length: 3000 };
  return {
    type: 'modal',
    private_metadata: JSON.stringify(about),
    title: plain(TITLES[about.verdict]),
    submit: plain('Send'),
    blocks: [
      { type: 'section', text: plain(`${approval.title} (${approval.what.ability} in ${approval.what.environment})`) },
      ...fields.map(([name, field]) => inputBlock(blockOf(name), { title: name, ...field }, elementFor(field))),
      inputBlock(COMMENT, { title: 'Comment', optional }, comment),
    ],
  };
}

/** The comment and the fields of a dialog, without what was left empty; `decide` checks them. */
export function readDialog(approval: Approval, about: Carried, values: FilledIn) {
  const given = Object.entries(fieldsOf(approval, about)).flatMap(([name, field]) => {
    const value = filledValue(field, values[blockOf(name)]?.value);
    return value === undefined ? [] : [[name, value] as const];
  });
  const comment = values[COMMENT]?.value?.value;
  return { ...(comment && { comment }), ...(given.length > 0 && { fields: Object.fromEntries(given) }) };
}

function fieldsOf({ fields = {}, edit = {} }: Approval, { verdict }: Carried): Record<string, ApprovalField> {
  if (verdict !== 'approve') return {};
  const changes = Object.entries(edit).flatMap(([name, schema]) => {
    const field = fieldFor(schema);
    return field ? [[name, field] as const] : [];
  });
  return { ...fields, ...Object.fromEntries(changes) };
}

/** A field that changes the input; undefined for values that no dialog can hold, which the page and the command can change. */
function fieldFor({ type, enum: choices }: JsonObject): ApprovalField | undefined {
  const isChoice = (one: Json): one is string | number => typeof one === 'string' || typeof one === 'number';
  const listed = Array.isArray(choices) ? choices.filter(isChoice) : undefined;
  const is = (['string', 'number', 'integer', 'boolean'] as const).find((one) => one === type);
  if (listed && listed.length !== (choices as Json[]).length) return undefined;
  if (!is && !listed) return undefined;
  const about = { optional: true, description: 'Corrects the input; left empty, it stays as it is.' };
  return { type: is ?? 'string', ...(listed && { enum: listed }), ...about };
}

function areChoices(choices: readonly (string | number)[]): boolean {
  return choices.length <= MAX_CHOICES && choices.every((one) => String(one).length <= MAX_CHOICE);
}

function filledValue({ type, enum: choices }: ApprovalField, filled: FilledIn[string][string] | undefined) {
  const chosen = filled?.selected_option?.value;
  // By its place: a number and a text may look the same.
  if (choices) return choices[Number(chosen ?? -1)];
  if (type === 'boolean') return chosen && chosen === 'true';
  const text = filled?.value ?? undefined;
  // What is no number stays text, which the field refuses.
  const isNumber = type !== 'string' && text?.trim() && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

function elementFor({ type, enum: choices }: ApprovalField): JsonObject {
  if (choices) return select(choices.map((choice, index) => [String(choice), String(index)]));
  if (type === 'boolean') return select(['true', 'false'].map((word) => [word, word]));
  if (type === 'string') return { type: 'plain_text_input' };
  return { type: 'number_input', is_decimal_allowed: type === 'number' };
}

function select(options: string[][]): JsonObject {
  return { type: 'static_select', options: options.map(([text = '', value = '']) => ({ text: plain(text), value })) };
}

type Label = Pick<ApprovalField, 'title' | 'description' | 'optional'>;

function inputBlock(block_id: string, { title = '', description, optional = false }: Label, element: JsonObject): Json {
  const hint = description && { hint: plain(description) };
  return {
    type: 'input',
    block_id,
    label: plain(title),
    optional,
    ...hint,
    element: { ...element, action_id: 'value' },
  };
}

function blockOf(field: string): string {
  return `field:${field}`;
}

/** Text without markup; people wrote some of it. */
function plain(text: string): JsonObject {
  return { type: 'plain_text', text: startOf(oneLine(text), MAX_TEXT), emoji: false };
}
