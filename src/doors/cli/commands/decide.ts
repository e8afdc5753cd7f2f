import { decide, keepingRuntime, openApprovals } from '../../../client/index.js';
import type { Approval, Decision } from '../../../contracts/approvals.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { oneLine } from '../../../rules/shown-text.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';
import { parseInput } from '../parse-input.js';
import { renderApproval } from '../render-result.js';

/** Flags of `ability approve` and `ability deny`. */
export interface DecideFlags {
  approval?: string;
  as?: string;
  comment?: string;
  /** Fields of the approval. */
  set?: string[];
}

/** Shows what is decided about, asks on a terminal, and sends the decision. Source: design, section 8. */
export async function runDecision(
  context: Context,
  key: string,
  verdict: 'approve' | 'deny',
  flags: DecideFlags,
): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { terminal } = context;
    const open = await keepingRuntime(connection, () => openApprovals(connection, key));
    const shown = open.filter(({ id }) => flags.approval === undefined || id === flags.approval);
    for (const approval of shown) terminal.note(renderApproval(approval, terminal.style));
    const fields = readFields(flags, shown, context);
    const by = flags.as ?? currentUser(context.env).name;
    terminal.note(`Deciding as ${oneLine(by)}; this is a claim, and is recorded as one.`);
    if (!(await isConfirmed(context, verdict, shown))) {
      terminal.note('Nothing was decided.');
      return EXIT.interrupted;
    }
    // Naming what was shown makes sure that nothing else is decided.
    const [only] = shown;
    const approval_id = flags.approval ?? (shown.length === 1 ? only?.id : undefined);
    const decision: Decision = {
      by,
      ...(approval_id !== undefined && { approval_id }),
      ...(flags.comment !== undefined && { comment: flags.comment }),
      ...(fields && { fields }),
    };
    const outcome = await decide(connection, key, verdict, decision);
    if (context.flags.json) terminal.printJson({ task_key: key, ...outcome });
    else {
      const rest = outcome.missing > 0 ? `; ${outcome.missing} more needed` : '';
      terminal.print(`${outcome.approval_id} ${outcome.status}${rest}`);
    }
    return EXIT.ok;
  });
}

/** What the decider fills in, converted to the types that the approval asks for. @throws AbilityError. */
function readFields({ set = [] }: DecideFlags, shown: Approval[], context: Context): JsonObject | undefined {
  if (set.length === 0) return undefined;
  const [only, ...others] = shown;
  if (others.length > 0) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: `--set fills in one approval, and ${shown.length} are open`,
      suggestion: `Name it: --approval ${shown.map(({ id }) => id).join(' or ')}.`,
    });
  }
  const asked = Object.entries(only?.fields ?? {});
  const properties = Object.fromEntries(asked.map(([name, { type }]) => [name, { type }]));
  return parseInput({ set }, { properties }, context);
}

/** Only people at a terminal are asked; `--yes` skips the question, not the decision. Source: answers, 18. */
async function isConfirmed(context: Context, verdict: string, shown: Approval[]): Promise<boolean> {
  if (context.flags.yes || !context.terminal.canAsk() || shown.length === 0) return true;
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: `${verdict === 'approve' ? 'Approve' : 'Deny'} this?`,
    ...context.terminal.questions(),
  });
  return !isCancel(answer) && answer;
}
