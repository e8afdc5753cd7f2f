import type { Approval, ApprovalStatus, Decider } from '../../contracts/approvals.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Notice, SlackTarget } from '../../contracts/notices.js';
import { throughAgent } from '../../rules/agents/through-agent.js';
import { escapeSlack, oneLine, showUnseenCharacters, startOf } from '../../rules/shown-text.js';
import { describeUndo } from '../../rules/tasks/describe-undo.js';
import type { LastApproved } from '../../rules/tasks/last-approved.js';
import { describeChanges, shownEdits } from '../../rules/tasks/shown-edits.js';
import type { TaskLinks } from '../../rules/tasks/task-link.js';
import { describeDifference, showDifference } from '../../text/value-differences.js';

const MAX_LINE = 300;
/** Maximum characters of an input in a message; a larger one is approved where all of it is seen. */
const MAX_INPUT = 3000;
const MAX_DIFFERENCES = 10;

const HEADS: Record<ApprovalStatus, string> = {
  open: 'Approval requested',
  approved: 'Approved',
  denied: 'Denied',
  changes_requested: 'Changes requested',
  expired: 'No one decided in time',
  cancelled: 'No longer needed',
};

/**
 * An approval as a message of Slack's. Its texts are elements of rich text, which Slack shows as they are, without markup or
 * mentions. @param last null: there is none; undefined: not known. Source: https://docs.slack.dev/reference/block-kit/blocks.
 */
export function slackMessage(
  { project, task_key, ability }: Pick<Notice, 'project' | 'task_key' | 'ability'>,
  approval: Approval,
  { page, temporal }: TaskLinks,
  last: LastApproved | null | undefined,
): { text: string; blocks: JsonObject[] } {
  const { id, what, path, status, raised_at: raised } = approval;
  const title = startOf(oneLine(`${HEADS[status]}: ${approval.title}`), MAX_LINE);
  const input = JSON.stringify(what.input, null, 2);
  const undo = what.undo ? oneLine(`undone, if the task fails, by: ${describeUndo(what.undo)}`) : '';
  const isWhole = input.length + undo.length <= MAX_INPUT;
  const lines = [
    `what: ${what.ability}${what.implementation ? ` (${what.implementation})` : ''} in ${what.environment}, ${what.effects ?? 'no effect'}`,
    `task: ${ability} ${task_key}, ${path === 'run' ? 'the task itself' : `step ${path}`}`,
    ...askLines(approval),
    ...shownEdits(approval).map((edit) => `changed by ${nameOf(edit.by)}: ${describeChanges(edit)}`),
    ...(status === 'open' ? lastLines(last) : decisionLines(approval)),
  ].map((line) => startOf(oneLine(line), MAX_LINE));
  const link = page ? [linkTo(page, 'On the page')] : temporal ? [linkTo(temporal, 'In the Temporal UI')] : [];
  const elements = [
    section({ type: 'text', text: title, style: { bold: true } }),
    section({ type: 'text', text: [...lines, ...(undo && isWhole ? [undo] : [])].join('\n') }),
    isWhole
      ? { type: 'rich_text_preformatted', elements: [{ type: 'text', text: showUnseenCharacters(input) }] }
      : section({ type: 'text', text: 'The input is too large for a message: approve it where you see all of it.' }),
    ...(link.length > 0 ? [section(...link)] : []),
  ];
  const target: SlackTarget = { project, task: String(task_key), approval: id, raised };
  return {
    text: escapeSlack(title),
    blocks: [{ type: 'rich_text', elements }, ...(status === 'open' ? buttons(target, isWhole) : [])],
  };
}

/** What is asked, in lines of plain text. */
export function askLines(approval: Approval): string[] {
  const { reasons, approvers, quorum, requested_by, self_approval, expires_at, due_at, edit, status } = approval;
  const who = `${approvers.join(', ') || 'anyone'}${self_approval ? '' : `, but not ${requested_by.name}`}`;
  return [
    ...reasons.map((reason) => `because: ${reason}`),
    `asked for by ${requested_by.name} (${requested_by.source})${throughAgent(requested_by, oneLine)}, until ${expires_at}`,
    ...(due_at === undefined ? [] : [`asked ahead, due at ${due_at}`]),
    `who may decide: ${who}${quorum > 1 ? `; ${quorum} of them` : ''}`,
    ...(edit && status === 'open' ? [`may be changed: ${Object.keys(edit).join(', ')}`] : []),
  ];
}

function lastLines(last: LastApproved | null | undefined): string[] {
  if (last === undefined) return [];
  if (last === null) return ['approved before: none of this ability at this step, among the recent tasks'];
  const { task_key, at, by, differs } = last;
  const more = differs.length - MAX_DIFFERENCES;
  return [
    `approved before: ${task_key} ${at} by ${by.join(', ')}; ${differs.length === 0 ? 'the same' : 'different now:'}`,
    ...differs.slice(0, MAX_DIFFERENCES).map((one) => `- ${describeDifference(showDifference(one))}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

function nameOf(by: Decider | 'unnamed'): string {
  return by === 'unnamed' ? 'an unnamed person' : `${by.name} (${by.source})`;
}

function decisionLines({ decisions }: Approval): string[] {
  return decisions.map(({ decision, by, comment, at }) => {
    return `${decision.replace('_', ' ')}: ${nameOf(by)} ${at}${comment === undefined ? '' : `: ${comment}`}`;
  });
}

function section(...elements: JsonObject[]): JsonObject {
  return { type: 'rich_text_section', elements };
}

function linkTo(url: string, text: string): JsonObject {
  return { type: 'link', url, text };
}

function buttons(target: SlackTarget, isWhole: boolean): JsonObject[] {
  const value = JSON.stringify(target);
  const button = (action_id: string, text: string, style?: string): JsonObject => ({
    type: 'button',
    action_id,
    value,
    text: { type: 'plain_text', text },
    ...(style !== undefined && { style }),
  });
  return [
    {
      type: 'actions',
      elements: [
        ...(isWhole ? [button('approve', 'Approve', 'primary')] : []),
        button('deny', 'Deny', 'danger'),
        button('request_changes', 'Request changes'),
      ],
    },
  ];
}
