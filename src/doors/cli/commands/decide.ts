import type { ShownApproval } from '../../../client/index.js';
import type { Grant, Verdict } from '../../../contracts/approvals.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError, type Problem, reasonOf, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { refuseAgents } from '../../../operations/read-caller.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';
import { oneLine } from '../../../rules/shown-text.js';
import { describeGrant, isGrant, MAX_USES } from '../../../rules/tasks/decision-form.js';
import { defined } from '../../../text/defined.js';
import { isConfirmed } from '../input/ask.js';
import { parseInput } from '../input/parse-input.js';
import { exitOf } from '../output/report.js';
import { renderShown } from '../output/result/render-approval.js';
import type { ApprovalFlags } from '../program/approvals.js';
import { type Context, printAnswer } from '../program/context.js';
import { atDesk, type Desk, NOTHING_SHOWN } from './deciding/desk.js';
import { endInterrupted } from './following/interruption.js';

/** `ability approve KEY`, `ability approve --like APPROVAL`. @throws AbilityError `usage.invalid`. */
export function approve(context: Context, [key]: [string?], flags: ApprovalFlags['approve']): Promise<ExitCode> {
  const { like, approval, set, denyItem } = flags;
  if (like === undefined) {
    if (key === undefined) throw usageError('`approve` decides for a task', 'Name it: ability approve KEY.');
    return runDecision(context, key, 'approve', flags);
  }
  const others = [
    key,
    approval,
    ...set,
    ...denyItem,
    ...GRANT_FLAGS.filter((flag) => flags[flag] !== undefined),
  ].filter((word) => word !== undefined);
  if (others.length > 0) {
    throw usageError('--like finds by itself what it decides, and fills in nothing', `Leave out ${others.join(', ')}.`);
  }
  return approveLike(context, like, flags);
}

/**
 * `ability deny KEY`, with `--request-changes` a denial that says what to change. @throws AbilityError `usage.invalid`.
 */
export function deny(context: Context, [key]: [string], flags: ApprovalFlags['deny']): Promise<ExitCode> {
  if (!flags.requestChanges) return runDecision(context, key, 'deny', flags);
  if (!flags.comment?.trim()) {
    throw usageError('--request-changes needs a comment that says what to change', 'Add it with `--comment TEXT`.');
  }
  return runDecision(context, key, 'request_changes', flags);
}

const GRANT_FLAGS = ['for', 'upTo', 'if', 'forTime'] as const;

/** The flags of a decision; those of fields and grants are only for `approve`. */
type DecideFlags = Pick<ApprovalFlags['deny'], 'approval' | 'as' | 'comment'> &
  Partial<Pick<ApprovalFlags['approve'], 'set' | 'denyItem' | (typeof GRANT_FLAGS)[number]>>;

/** Shows the approval, asks at a terminal, and sends the decision. */
async function runDecision(context: Context, key: string, verdict: Verdict, flags: DecideFlags): Promise<ExitCode> {
  refuseAgents(context);
  const grant = readGrant(flags);
  return atDesk(context, async (desk) => {
    const open = await desk.read(key).catch(unlessNamed(flags));
    const shown = open.filter(({ id }) => flags.approval === undefined || id === flags.approval);
    for (const approval of shown) await noteApproval(context, desk, approval);
    refuseSeveral(shown, verdict);
    const [only] = shown;
    const fields = readFields(flags, only, context);
    const by = await chooseDecider(context, desk, flags, shown);
    const more = grant ? ` and ${describeGrant(grant)}` : '';
    if (only && !(await isConfirmed(context, `${QUESTIONS[verdict]} this${more}?`)))
      return undecided(context, { task_key: key });
    // The shown id ensures that nothing else is decided, such as an approval opened meanwhile.
    const decision = {
      by,
      approval_id: only?.id ?? flags.approval ?? NOTHING_SHOWN,
      ...defined({ comment: flags.comment, fields, grant, denied_items: readItems(flags) }),
    };
    const outcome = await desk.send(key, only, verdict, decision);
    const rest = outcome.missing > 0 ? `; ${outcome.missing} more needed` : '';
    const text = `${outcome.approval_id} ${outcome.status.replace('_', ' ')}${rest}`;
    printAnswer(context, { task_key: key, ...outcome }, () => text);
    return EXIT.ok;
  });
}

/** What would be decided. */
async function noteApproval({ terminal }: Context, desk: Desk, approval: ShownApproval): Promise<void> {
  terminal.note(renderShown(approval, terminal.style, await desk.lastOf(approval)));
}

/** A decision on a named approval is kept until a worker takes it up; which others are open is not known without one. */
function unlessNamed({ approval }: DecideFlags): (error: unknown) => ShownApproval[] {
  return (error) => {
    if (approval === undefined || !(error instanceof AbilityError) || error.code !== 'worker.unavailable') throw error;
    return [];
  };
}

/** Who decides, and says so. */
async function chooseDecider(
  { terminal }: Context,
  desk: Desk,
  { as }: Pick<DecideFlags, 'as'>,
  shown: readonly ShownApproval[],
): Promise<string> {
  const { by, known } = await desk.decider(
    as,
    shown.some(({ proof }) => proof === 'required'),
  );
  terminal.note(`Deciding as ${oneLine(by)}; ${known}.`);
  return by;
}

