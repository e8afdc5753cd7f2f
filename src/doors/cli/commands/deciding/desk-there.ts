import type { LastApproved, ShownApproval } from '../../../../client/index.js';
import type { Grant } from '../../../../contracts/approvals.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { defined } from '../../../../text/defined.js';
import type { Context } from '../../program/context.js';
import type { CommandDoor } from '../../program/door/command-door.js';
import { type DoorSelf, withDoor } from '../../program/door/door-client.js';
import { type Desk, NOTHING_SHOWN } from './desk.js';

type WithLast = ShownApproval & { last_approved?: LastApproved | null };

/** The project behind a door, as the person whom the door knows. */
export function atDeskThere<T>(context: Context, door: CommandDoor, action: (desk: Desk) => Promise<T>): Promise<T> {
  return withDoor(context, door, (client) => {
    const desk: Desk = {
      read: (key) => client.call('readApprovals', { key }),
      list: () => client.call('listApprovals', {}),
      async lastOf(approval: WithLast) {
        if (approval.last_approved !== undefined) return approval.last_approved;
        const open: WithLast[] = await client.call('readApprovals', { key: approval.task_key });
        return open.find(({ id }) => id === approval.id)?.last_approved ?? null;
      },
      async decider(as, isProved) {
        const by = deciderOf(await client.me(), as, door);
        return { by, known: isProved ? 'which your token proves' : 'as the door knows you' };
      },
      send(key, _, decision, { approval_id: approval, comment, fields, grant, denied_items }) {
        if (approval === NOTHING_SHOWN) throw nothingOpen();
        return client.call('decide', {
          key,
          approval,
          decision,
          ...defined({
            comment,
            fields,
            grant: grant as Grant | undefined,
            denied_items: denied_items as number[] | undefined,
          }),
        });
      },
    };
    return action(desk);
  });
}

function deciderOf({ person, agent, rights }: DoorSelf, as: string | undefined, { url }: CommandDoor): string {
  if (agent !== null) {
    const message = `The token is that of the agent ${agent}, and agents decide no approval`;
    const suggestion = 'Ask a person to decide, with a token of their own.';
    throw new AbilityError({ code: 'approval.by_agent', message, suggestion });
  }
  if (as !== undefined && as !== person) {
    const message = `You are ${person} at ${url}, and not ${as}`;
    throw new AbilityError({ code: 'approval.unproved', message, suggestion: 'Leave out --as.' });
  }
  if (rights.includes('approve')) return person;
  throw new AbilityError({
    code: 'door.forbidden',
    message: `You are ${person} at ${url}, and may ${rights.join(', ')} there, but not approve`,
    suggestion: 'Sign in as a person who may: `ability login`.',
  });
}

function nothingOpen(): AbilityError {
  return new AbilityError({
    code: 'approval.ignored',
    message: 'The decision did not count: no approval is open',
    suggestion: 'Run `ability approvals` to see what is open.',
  });
}
