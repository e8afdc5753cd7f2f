import {
  type Connection,
  decide,
  findLastApproved,
  keepingRuntime,
  readApprovals,
  type ShownApproval,
  withProof,
} from '../../../../client/index.js';
import type { Decision, Verdict } from '../../../../contracts/approvals.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { provableUser } from '../../../../server/keys/proof-key.js';
import { defined } from '../../../../text/defined.js';
import { isConfirmed } from '../../input/ask.js';
import { parseInput } from '../../input/parse-input.js';
import { refuseAgents } from '../../input/read-caller.js';
import { type CommandToken, readToken } from '../../input/read-token.js';
import { masking } from '../../output/mask-secrets.js';
import { renderShown } from '../../output/result/render-approval.js';
import type { ApprovalFlags } from '../../program/approvals.js';
import { type Context, currentUser, openRegistry, withSession } from '../../program/context.js';
import { endInterrupted } from '../following/interruption.js';

/** The flags of a decision; `--set` is only for `approve`. */
export type DecideFlags = Pick<ApprovalFlags['deny'], 'approval' | 'as' | 'comment'> &
  Partial<Pick<ApprovalFlags['approve'], 'set'>>;

/** Shows the approval, asks at a terminal, and sends the decision. Source: docs/approvals.md. */
export async function runDecision(
  context: Context,
  key: string,
  verdict: Verdict,
  flags: DecideFlags,
): Promise<ExitCode> {
  refuseAgents(context);
  const registry = await openRegistry(context);
  return withSession(context, registry, async (connection) => {
    const { terminal } = context;
    const open = await keepingRuntime(connection, () => readApprovals(connection, key)).catch(unlessNamed(flags));
    const shown = open.filter(({ id }) => flags.approval === undefined || id === flags.approval);
    const mask = await masking(context, registry);
    for (const approval of shown) {
      const last = await findLastApproved(connection, approval);
      const { environment } = approval.what;
      terminal.note(renderShown(mask(approval, environment), terminal.style, mask(last, environment)));
    }
    refuseSeveral(shown, verdict);
    const [only] = shown;
    const fields = readFields(flags, only, context);
    const token = readToken(context, registry);
    const by = chooseDecider(context, flags, shown, token);
    if (only && !(await isConfirmed(context, `${QUESTIONS[verdict]} this?`)))
      return undecided(context, { task_key: key });
    // The shown id ensures that nothing else is decided, such as an approval opened meanwhile.
    const decision: Decision = {
      by,
      approval_id: only?.id ?? flags.approval ?? NOTHING_SHOWN,
      ...defined({ comment: flags.comment, fields }),
    };
    const outcome = await send(connection, key, only, verdict, decision, token);
    if (context.flags.json) terminal.printJson({ task_key: key, ...outcome });
    else {
      const rest = outcome.missing > 0 ? `; ${outcome.missing} more needed` : '';
      terminal.print(`${outcome.approval_id} ${outcome.status.replace('_', ' ')}${rest}`);
    }
    return EXIT.ok;
  });
}

/** A decision on a named approval is kept until a worker takes it up; which others are open is not known without one. */
function unlessNamed({ approval }: DecideFlags): (error: unknown) => ShownApproval[] {
  return (error) => {
    if (approval === undefined || !(error instanceof AbilityError) || error.code !== 'worker.unavailable') throw error;
    return [];
  };
}

/** Sends a decision to the task that asks: the named one, or one that it has called. */
export function send(
  connection: Connection,
  key: string,
  approval: ShownApproval | undefined,
  verdict: Verdict,
  decision: Decision,
  token?: CommandToken,
): ReturnType<typeof decide> {
  if (!approval) return decide(connection, key, verdict, decision).catch(refuseNothingOpen(decision));
  const proved = withProof(connection, approval, verdict, decision, token?.text);
  return decide(connection, approval.task ?? key, verdict, proved);
}

/** The id sent if no approval was shown; no approval has this id. */
const NOTHING_SHOWN = '(none shown)';

function refuseNothingOpen({ approval_id }: Decision): (error: unknown) => never {
  return (error) => {
    const isNone = approval_id === NOTHING_SHOWN && error instanceof AbilityError && error.code === 'approval.ignored';
    if (!isNone) throw error;
    const message = 'The decision did not count: no approval is open';
    throw new AbilityError({ ...error.toProblem(), message }, { cause: error });
  };
}

/**
 * Who decides: the person of the token, else `--as`, else the user; where proof is required, the user who can be
 * proved. @throws AbilityError `approval.unproved` if `--as` is not the person of the token.
 */
export function chooseDecider(
  context: Context,
  { as }: Pick<DecideFlags, 'as'>,
  shown: readonly ShownApproval[],
  token: CommandToken | undefined,
): string {
  const isProved = shown.some(({ proof }) => proof === 'required');
  const person = token?.token?.person;
  if (person !== undefined && as !== undefined && as !== person) {
    throw new AbilityError({
      code: 'approval.unproved',
      message: `ABILITY_TOKEN is the token of ${person}, and not of ${as}`,
      suggestion: 'Leave out --as.',
    });
  }
  const self = isProved && !token ? provableUser() : currentUser(context.env).name;
  const by = person ?? as ?? self;
  const what = isProved ? 'which has to be proved' : 'this is a claim, and is recorded as one';
  context.terminal.note(`Deciding as ${oneLine(by)}; ${what}.`);
  return by;
}

export function undecided(context: Context, more?: { task_key: string }): ExitCode {
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

/** The decider's field values, converted to the declared types. @throws AbilityError. */
function readFields(
  { set = [] }: DecideFlags,
  only: ShownApproval | undefined,
  context: Context,
): JsonObject | undefined {
  if (set.length === 0) return undefined;
  const expected = Object.entries(only?.fields ?? {});
  const properties = Object.fromEntries(expected.map(([name, { type }]) => [name, { type }]));
  return parseInput({ set }, { properties }, context);
}

const QUESTIONS = { approve: 'Approve', deny: 'Deny', request_changes: 'Ask for changes to' } as const;
