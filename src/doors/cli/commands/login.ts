import { hostname } from 'node:os';
import type { Right } from '../../../contracts/access.js';
import type { Json } from '../../../contracts/json.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { DoorLink } from '../../../operations/over-http/door-link.js';
import { currentUser, refuseAgents } from '../../../operations/read-caller.js';
import { oneLine, startOf } from '../../../rules/shown-text.js';
import { packageVersion } from '../../../server/installation.js';
import { keepLogin, readLogin } from '../../../server/keys/kept-logins.js';
import { loginsFile } from '../../../server/keys/logins-file.js';
import { sleep } from '../../../server/start-timer.js';
import { defined } from '../../../text/defined.js';
import type { AccessFlags } from '../program/access.js';
import { type Context, printAnswer } from '../program/context.js';
import type { CommandDoor } from '../program/door/command-door.js';
import { withInterruption } from './following/interruption.js';
import { openInBrowser } from './open.js';

interface Begun {
  device_code: string;
  user_code: string;
  /** Seconds. */
  interval: number;
  expires_in: number;
}

interface Token {
  access_token: string;
  expires_at: string;
  person: string;
  can: Right[];
}

/** How much longer to wait between two questions if the door asks for that. Source: RFC 8628, 3.5. */
const SLOWER_S = 5;
/** The most characters that a door accepts. */
const MAX_CLIENT = 200;

/** `ability login`: a token of its own for this command line, which a person confirms on the page of the door. */
export async function login(context: Context, _: [], { expires }: AccessFlags['login']): Promise<void> {
  refuseAgents(context, { message: 'This command was typed by an agent, and would get the token of a person' });
  const { terminal, env } = context;
  const door = doorOf(context);
  const file = loginsFile(env);
  // Fails before anyone is asked to confirm.
  readLogin(file, door.url);
  await DoorLink.using({ address: door.url }, async (link) => {
    const body = { client: clientOf(env), ...defined({ expires }) };
    const begun = (await link.ask('POST', '/v1/login/device', { body })).body as Json as unknown as Begun;
    const page = `${door.url}/device?code=${encodeURIComponent(begun.user_code)}`;
    terminal.note(`Confirm the code ${terminal.style('bold', oneLine(begun.user_code))} on the page: ${page}`);
    if (terminal.isLive) openInBrowser(page, env);
    const { access_token: token, ...got } = await withInterruption(context, (signal) =>
      untilToken(link, begun, signal),
    );
    keepLogin(file, door.url, { token, ...got });
    const { person, can, expires_at } = got;
    const text = `Signed in at ${door.url} as ${oneLine(person)}, who may ${can.join(', ')} there, until ${expires_at}.`;
    printAnswer(context, { door: door.url, person, can, expires_at }, () => text);
  });
}

/** `ability logout`: ends the token of `ability login` at the door, and removes it here. */
export async function logout(context: Context): Promise<void> {
  const { terminal, env } = context;
  const door = doorOf(context);
  const file = loginsFile(env);
  const kept = readLogin(file, door.url);
  if (!kept) {
    terminal.note(`You are not signed in at ${door.url}.`);
    return printAnswer(context, { door: door.url, status: 'not_signed_in' }, () => '');
  }
  try {
    await DoorLink.using({ address: door.url, token: kept.token }, (link) =>
      link.ask('POST', '/v1/logout', { body: {} }),
    );
  } catch (error) {
    // A token that the door does not know has ended; one that it was not asked about may go on.
    const isOver = error instanceof AbilityError && error.code === 'door.unauthenticated';
    if (!isOver)
      terminal.note(`The token is valid until ${kept.expires_at}, as the door did not end it: ${reasonOf(error)}`);
  }
  keepLogin(file, door.url, undefined);
  printAnswer(context, { door: door.url, status: 'signed_out' }, () => `Signed out at ${door.url}.`);
}

function doorOf({ door }: Context): CommandDoor {
  if (door) return door;
  throw usageError('No door is named', 'Name it: --door https://HOST, or ABILITY_DOOR.');
}

/** What the person reads who confirms. */
function clientOf(env: NodeJS.ProcessEnv): string {
  return startOf(oneLine(`ability ${packageVersion()} of ${currentUser(env).name} on ${hostname()}`), MAX_CLIENT);
}

/** @throws AbilityError `door.access_denied`, `door.expired_token`, `wait.interrupted`. */
async function untilToken(link: DoorLink, begun: Begun, signal: AbortSignal): Promise<Token> {
  const { device_code, interval, expires_in } = begun;
  const last = performance.now() + expires_in * 1000;
  for (let seconds = interval; ; ) {
    await sleep(seconds * 1000, signal);
    if (signal.aborted)
      throw new AbilityError({ code: 'wait.interrupted', message: 'Interrupted; you are not signed in' });
    try {
      const { body } = await link.ask('POST', '/v1/login/token', { body: { device_code } });
      const { access_token, expires_at, person, can } = body as Json as unknown as Token;
      return { access_token, expires_at, person, can };
    } catch (error) {
      const code = error instanceof AbilityError ? error.code : undefined;
      // A connection that breaks off is no answer.
      const isSlower = code === 'door.slow_down' || (code === 'door.unreachable' && performance.now() < last);
      if (isSlower) seconds += SLOWER_S;
      else if (code !== 'door.authorization_pending') throw error;
    }
  }
}
