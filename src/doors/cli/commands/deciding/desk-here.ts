import {
  type Connection,
  decide,
  findLastApproved,
  keepingRuntime,
  type LastApproved,
  listApprovals,
  readApprovals,
  type ShownApproval,
  withProof,
} from '../../../../client/index.js';
import type { Decision } from '../../../../contracts/approvals.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { masking } from '../../../../operations/mask-secrets.js';
import { currentUser } from '../../../../operations/read-caller.js';
import { generalPath } from '../../../../rules/steps/turn-paths.js';
import { provableUser } from '../../../../server/keys/proof-key.js';
import { type CommandToken, readToken } from '../../input/read-token.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import { type Desk, NOTHING_SHOWN } from './desk.js';

/** The project of the command, with a token or as the user who owns the runtime. */
export async function atDeskHere<T>(context: Context, action: (desk: Desk) => Promise<T>): Promise<T> {
  const registry = await openRegistry(context);
  return withSession(context, registry, async (connection) => {
    const mask = await masking(context, registry);
    const masked = (shown: readonly ShownApproval[]) => shown.map((one) => mask(one, one.what.environment));
    const lastOf = rememberingLast(connection);
    let token: CommandToken | undefined;
    const desk: Desk = {
      read: async (key) => masked(await keepingRuntime(connection, () => readApprovals(connection, key))),
      list: async () => masked(await keepingRuntime(connection, () => listApprovals(connection))),
      lastOf: async (approval) => mask(await lastOf(approval), approval.what.environment),
      async decider(as, isProved) {
        token = readToken(context, registry);
        const by = chooseDecider(context, as, isProved, token);
        return { by, known: isProved ? 'which has to be proved' : 'this is a claim, and is recorded as one' };
      },
      send(key, approval, verdict, decision) {
        if (!approval) return decide(connection, key, verdict, decision).catch(refuseNothingOpen(decision));
        const proved = withProof(connection, approval, verdict, decision, { token: token?.text, door: null });
        return decide(connection, approval.task ?? key, verdict, proved);
      },
    };
    return action(desk);
  });
}

function refuseNothingOpen({ approval_id }: Decision): (error: unknown) => never {
  return (error) => {
    const isNone = approval_id === NOTHING_SHOWN && error instanceof AbilityError && error.code === 'approval.ignored';
    if (!isNone) throw error;
    const message = 'The decision did not count: no approval is open';
    throw new AbilityError({ ...error.toProblem(), message }, { cause: error });
  };
}

/**
 * The person of the token, else `--as`, else the user; where proof is required, the user who can be proved.
 * @throws AbilityError `approval.unproved` if `--as` is not the person of the token.
 */
function chooseDecider(
  context: Context,
  as: string | undefined,
  isProved: boolean,
  token: CommandToken | undefined,
): string {
  const person = token?.token?.person;
  if (person !== undefined && as !== undefined && as !== person) {
    throw new AbilityError({
      code: 'approval.unproved',
      message: `ABILITY_TOKEN is the token of ${person}, and not of ${as}`,
      suggestion: 'Leave out --as.',
    });
  }
  return person ?? as ?? (isProved && !token ? provableUser() : currentUser(context.env).name);
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
