import type { Approval, ApprovalStatus, Decider } from '../../contracts/approvals.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Notice, PlanSlack, SlackMessage, SlackTarget } from '../../contracts/notices.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { escapeSlack, oneLine, showUnseenCharacters, startOf } from '../../rules/shown-text.js';
import { throughAgent } from '../../rules/tasks/persons.js';
import {
  describeChanges,
  describeUndo,
  type LastApproved,
  lastApprovedAmong,
  shownEdits,
} from '../../rules/tasks/shown-approvals.js';
import type { TaskLinks } from '../../rules/tasks/task-link.js';
import { describeDifference, showDifference } from '../../text/value-differences.js';
import type { ActivityDependencies } from '../dependencies.js';
import { callSlack } from './slack-api.js';

/** A notice for a channel in Slack. */
interface SlackNotice {
  notice: Notice;
  /** Its index, by which the message of the earlier notice is found. */
  target: number;
  links: TaskLinks;
  mask<T>(value: T): T;
}

/**
 * Asks in a message, and changes the one that asked once that is over, or what is asked was changed. At least once: if Slack's
 * answer is lost, it asks twice. @returns the message that asks. @throws AbilityError as {@link callSlack}.
 */
export async function askInSlack(
  slack: PlanSlack,
  source: SecretSource,
  { notice, target, links, mask }: SlackNotice,
  { findSent, recentApprovals }: Pick<ActivityDependencies, 'findSent' | 'recentApprovals'>,
): Promise<SlackMessage | undefined> {
  const { id, event, approval, task_key } = notice;
  if (!approval) throw new AbilityError({ code: 'seal.invalid', message: 'The notice is not of an approval' });
  const isAsked = event === 'approval.requested';
  const write = (last?: LastApproved | null): JsonObject => ({
    ...slackMessage(mask(notice), mask(approval), links, mask(last)),
  });
  // A change of what is asked gives it another id, and so another message.
  const before = (approval.edited ?? []).map(({ from }) => from.id);
  const turn = id.slice(id.lastIndexOf(event) + event.length);
  for (const asked of isAsked ? before : [...before, approval.id]) {
    const sent = await findSent(`${task_key}:${asked}:approval.requested${turn}`);
    const message = sent?.[target];
    if (sent && message === undefined) {
      const message = 'The message that asks is still being sent, so it cannot be changed yet';
      throw new AbilityError({ code: 'unavailable.connection', message });
    }
    if (!message) continue;
    await callSlack(slack, source, 'chat.update', { channel: message.channel, ts: message.ts, ...write() });
  }
  if (!isAsked) return undefined;
  // A message that compares with nothing is better than none.
  const last = await recentApprovals(notice).then(
    (seen) => lastApprovedAmong(seen, approval),
    () => undefined,
  );
  const body = { channel: slack.channel, ...write(last), unfurl_links: false };
  const { channel, ts } = await callSlack(slack, source, 'chat.postMessage', body);
  return { channel: String(channel), ts: String(ts) };
}

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
