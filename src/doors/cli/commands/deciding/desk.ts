import type { LastApproved, ShownApproval } from '../../../../client/index.js';
import type { Decision, DecisionOutcome, Grant, Verdict } from '../../../../contracts/approvals.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { currentUser } from '../../../../operations/read-caller.js';
import { generalPath } from '../../../../rules/steps/step-tree.js';
import { provableUser } from '../../../../server/keys/proof-key.js';
import { defined } from '../../../../text/defined.js';
import { type CommandToken, readToken } from '../../input/read-token.js';
import { type Context, openRegistry } from '../../program/context.js';
import type { CommandDoor } from '../../program/door/command-door.js';
import type { DoorClient, DoorSelf } from '../../program/door/door-client.js';
import { withProject } from '../../program/project-client.js';
import type { ProjectClient } from '../../program/project-operations.js';

/** Where approvals are read and decided: in this project, or through a door. Known secrets are masked. */
export interface Desk {
  /** @throws AbilityError `task.not_found`, `worker.unavailable`. */
  read(key: string): Promise<ShownApproval[]>;
  list(): Promise<ShownApproval[]>;
  /** What was approved last of the same kind. */
  lastOf(approval: ShownApproval): Promise<LastApproved | null>;
  /**
   * Who decides, and how that is known, in words. @param as who was named. @param isProved whether proof is required.
   * @throws AbilityError `approval.unproved`, `approval.by_agent`, `door.forbidden`.
   */
  decider(as: string | undefined, isProved: boolean): Promise<{ by: string; known: string }>;
  /** Sends a decision to the task that asks: the named one, or one that it has called. @param approval undefined: none was shown. */
  send(
    key: string,
    approval: ShownApproval | undefined,
    verdict: Verdict,
    decision: Decision & { approval_id: string },
  ): Promise<Pick<Extract<DecisionOutcome, { counted: true }>, 'approval_id' | 'status' | 'missing'>>;
}

/** The id sent if no approval was shown; no approval has this id. */
export const NOTHING_SHOWN = '(none shown)';

export async function atDesk<T>(context: Context, action: (desk: Desk) => Promise<T>): Promise<T> {
  const { door } = context;
  if (!door)
    return withProject(context, (project) => action({ ...reading(project), ...decidingHere(context, project) }));
  const { withDoor } = await import('../../program/door/door-client.js');
  return withDoor(context, door, (client) => action({ ...reading(client), ...decidingThere(client, door) }));
}

type WithLast = ShownApproval & { last_approved?: LastApproved | null };

function reading(project: ProjectClient): Pick<Desk, 'read' | 'list' | 'lastOf'> {
  // All approvals of a step share their last one.
  const known = new Map<string, Promise<LastApproved | null>>();
  const find = async ({ task_key: key, id }: WithLast): Promise<LastApproved | null> => {
    const open: WithLast[] = await project.call('readApprovals', { key });
    return open.find((one) => one.id === id)?.last_approved ?? null;
  };
  return {
    read: (key) => project.call('readApprovals', { key }),
    list: () => project.call('listApprovals', {}),
    async lastOf(approval: WithLast) {
      if (approval.last_approved !== undefined) return approval.last_approved;
      const step = `${approval.task_ability} ${generalPath(approval.path)}`;
      const last = known.get(step) ?? find(approval);
      known.set(step, last);
      return last;
    },
  };
}

type Deciding = Pick<Desk, 'decider' | 'send'>;

/** With a token, or as the user who owns the runtime. */
function decidingHere(context: Context, project: ProjectClient): Deciding {
  let token: CommandToken | undefined;
  return {
    async decider(as, isProved) {
      token = readToken(context, await openRegistry(context));
      const by = deciderHere(context, as, isProved, token);
      return { by, known: isProved ? 'which has to be proved' : 'this is a claim, and is recorded as one' };
    },
    async send(key, approval, verdict, decision) {
      const { decide, withProof } = await import('../../../../client/index.js');
      return project.here((connection) => {
        if (!approval) return decide(connection, key, verdict, decision).catch(refuseNothingOpen(decision));
        const proved = withProof(connection, approval, verdict, decision, { token: token?.text, door: null });
        return decide(connection, approval.task ?? key, verdict, proved);
      });
    },
  };
}

function refuseNothingOpen({ approval_id }: Decision): (error: unknown) => never {
  return (error) => {
    const isNone = approval_id === NOTHING_SHOWN && error instanceof AbilityError && error.code === 'approval.ignored';
    throw isNone ? nothingOpen(error) : error;
  };
}

/**
 * The person of the token, else `--as`, else the user; where proof is required, the user who can be proved.
 * @throws AbilityError `approval.unproved` if `--as` is not the person of the token.
 */
function deciderHere({ env }: Context, as: string | undefined, isProved: boolean, token: CommandToken | undefined) {
  const person = token?.token?.person;
  if (person !== undefined && as !== undefined && as !== person)
    throw unproved(`ABILITY_TOKEN is the token of ${person}, and not of ${as}`);
  return person ?? as ?? (isProved && !token ? provableUser() : currentUser(env).name);
}

/** As the person whom the door knows. */
function decidingThere(client: DoorClient, door: CommandDoor): Deciding {
  return {
    async decider(as, isProved) {
      const by = deciderThere(await client.me(), as, door);
      return { by, known: isProved ? 'which your token proves' : 'as the door knows you' };
    },
    send(key, _, decision, { approval_id: approval, comment, fields, grant, denied_items }) {
      if (approval === NOTHING_SHOWN) throw nothingOpen();
      const more = {
        comment,
        fields,
        grant: grant as Grant | undefined,
        denied_items: denied_items as number[] | undefined,
      };
      return client.call('decide', { key, approval, decision, ...defined(more) });
    },
  };
}

function deciderThere({ person, agent, rights }: DoorSelf, as: string | undefined, { url }: CommandDoor): string {
  if (agent !== null) {
    const message = `The token is that of the agent ${agent}, and agents decide no approval`;
    const suggestion = 'Ask a person to decide, with a token of their own.';
    throw new AbilityError({ code: 'approval.by_agent', message, suggestion });
  }
  if (as !== undefined && as !== person) throw unproved(`You are ${person} at ${url}, and not ${as}`);
  if (rights.includes('approve')) return person;
  throw new AbilityError({
    code: 'door.forbidden',
    message: `You are ${person} at ${url}, and may ${rights.join(', ')} there, but not approve`,
    suggestion: 'Sign in as a person who may: `ability login`.',
  });
}

function unproved(message: string): AbilityError {
  return new AbilityError({ code: 'approval.unproved', message, suggestion: 'Leave out --as.' });
}

function nothingOpen(cause?: AbilityError): AbilityError {
  const message = 'The decision did not count: no approval is open';
  const plain = { code: 'approval.ignored', suggestion: 'Run `ability approvals` to see what is open.' };
  return new AbilityError({ ...(cause?.toProblem() ?? plain), message }, { cause });
}
