import { spawn } from 'node:child_process';
import { USER_CLAIM } from '../../../contracts/access.js';
import { AbilityError } from '../../../contracts/problem.js';
import { DoorLink } from '../../../operations/over-http/door-link.js';
import { currentUser, refuseAgents } from '../../../operations/read-caller.js';
import { pageLink } from '../../../rules/tasks/task-link.js';
import { type Context, openRegistry, printAnswer, withSession } from '../program/context.js';
import { findRuntime } from '../program/project-client.js';

/**
 * `ability open [KEY]`: opens the page of the project's own runtime. The printed link lets its person in once; the page
 * keeps the runtime up. Where Temporal is elsewhere, the address of the team's page; through a door, that of its page, where
 * people sign in.
 */
export async function run(context: Context, [key]: [string | undefined]): Promise<void> {
  refuseAgents(context);
  const { env, terminal, door } = context;
  if (door) return show(context, pageLink(door.url, key));
  await withSession(context, await openRegistry(context), async ({ page }) => {
    const runtime = findRuntime(context);
    if (runtime) {
      show(context, await linkIn(runtime.socket, env, key));
      terminal.note('The link works once, within two minutes.');
    } else if (page !== null) show(context, pageLink(page, key));
    else throw noPage();
  });
}

/** Makes a link to the page of the runtime at a socket. */
async function linkIn(socket: string, env: NodeJS.ProcessEnv, key: string | undefined): Promise<string> {
  return DoorLink.using({ address: `unix:${socket}` }, async (link) => {
    const headers = { [USER_CLAIM.user]: encodeURIComponent(currentUser(env).name) };
    const { body } = await link.ask('POST', '/page-links', { headers, body: { to: pageLink('', key) || '/' } });
    return (body as { url: string }).url;
  });
}

function show(context: Context, url: string): void {
  printAnswer(context, { url }, () => url);
  if (context.terminal.isLive) openInBrowser(url, context.env);
}

function noPage(): AbilityError {
  return new AbilityError({
    code: 'config.invalid',
    message: 'Temporal is elsewhere here, and the address of the page is not known',
    suggestion: 'Run `ability serve`, and open its address; set ABILITY_PAGE_ADDRESS to it.',
  });
}

/** Does nothing where there is no desktop: the printed address can be opened by hand. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const program = env.BROWSER ?? (process.platform === 'darwin' ? 'open' : 'xdg-open');
  const child = spawn(program, [url], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {});
  child.unref();
}
