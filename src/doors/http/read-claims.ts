import { USER_CLAIM } from '../../contracts/access.js';
import { AbilityError } from '../../contracts/problem.js';
import { oneLine } from '../../rules/shown-text.js';
import { readCaller } from '../cli/input/read-caller.js';
import type { HttpCaller } from './caller.js';

/** A request, as far as it says who sends it. */
export interface Shown {
  headers: Record<string, string | string[] | undefined>;
}

const MOST_NAME = 100;

/**
 * Who asks, as the request itself says. Over the socket of a runtime, to which only its owner connects, that is believed as on the command
 * line, unless a token says who it is; elsewhere it must be who the door knows.
 *
 * @throws AbilityError `door.forbidden` for another name, `door.bad_request` for none.
 */
export function readClaims(known: HttpCaller, { headers }: Shown, believes: boolean): HttpCaller {
  const [user, kind] = [nameIn(headers[USER_CLAIM.user]), headers[USER_CLAIM.caller]];
  const isBelieved = believes && known.token === undefined;
  if (!isBelieved) {
    if (user !== undefined && user !== known.person.name) throw another(user, known.person.name);
    if (kind !== undefined && kind !== known.kind) throw another(String(kind), known.kind ?? 'of no kind');
    return known;
  }
  return {
    ...known,
    ...(user !== undefined && { person: { name: user, source: 'claimed' } }),
    ...(kind !== undefined && { kind: readCaller({ ABILITY_CALLER: String(kind) }) }),
  };
}

function nameIn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    const name = decodeURIComponent(String(header)).trim();
    if (name !== '' && name.length <= MOST_NAME && oneLine(name) === name) return name;
  } catch {
    // It is not encoded as an address is.
  }
  throw new AbilityError({ code: 'door.bad_request', message: `${USER_CLAIM.user} names no person` });
}

function another(said: string, known: string): AbilityError {
  return new AbilityError({
    code: 'door.forbidden',
    message: `The request is asked for by ${oneLine(said)}, and the door knows who sends it as ${known}`,
    suggestion: `Ask as ${known}, or with a token of ${oneLine(said)}.`,
  });
}
