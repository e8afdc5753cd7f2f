import type { Approval, ApprovalField, Verdict } from '../../../contracts/approvals.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { oneLine, startOf } from '../../../rules/shown-text.js';
import { needsComment } from '../../../rules/tasks/decide-approval.js';
import type { Carried, FilledIn } from './interaction.js';

/** Limits of Slack's. Source: https://docs.slack.dev/reference/block-kit. */
const MAX_BLOCKS = 90;
const MAX_OPTIONS = 100;
const MAX_OPTION = 75;
const MAX_TEXT = 2000;

const TITLES: Record<Verdict, string> = {
  approve: 'Approve',
  deny: 'Deny',
  request_changes: 'Request changes',
};

/** Block of the comment, at which errors are shown. */
export const COMMENT = 'comment';

/** Whether a decision cannot be made by the button alone. */
export function needsDialog({ comment, fields }: Approval, verdict: Verdict): boolean {
  return needsComment({ comment }, verdict) || (verdict === 'approve' && Object.keys(fields ?? {}).length > 0);
}

/** The dialog of a decision. @throws AbilityError `feature.unsupported` for fields that Slack's dialogs cannot hold. */
export function dialogFor(approval: Approval, about: Carried): JsonObject {
  const { verdict } = about;
  const fields = Object.entries((verdict === 'approve' && approval.fields) || {});
  const isTooMuch =
    fields.length > MAX_BLOCKS ||
    fields.some(
      ([, { enum: all = [] }]) => all.length > MAX_OPTIONS || all.some((one) => `${one}`.length > MAX_OPTION),
    );
  if (isTooMuch) {
    throw new AbilityError({
      code: 'feature.unsupported',
      message: 'The fields of this approval do not fit into a dialog of Slack; decide on the page, or by command',
    });
  }
  return {
    type: 'modal',
    callback_id: 'decide',
    private_metadata: JSON.stringify(about),
    title: plain(TITLES[verdict]),
    submit: plain(verdict === 'request_changes' ? 'Send' : TITLES[verdict]),
    close: plain('Cancel'),
    blocks: [
      { type: 'section', text: plain(`${approval.title} (${approval.what.ability} in ${approval.what.environment})`) },
      ...fields.map(([name, field]) => inputBlock(blockOf(name), field.title ?? name, field, elementFor(field))),
      inputBlock(
        COMMENT,
        'Comment',
        { optional: !needsComment(approval, verdict) },
        {
          type: 'plain_text_input',
          multiline: true,
          max_length: 3000,
        },
      ),
    ],
  };
}

/** The comment and the fields of a dialog. What was left empty is left out; `decide` checks the rest. */
export function readDialog({ fields = {} }: Approval, { verdict }: Carried, values: FilledIn) {
  const given = Object.entries(verdict === 'approve' ? fields : {}).flatMap(([name, field]) => {
    const value = filledValue(field, values[blockOf(name)]?.value);
    return value === undefined ? [] : [[name, value] as const];
  });
  const comment = values[COMMENT]?.value?.value ?? undefined;
  return {
    ...(comment !== undefined && { comment }),
    ...(given.length > 0 && { fields: Object.fromEntries(given) }),
  };
}

function filledValue(
  { type, enum: choices }: ApprovalField,
  filled: FilledIn[string][string] | undefined,
): Json | undefined {
  const chosen = filled?.selected_option?.value;
  if (choices) return choices[Number(chosen ?? -1)];
  if (type === 'boolean') return chosen === undefined ? undefined : chosen === 'true';
  const text = filled?.value ?? undefined;
  if (text === undefined || type === 'string') return text;
  // What is no number stays text, which the field refuses.
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function elementFor({ type, enum: choices }: ApprovalField): JsonObject {
  // By its place: a number and a text may look the same.
  if (choices) return select(choices.map((choice, index) => [String(choice), String(index)]));
  if (type === 'boolean')
    return select([
      ['Yes', 'true'],
      ['No', 'false'],
    ]);
  if (type === 'string') return { type: 'plain_text_input' };
  return { type: 'number_input', is_decimal_allowed: type === 'number' };
}

function select(options: [text: string, value: string][]): JsonObject {
  return { type: 'static_select', options: options.map(([text, value]) => ({ text: plain(text), value })) };
}

function inputBlock(
  block_id: string,
  label: string,
  { optional = false, description }: Pick<ApprovalField, 'optional' | 'description'>,
  element: JsonObject,
): JsonObject {
  return {
    type: 'input',
    block_id,
    label: plain(label),
    optional,
    ...(description && { hint: plain(description) }),
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
