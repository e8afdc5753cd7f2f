import type { Approval, CountedDecision } from '../../../../contracts/approvals.js';
import type { Turn } from '../../../../contracts/concurrency.js';
import type { HookAnswer } from '../../../../contracts/hooks.js';
import type { ItemFailure } from '../../../../contracts/loops.js';
import type { AttemptStory, StepStory, TaskStory } from '../../../../contracts/story.js';
import { formatDuration } from '../../../../rules/duration.js';
import { type FoldedAnswer, foldAnswers } from '../../../../rules/hooks/fold-answers.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { describeTurns } from '../../../../rules/steps/describe-items.js';
import { generalPath, isOfExpansion } from '../../../../rules/steps/step-tree.js';
import { describeGrant } from '../../../../rules/tasks/decision-form.js';
import { describeChanges, type ShownEdit, shownEdits } from '../../../../rules/tasks/shown-approvals.js';
import { asTyped, commandOf, type Typist } from '../../../../shown/typed-command.js';
import { formatMoment, formatUntil, localTime } from '../format-time.js';
import { plainText } from '../plain-text.js';
import { whoDecides } from '../result/render-approval.js';
import { markOf } from '../result/render-result.js';
import type { Style } from '../terminal/terminal.js';

/** The maximum number of failures of one loop to show, and of attempts before the last; JSON has more. */
const MAX_FAILURES = 5;
const MAX_TRIES = 4;

const WORDS: Record<HookAnswer['decision'], string> = {
  allow: 'allowed it',
  deny: 'denied it',
  need_user_confirm: 'asked for a confirmation',
};

/** Events in plan order: around the task, then each step with its hooks. */
export function renderEvents(story: TaskStory, style: Style, typist: Typist): string[] {
  const { hooks, approvals, steps, concurrency } = story;
  const known = { ...story, steps: steps.filter(({ id }) => !isOfExpansion(id)) };
  const paths = new Set(steps.map(({ path }) => path));
  const isAround = ({ path }: { path: string }): boolean => !paths.has(generalPath(path));
  const around = hooks.filter(isAround);
  const before = around.filter(({ phase }) => phase !== 'PostAbilityCall');
  const after = around.filter(({ phase }) => phase === 'PostAbilityCall');
  return [
    ...before.flatMap((answer) => renderHook(answer, '', style)),
    ...approvals.filter(isAround).flatMap((approval) => renderApprovalEvent(approval, '', style)),
    ...(concurrency ? renderTurn(concurrency) : []),
    ...known.steps.flatMap((step) => renderStep(step, known, style, typist)),
    ...after.flatMap((answer) => renderHook(answer, '', style)),
  ];
}

function renderTurn({ key, held_by, asked_at, granted_at }: Turn): string[] {
  const name = `turn with the key ${oneLine(key)}`;
  const held = held_by.length === 0 ? '' : `; ${held_by.join(', ')} held it`;
  if (granted_at === null) return [`${name} requested ${formatMoment(asked_at)}, not granted${held}`];
  const ms = Date.parse(granted_at) - Date.parse(asked_at);
  return [
    `${name} granted at ${localTime(granted_at)}${held_by.length === 0 ? '' : `, after ${formatDuration(ms)}`}${held}`,
  ];
}

function renderStep(
  step: StepStory,
  { hooks, approvals, steps, task_key }: TaskStory,
  style: Style,
  typist: Typist,
): string[] {
  const { path, call, status, condition, duration_ms, started_at, error, tries, attempts, turns, protocol } = step;
  const { folded, left } = foldAnswers(hooks.filter((answer) => generalPath(answer.path) === path));
  const time = duration_ms === null ? '' : ` in ${formatDuration(duration_ms)}`;
  const start = started_at === null ? '' : style('dim', `, from ${localTime(started_at)}`);
  const over = protocol === undefined ? '' : `, over MCP ${oneLine(protocol)}`;
  // The record does not say whether the condition was false or the step was never reached.
  const why = condition === null ? ': it was not reached' : `: it runs only if ${plainText(condition, '      ')}`;
  const name = call === null || call === path ? path : `${path}  ${style('dim', call)}`;
  const isReported = tries.at(-1)?.error != null || explainsOwn(step) || steps.some((inner) => isWhy(inner, step));
  return [
    `${markOf(status, style)} ${name}  ${status}${status === 'skipped' ? why : time + over + start}`,
    ...folded.filter(isBefore).flatMap(({ answer, times }) => renderHook(answer, '    ', style, times)),
    ...approvals
      .filter((approval) => generalPath(approval.path) === path)
      .flatMap((approval) => renderApprovalEvent(approval, '    ', style)),
    ...renderTurnsOf(step, task_key, style, typist),
    ...renderTries(tries, style),
    ...(tries.length === 0 && turns === undefined && attempts > 1 ? [`    ${attempts} attempts`] : []),
    ...(error && !isReported ? [`    ${renderError(error, '    ', style)}`] : []),
    ...folded.filter((one) => !isBefore(one)).flatMap(({ answer, times }) => renderHook(answer, '    ', style, times)),
    ...(left > 0 ? [`    ${left} more answers of hooks`] : []),
  ];
}