function undecided(context: Context, more?: { task_key: string }): ExitCode {
  return endInterrupted(context, 'Nothing was decided', more);
}

/** With several open, an unnamed decision would hit whichever is left when it arrives. @throws AbilityError. */
function refuseSeveral(shown: readonly ShownApproval[], verdict: Verdict): void {
  if (shown.length <= 1) return;
  const ids = shown.map(({ id }) => id);
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${ids.length} approvals are open, and the command names none of them: ${ids.join(', ')}`,
    suggestion: `Name the one to ${verdict === 'approve' ? 'approve' : 'deny'}: --approval ${ids.join(' or ')}.`,
    details: { approvals: ids },
  });
}

/** @throws AbilityError `usage.invalid`. */
function readItems({ denyItem = [] }: DecideFlags): number[] | undefined {
  const wrong = denyItem.find((text) => !/^[1-9]\d*$/.test(text));
  if (wrong !== undefined) throw usageError(`--deny-item ${wrong} is no number of an item`, 'They count from 1.');
  return denyItem.length === 0 ? undefined : denyItem.map(Number);
}

/** What is granted beyond the call. @throws AbilityError `usage.invalid`. */
function readGrant({ for: whom, upTo, if: condition, forTime }: DecideFlags): Grant | undefined {
  if ([whom, upTo, condition, forTime].every((flag) => flag === undefined)) return undefined;
  const for_ms = forTime !== undefined && isDuration(forTime) ? parseDuration(forTime) : forTime;
  const grant = defined({ for: whom, up_to: Number(upTo), if: condition, for_ms });
  if (isGrant(grant)) return grant;
  const form = `--for task or session, --up-to 2 to ${MAX_USES}, --if an expression, --for-time up to 7d`;
  throw usageError(`These flags are no grant; one has ${form}`, 'See `ability approve --help`.');
}

/** The decider's field values, converted to the declared types. @throws AbilityError. */
function readFields(
  { set = [] }: DecideFlags,
  only: ShownApproval | undefined,
  context: Context,
): JsonObject | undefined {
  if (set.length === 0) return undefined;
  const expected = Object.entries(only?.fields ?? {});
  const asked = Object.fromEntries(expected.map(([name, { type }]) => [name, { type }]));
  return parseInput({ set }, { properties: { ...only?.edit, ...asked } }, context);
}

const QUESTIONS = { approve: 'Approve', deny: 'Deny', request_changes: 'Ask for changes to' } as const;

interface LikeOutcome {
  task_key: string;
  approval_id: string;
  counted: boolean;
  status?: string;
  error?: Problem;
}

/**
 * Approves all open approvals that ask the same under the same plan: lists them, asks once, and decides each by
 * its id, so that nothing unlisted is decided. @throws AbilityError `usage.invalid`, `approval.not_found`.
 */
async function approveLike(context: Context, like: string, flags: DecideFlags): Promise<ExitCode> {
  refuseAgents(context);
  return atDesk(context, async (desk) => {
    const same = findSame(await desk.list(), like);
    for (const approval of same) await noteApproval(context, desk, approval);
    const by = await chooseDecider(context, desk, flags, same);
    const question = same.length === 1 ? 'Approve this?' : `Approve these ${same.length}?`;
    if (!(await isConfirmed(context, question))) return undecided(context);
    const outcomes: LikeOutcome[] = [];
    for (const approval of same) outcomes.push(await decideOne(desk, approval, by, flags.comment));
    const lines = outcomes.map(({ task_key, approval_id, status, error }) => {
      return `${task_key} ${approval_id} ${error ? `not decided: ${error.message} (${error.code})` : status}`;
    });
    printAnswer(context, outcomes, () => lines.join('\n'));
    return exitOfAll(outcomes.flatMap(({ error }) => error ?? []));
  });
}

function findSame(open: readonly ShownApproval[], like: string): ShownApproval[] {
  const one = open.find(({ id }) => id === like);
  if (!one) {
    throw new AbilityError({
      code: 'approval.not_found',
      message: `No open approval has the id ${like}`,
      suggestion: 'Run `ability approvals` to see what is open.',
    });
  }
  // Two gates of a workflow may have the same input but different titles.
  return open.filter(
    ({ what_digest, plan_digest, title }) =>
      what_digest === one.what_digest && plan_digest === one.plan_digest && title === one.title,
  );
}

/** An error is part of the outcome, so that the other decisions still go out. */
async function decideOne(
  desk: Desk,
  approval: ShownApproval,
  by: string,
  comment: string | undefined,
): Promise<LikeOutcome> {
  const { task_key, id: approval_id } = approval;
  try {
    const decision = { by, approval_id, ...defined({ comment }) };
    const { status } = await desk.send(task_key, approval, 'approve', decision);
    return { task_key, approval_id, counted: true, status };
  } catch (error) {
    const message = reasonOf(error);
    const problem = error instanceof AbilityError ? error.toProblem() : { code: 'internal.error', message };
    return { task_key, approval_id, counted: false, error: problem };
  }
}

/** Approvals decided or ended meanwhile exit as denied; any other failure outweighs that. */
function exitOfAll(errors: readonly Problem[]): ExitCode {
  if (errors.length === 0) return EXIT.ok;
  const worse = errors.find((error) => error.code !== 'task.closed' && exitOf(error) !== EXIT.denied);
  return worse ? exitOf(worse) : EXIT.denied;
}
