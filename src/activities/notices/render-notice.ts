import type { Json, JsonObject } from '../../contracts/json.js';
import type { Notice, NoticeFormat } from '../../contracts/notices.js';
import { oneLine, startOf } from '../../rules/shown-text.js';
import { describeRollback, describeUndo } from '../../rules/tasks/describe-undo.js';

export interface NoticeBody {
  type: string;
  body: string;
}

/** Maximum characters of an input as JSON; a larger one is left out of the notice. */
const MAX_INPUT = 16_000;
const MAX_LINE = 500;

/** Renders a notice in the receiver's format. @param link to the task in the Temporal UI. */
export function renderNotice(notice: Notice, format: NoticeFormat, link: string | null): NoticeBody {
  const { id, event, at, project, task_key } = notice;
  const data = dataOf(notice, link);
  const json = 'application/json';
  if (format === 'slack') return { type: json, body: JSON.stringify({ text: slackText(notice, link) }) };
  if (format === 'json') return { type: json, body: JSON.stringify({ type: event, timestamp: at, id, data }) };
  const envelope = {
    specversion: '1.0',
    id,
    source: `/ability/${project}`,
    type: `ability.${event}`,
    subject: task_key ?? notice.schedule,
    time: at,
    datacontenttype: json,
    data,
  };
  return { type: 'application/cloudevents+json', body: JSON.stringify(envelope) };
}

function dataOf(notice: Notice, link: string | null): JsonObject {
  const { id: _, event: __, at: ___, approval, error, not_undone, ...facts } = notice;
  return {
    ...facts,
    ...(approval && { approval: approvalData(approval) }),
    ...(error && { error: { code: error.code, message: error.message, step: error.step ?? null } }),
    ...(not_undone && { not_undone }),
    links: { temporal: link, commands: commandsOf(notice) },
  };
}

function approvalData({ what, ...approval }: NonNullable<Notice['approval']>): JsonObject {
  const { id, path, title, status, reasons, approvers, quorum, requested_by, expires_at, decisions } = approval;
  const isLarge = JSON.stringify(what.undo ? [what.input, what.undo.input] : what.input).length > MAX_INPUT;
  const undo = what.undo && { undo: isLarge ? { ...what.undo, input: null } : what.undo };
  return {
    ...{ id, path, title, status, reasons, approvers, quorum, expires_at },
    requested_by: { ...requested_by },
    what: { ...what, input: isLarge ? null : what.input, ...undo, ...(isLarge && { input_left_out: true }) },
    decisions: decisions.map(
      ({ decision, by, comment, at }): Json => ({
        decision,
        by: by === 'unnamed' ? by : { ...by },
        comment: comment ?? null,
        at,
      }),
    ),
  };
}

function commandsOf({ event, task_key, schedule, approval }: Notice): string[] {
  if (task_key === null) return [`ability schedule show ${schedule}`];
  if (event !== 'approval.requested' || !approval) return [`ability why ${task_key}`];
  const of = `${task_key} --approval ${approval.id}`;
  return [`ability approve ${of}`, `ability deny ${of}`];
}

function slackText(notice: Notice, link: string | null): string {
  const { event, task_key, ability, environment, approval, status, error } = notice;
  const { schedule, webhook, scheduled_for, late_seconds, missed } = notice;
  const why = error?.message ?? 'no reason is known';
  const head = {
    'approval.requested': `Approval requested: ${approval?.title}`,
    'approval.decided': `${approval?.status.replace('_', ' ')}: ${approval?.title}`,
    'task.failed': `${ability} ${status?.replace('_', ' ')}: ${why}`,
    'schedule.refused': `The schedule ${schedule} was refused at ${scheduled_for}: ${why}`,
    'schedule.missed':
      status === 'late'
        ? `The schedule ${schedule} began ${late_seconds} s late, at ${scheduled_for}`
        : `The schedule ${schedule} has missed firings, the last at ${scheduled_for}; ${missed} since it was created`,
    'delivery.refused': `A delivery to the webhook ${webhook} was refused after it was accepted: ${why}`,
  }[event];
  const what = event === 'approval.requested' ? approval?.what : undefined;
  const input = what ? [`input: ${JSON.stringify(what.input)}`] : [];
  const rollback = describeRollback(notice);
  const undone = rollback === undefined ? [] : [`rolled back: ${rollback}`];
  const undo = what?.undo ? [`undone, if the task fails, by: ${describeUndo(what.undo)}`] : [];
  const place = `${ability} in ${environment}${task_key === null ? '' : `, ${task_key}`}`;
  const lines = [head, place, ...input, ...undo, ...undone, ...commandsOf(notice)];
  const escaped = lines.map((line) => escapeSlack(startOf(oneLine(line), MAX_LINE)));
  return [...escaped, ...(link === null ? [] : [`<${link}|In the Temporal UI>`])].join('\n');
}

/** Prevents a title from mentioning everybody or linking elsewhere. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