function isWhy(inner: StepStory, { path, error }: StepStory): boolean {
  return error !== null && inner.path.startsWith(`${path}/`) && inner.error?.message === error.message;
}

/** Whether failed turns explain the step's failure: its own turns, or those of the loop around it. */
function explainsOwn({ error, failures, failed_turns = 0 }: StepStory): boolean {
  return failed_turns > 0 || (failures ?? []).some((failure) => failure.error?.message === error?.message);
}

/** The outcomes of a loop's turns, or of a step in it; one line for each of the first failures. */
function renderTurnsOf(step: StepStory, key: string | null, style: Style, typist: Typist): string[] {
  const described = describeTurns(step, MAX_FAILURES);
  if (!described) return [];
  const failures = described.failures.flatMap(({ failure, text }) => [
    `      ${style('red', plainText(text, '        '))}`,
    ...renderTries(triesOf(step, failure.path), style).map((line) => `    ${line}`),
    ...logOf(failure, key).map((line) => `        ${style('dim', asTyped(line, typist))}`),
  ]);
  return [`    ${described.head}`, ...failures, ...(described.rest === '' ? [] : [`      ${described.rest}`])];
}

/** The attempts before the last one; empty without several. */
function triesOf({ failures = [] }: StepStory, path: string): AttemptStory[] {
  const tries = failures.find((failure) => failure.path === path)?.tries ?? [];
  return tries.length < 2 ? [] : tries.slice(0, -1).slice(-MAX_TRIES);
}

function logOf({ path, task, attempts }: ItemFailure, key: string | null): string[] {
  if (task !== undefined) return [commandOf('ability', 'why', task)];
  return key === null || attempts === 0 ? [] : [commandOf('ability', 'task', 'logs', key, path)];
}

/** A single successful attempt needs no line of its own. */
function renderTries(tries: readonly AttemptStory[], style: Style): string[] {
  const [only] = tries;
  if (tries.length === 1 && only?.status === 'succeeded') return [];
  return tries.map((one) => `    ${describeAttempt(one, tries.length, style)}`);
}

function describeAttempt(one: AttemptStory, count: number, style: Style): string {
  const { number, round, status, error, last_words, started_at, starts_at, worker } = one;
  const name = `attempt ${number}${round > 1 ? ` of round ${round}` : ''}`;
  switch (status) {
    case 'failed':
      if (error) return `${name} failed: ${renderError(error, '      ', style)}`;
      if (last_words !== null) return `${name} failed; its last output: ${plainText(last_words, '      ')}`;
      return `${name} failed${number < count ? '; its error was not kept' : ''}`;
    case 'running':
      return `${name} runs${started_at === null ? '' : ` since ${localTime(started_at)}`}${worker === null ? '' : ` on ${oneLine(worker)}`}`;
    case 'waiting':
      return starts_at === null ? `${name} waits for a worker` : `${name} starts ${formatMoment(starts_at)}`;
    case 'unknown':
      return `${name} was under way when the task ended; how it went is not known`;
    default:
      return `${name} ${status}`;
  }
}

function renderError({ code, message }: { code: string; message: string }, indent: string, style: Style): string {
  return `${style('red', code)} ${plainText(message, `${indent}  `)}`;
}

function isBefore({ answer }: FoldedAnswer): boolean {
  return answer.phase !== 'PostAbilityCall';
}

