import {
  type Connection,
  findLastApproved,
  keepingRuntime,
  type LastApproved,
  listApprovals,
  type ShownApproval,
} from '../../../../client/index.js';
import type { Decision } from '../../../../contracts/approvals.js';
import { AbilityError, type Problem, reasonOf, usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { generalPath } from '../../../../rules/steps/turn-paths.js';
import { isConfirmed } from '../../input/ask.js';
import { refuseAgents } from '../../input/read-caller.js';
import { type CommandToken, readToken } from '../../input/read-token.js';
import { masking } from '../../output/mask-secrets.js';
import { exitOf } from '../../output/report.js';
import { renderShown } from '../../output/result/render-approval.js';
import type { ApprovalFlags } from '../../program/approvals.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import { chooseDecider, type DecideFlags, runDecision, send, undecided } from './decide.js';

/** `ability approve KEY`, `ability approve --like APPROVAL`. @throws AbilityError `usage.invalid`. */
export function approve(
  context: Context,
  [key]: [string | undefined],
  flags: ApprovalFlags['approve'],
): Promise<ExitCode> {
  const { like, approval, set } = flags;
  if (like === undefined) {
    if (key === undefined) throw usageError('`approve` decides for a task', 'Name it: ability approve KEY.');
    return runDecision(context, key, 'approve', flags);
  }
  const others = [key, approval, ...set].filter((word) => word !== undefined);
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
  const registry = await openRegistry(context);
  return withSession(context, registry, async (connection) => {
    const { terminal } = context;
    const same = findSame(await keepingRuntime(connection, () => listApprovals(connection)), like);
    const mask = await masking(context, registry);
    const lastOf = rememberingLast(connection);
    for (const approval of same) {
      const { environment } = approval.what;
      const last = await lastOf(approval);
      terminal.note(renderShown(mask(approval, environment), terminal.style, mask(last, environment)));
    }
    const token = readToken(context, registry);
    const by = chooseDecider(context, flags, same, token);
    const question = same.length === 1 ? 'Approve this?' : `Approve these ${same.length}?`;
    if (!(await isConfirmed(context, question))) return undecided(context);
    const outcomes: LikeOutcome[] = [];
    for (const approval of same) outcomes.push(await decideOne(connection, approval, by, token, flags.comment));
    if (context.flags.json) terminal.printJson(outcomes);
    else for (const outcome of outcomes) terminal.print(describeOutcome(outcome));
    return exitOfAll(outcomes.flatMap(({ error }) => error ?? []));
  });
}

/** Queries the last approval once per step: all approvals of a step share it. */
function rememberingLast(connection: Connection): (approval: ShownApproval) => Promise<LastApproved | null> {
  const known = new Map<string, Promise<LastApproved | null>>();
  return (approval) => {
    const place = `${approval.task_ability} ${generalPath(approval.path)}`;
    const last = known.get(place) ?? findLastApproved(connection, approval);
    known.set(place, last);
    return last;
  };
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
  connection: Connection,
  approval: ShownApproval,
  by: string,
  token: CommandToken | undefined,
  comment: string | undefined,
): Promise<LikeOutcome> {
  const { task_key, id: approval_id } = approval;
  const decision: Decision = { by, approval_id, ...(comment !== undefined && { comment }) };
  try {
    const { status } = await send(connection, task_key, approval, 'approve', decision, token);
    return { task_key, approval_id, counted: true, status };
  } catch (error) {
    const reason = reasonOf(error);
    const problem = error instanceof AbilityError ? error.toProblem() : { code: 'internal.error', message: reason };
    return { task_key, approval_id, counted: false, error: problem };
  }
}

/** Approvals decided or ended meanwhile exit as denied; any other failure outweighs that. */
function exitOfAll(errors: readonly Problem[]): ExitCode {
  if (errors.length === 0) return EXIT.ok;
  const worse = errors.find((error) => error.code !== 'task.closed' && exitOf(error) !== EXIT.denied);
  return worse ? exitOf(worse) : EXIT.denied;
}

function describeOutcome({ task_key, approval_id, status, error }: LikeOutcome): string {
  return `${task_key} ${approval_id} ${error ? `not decided: ${error.message} (${error.code})` : status}`;
}
