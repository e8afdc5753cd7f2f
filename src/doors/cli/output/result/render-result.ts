import type { Approval, ApprovalField, Verdict } from '../../../../contracts/approvals.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { needsComment } from '../../../../rules/decide-approval.js';
import { nameOf } from '../../../../rules/describe-items.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { throughAgent } from '../../../../rules/through-agent.js';
import { plainText } from '../plain-text.js';
import { describeProblem, typedBy } from '../report.js';
import { tellUntil } from '../tell-time.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Typist } from '../typed-command.js';
import { describeFiles } from './describe-files.js';
import { tellChanges } from './render-change.js';
import { whoDecides } from './who-decides.js';

type Style = Terminal['style'];

/** The outcome of a task for people: status first, then what it gave or why not, then where to look. */
export function renderResult(result: TaskResult, style: Style, typist: Typist = { flags: {} }): string {
  const { status, ability_id, version, task_key, output, error, warnings, links, started_at, finished_at } = result;
  const good = status === 'succeeded';
  const time =
    started_at && finished_at ? ` in ${formatDuration(Date.parse(finished_at) - Date.parse(started_at))}` : '';
  const key = task_key === null ? '' : `  ${task_key}`;
  const lines = [`${style(good ? 'green' : 'red', status)}  ${ability_id} v${version}${key}${time}`];
  if (result.intent !== undefined) lines.push(`intent: ${oneLine(result.intent)}`);
  if (error) lines.push(describeProblem(typedBy(typist, error), style, '  ').trimEnd());
  if (error?.step) lines.push(`  in step ${error.step}${placeOf(result)}`);
  lines.push(...tellChanges(result));
  for (const warning of warnings) lines.push(`${style('yellow', 'warning')} ${plainText(warning, '  ')}`);
  if (result.cleanup_ran !== null) lines.push(`clean-up: ${result.cleanup_ran ? 'ran' : 'did not finish'}`);
  if (good) lines.push(`output: ${JSON.stringify(output, null, 2)}`);
  if (result.files) lines.push(...describeFiles(result.files).map((file) => `file ${oneLine(file)}`));
  if (links.record) lines.push(style('dim', `record: ${links.record}/tool_call.md`));
  if (links.temporal) lines.push(style('dim', `history: ${links.temporal}`));
  return lines.join('\n');
}

/** Which item or turn of a loop the error of a task arose in; empty for none. */
function placeOf({ error, steps }: TaskResult): string {
  const details = error?.details;
  const path = details !== null && typeof details === 'object' && 'path' in details ? details.path : undefined;
  const row = steps.find(({ items, failures }) => items && failures?.some((failure) => failure.path === path));
  const failure = row?.failures?.find((one) => one.path === path);
  return row && failure ? `, ${nameOf(failure, row)} of ${row.path}` : '';
}

/** What an approver sees before saying yes or no. */
export function renderApproval(approval: Approval, style: Style): string {
  const { id, title, what, reasons, quorum, requested_by, expires_at, decisions } = approval;
  const who = oneLine(whoDecides(approval));
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  return [
    `${style('yellow', 'approval')} ${id}: ${style('bold', oneLine(title))}`,
    `  what: ${what.ability}${what.implementation ? ` (${what.implementation})` : ''} in ${what.environment}, ${what.effects ?? 'no effect'}`,
    `  input: ${JSON.stringify(what.input)}`,
    ...reasons.map((reason) => `  because: ${oneLine(reason)}`),
    ...Object.entries(approval.fields ?? {}).map(([name, field]) => `  fill in: ${oneLine(renderField(name, field))}`),
    `  who may decide: ${who}${quorum > 1 ? `; ${have} of ${quorum} so far` : ''}`,
    `  asked for by ${oneLine(requested_by.name)} (${requested_by.source})${throughAgent(requested_by, oneLine)}, until ${tellUntil(expires_at)}`,
  ].join('\n');
}

function renderField(name: string, { type, title, description, enum: choices, optional }: ApprovalField): string {
  const kind = choices ? `one of ${choices.join(', ')}` : type;
  const about = [title, description].filter(Boolean).join('. ');
  return `${name} (${kind}${optional ? ', optional' : ''})${about ? `: ${about}` : ''}`;
}

/** The flags of `ability approve` for the fields that an approval must have, word by word. */
export function fieldFlags({ fields = {} }: Pick<Approval, 'fields'>): string[] {
  return Object.entries(fields)
    .filter(([, { optional }]) => !optional)
    .flatMap(([name, { type, enum: choices }]) => [
      '--set',
      `${name}=${choices ? oneLine(choices.join('|')) : type.toUpperCase()}`,
    ]);
}

/** The flag of a decision that does not count without a comment. */
export function commentFlag(approval: Pick<Approval, 'comment'>, verdict: Verdict): string[] {
  return needsComment(approval, verdict) ? ['--comment', 'TEXT'] : [];
}
