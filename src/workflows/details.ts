import { setCurrentDetails } from '@temporalio/workflow';
import { formatDuration } from '../rules/duration.js';
import type { TaskRun } from './task-run.js';

/** Beyond this the table would cost more than the steps. */
const MOST_ROWS = 60;

/** Shows how a task stands in the Temporal UI, as Markdown. Source: issue "The main job", the record. */
export function showDetails(run: TaskRun): void {
  const steps = run.summarize(run.finishedAt !== undefined);
  const shown = steps.slice(0, MOST_ROWS);
  const rows = shown.map(({ path, call, status, attempts, duration_ms }) => {
    const time = duration_ms === null ? '' : formatDuration(duration_ms);
    return `| ${path} | ${call ?? ''} | ${status} | ${attempts > 1 ? attempts : ''} | ${time} |`;
  });
  const waiting = run.approvals.filter(({ status }) => status === 'open');
  const lines = [
    `**${run.state}**${run.taskKey === null ? '' : ` · ${run.taskKey}`} · ${run.start.plan.environment.name}`,
    '',
    ...waiting.flatMap(({ id, title, approvers, reasons }) => [
      `Waiting for approval \`${id}\`: **${title}**`,
      '',
      ...reasons.map((reason) => `- ${reason}`),
      `- who may decide: ${approvers.length > 0 ? approvers.join(', ') : 'anyone'}`,
      `- send the signal \`approve\` with \`{"approval_id": "${id}", "by": "your name"}\`, or \`deny\``,
      '',
    ]),
    '| Step | Call | Status | Attempts | Time |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...(steps.length > shown.length ? [`| ... | ${steps.length - shown.length} more | | | |`] : []),
  ];
  setCurrentDetails(lines.join('\n'));
}
