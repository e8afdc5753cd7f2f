import { setCurrentDetails } from '@temporalio/workflow';
import type { Approval } from '../contracts/approvals.js';
import { describeWait } from '../rules/describe-concurrency.js';
import { formatDuration } from '../rules/duration.js';
import type { TaskRun } from './task-run.js';

/** Beyond this the table would cost more than the steps. */
const MOST_ROWS = 60;
const MOST_INPUT = 2000;

/**
 * Shows how a task stands in the Temporal UI.
 *
 * @returns what is called at each change; changes that come together are drawn once.
 */
export function drawDetails(run: TaskRun): () => void {
  let isStale = false;
  return () => {
    if (isStale) return;
    isStale = true;
    Promise.resolve().then(() => {
      isStale = false;
      showDetails(run);
    });
  };
}

/** As Markdown: first what people must decide, then the steps. */
function showDetails(run: TaskRun): void {
  const steps = run.summarize(run.finishedAt !== undefined);
  const rows = steps.slice(0, MOST_ROWS).map(({ path, call, status, attempts, duration_ms }) => {
    const time = duration_ms === null ? '' : formatDuration(duration_ms);
    return `| ${code(path)} | ${call === null ? '' : code(call)} | ${status} | ${attempts > 1 ? attempts : ''} | ${time} |`;
  });
  const key = run.taskKey === null ? '' : ` · ${run.taskKey}`;
  const lines = [
    `**${run.state}**${key} · ${run.plan.environment.name}`,
    '',
    ...(run.state === 'waiting' && run.turn ? [`Waiting for ${plain(describeWait(run.turn))}`, ''] : []),
    ...run.approvals.filter(({ status }) => status === 'open').flatMap(describeApproval),
    '| Step | Call | Status | Attempts | Time |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...(steps.length > MOST_ROWS ? [`| ... | ${steps.length - MOST_ROWS} more | | | |`] : []),
  ];
  setCurrentDetails(lines.join('\n'));
}

/** What an approver needs to see, and what to send. Source: design, section 8. */
function describeApproval({ id, title, what, approvers, reasons, requested_by, expires_at }: Approval): string[] {
  return [
    `Waiting for approval ${code(id)}: **${plain(title)}**`,
    '',
    `- what: ${code(what.ability)} in ${code(what.environment)}${what.effects ? `, ${what.effects}` : ''}`,
    `- input: ${code(JSON.stringify(what.input).slice(0, MOST_INPUT))}`,
    ...reasons.map((reason) => `- because: ${plain(reason)}`),
    `- asked for by ${plain(requested_by.name)} (${requested_by.source}), until ${expires_at}`,
    `- who may decide: ${approvers.length > 0 ? plain(approvers.join(', ')) : 'anyone'}`,
    `- send the signal ${code('approve')} with ${code(`{"approval_id": "${id}", "by": "your name"}`)}, or ${code('deny')}`,
    '',
  ];
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** Text of people, which must not become Markdown of its own. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, '\\$&').replaceAll('\n', ' ');
}