function renderHook(answer: HookAnswer, indent: string, style: Style, times = 1): string[] {
  const { hook_id, phase, path, status, decision, reason, suggestion, warnings = [], duration_ms, moment } = answer;
  const inner = `${indent}    `;
  const further = `${inner}    `;
  const about = indent === '' && path !== '' ? ` for ${path}` : '';
  const took = duration_ms === undefined ? '' : `, ${formatDuration(duration_ms)}`;
  // `moment` is the value of `now()` by which the hook decided.
  const time = moment === undefined ? took : `${took}, now() was ${moment}`;
  const why = reason === undefined ? '' : `: ${plainText(reason, further)}`;
  const isAfter = phase === 'PostAbilityCall';
  const said = status === 'error' ? 'failed' : isAfter ? 'was informed' : WORDS[decision];
  const isNo = status === 'error' || decision === 'deny';
  return [
    `${indent}hook ${hook_id} (${phase}${about}${time}) ${isNo ? style('red', said) : said}${times > 1 ? ` in ${times} turns` : ''}${why}`,
    ...(suggestion === undefined ? [] : [`${inner}${plainText(suggestion, further)}`]),
    ...warnings.map((warning) => `${inner}${style('yellow', 'warning')} ${plainText(warning, further)}`),
  ];
}

function renderApprovalEvent(approval: Approval, indent: string, style: Style): string[] {
  const { id, title, reasons, quorum, raised_at, decisions, ignored, granted, grant_id } = approval;
  const inner = `${indent}    `;
  const who = oneLine(whoDecides(approval));
  return [
    `${indent}approval ${id}: ${style('bold', oneLine(title))}`,
    `${inner}${granted ? 'would ask' : 'asked'} ${who}${quorum > 1 ? `, ${quorum} of them,` : ''} at ${localTime(raised_at)}`,
    ...reasons.map((reason) => `${inner}because: ${oneLine(reason)}`),
    ...shownEdits(approval).map((edit) => `${inner}${renderEdit(edit)}`),
    ...decisions.map((decision) => `${inner}${renderDecision(decision)}`),
    ...(grant_id === undefined ? [] : [`${inner}the grant ${grant_id} came of it`]),
    ...(granted
      ? [
          `${inner}use ${granted.use} of ${granted.of} of the grant ${granted.by}: ${granted.task_key} ${granted.approval_id}`,
        ]
      : []),
    ...ignored.map(({ decision, by, reason, at }) => {
      return `${inner}ignored: ${decision.replace('_', ' ')} by ${oneLine(by ?? 'an unnamed person')} at ${localTime(at)}, because ${oneLine(reason)}`;
    }),
    `${inner}${renderApprovalStatus(approval, style)}`,
  ];
}

function renderDecision({ decision, by, comment, grant, denied_items, at, self }: CountedDecision): string {
  const who = by === 'unnamed' ? 'an unnamed person' : `${oneLine(by.name)} (${by.source})`;
  const own = self ? ', who asked for the task,' : '';
  const said = comment === undefined ? '' : `: ${oneLine(comment)}`;
  const less = denied_items ? `, but not to the items ${denied_items.join(', ')},` : '';
  return `${who}${own} ${SAID[decision]}${less}${grant ? ` and granted ${describeGrant(grant)},` : ''} at ${localTime(at)}${said}`;
}

function renderEdit(edit: ShownEdit): string {
  const who = edit.by === 'unnamed' ? 'an unnamed person' : `${oneLine(edit.by.name)} (${edit.by.source})`;
  return `${who} changed ${oneLine(describeChanges(edit))} at ${localTime(edit.at)}`;
}

const SAID = { approve: 'said yes', deny: 'said no', request_changes: 'asked for changes' } as const;

function renderApprovalStatus(approval: Approval, style: Style): string {
  const { due_at } = approval;
  const ahead = due_at === undefined ? '' : `, asked ahead, due ${formatMoment(due_at)}`;
  return statusInWords(approval, style) + ahead;
}

function statusInWords({ status, quorum, decisions, expires_at }: Approval, style: Style): string {
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  switch (status) {
    case 'open':
      return `${style('yellow', 'open')}: ${quorum - have} more needed until ${formatUntil(expires_at)}; without an answer it is denied`;
    case 'expired':
      return `${style('red', 'expired')} ${formatMoment(expires_at)}; without an answer it is denied`;
    case 'cancelled':
      return 'cancelled before it was decided';
    default:
      return style(status === 'approved' ? 'green' : 'red', status.replace('_', ' '));
  }
}
