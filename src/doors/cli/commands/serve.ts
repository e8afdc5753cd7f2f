import { connect } from '../../../client/index.js';
import { AbilityError, formatLocation, reasonOf, usageError } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Registry } from '../../../definitions/registry.js';
import { currentUser, refuseAgents } from '../../../operations/read-caller.js';
import { ownDefinitions } from '../../../planning/resolve/own-definitions.js';
import { type FoundTrigger, unreadTriggers, usableTriggers } from '../../../planning/triggers/check-trigger.js';
import { rightsOfPerson } from '../../../rules/rights.js';
import { type DoorKey, ownDoorKey, publicKeyOf, readDoorKey } from '../../../server/keys/door-key.js';
import { pathsOf } from '../../../server/project-paths.js';
import { asTyped } from '../../../shown/typed-command.js';
import { AgentSessions } from '../../http/agent-sessions.js';
import { Connections } from '../../http/connections.js';
import { type HttpDoor, USUAL_LIMITS } from '../../http/http-door.js';
import { DeviceLogins } from '../../http/login/device-logins.js';
import { mcpDoorOn } from '../../http/mount-mcp.js';
import { openOidc } from '../../http/oidc/open-oidc.js';
import { openHttpDoor } from '../../http/open-http-door.js';
import { pageOf } from '../../http/page/page-door.js';
import { type Listening, readListening } from '../../http/read-listening.js';
import { type SlackApp, slackAppOf } from '../../http/slack/take-interaction.js';
import { endInTime } from '../../mcp/door-session.js';
import { unexposed } from '../../mcp/expose-abilities.js';
import { USUAL_TIMES } from '../../mcp/mcp-door.js';
import { skillOfProject } from '../../mcp/skill-of-project.js';
import { openTokens } from '../input/read-token.js';
import type { AccessFlags } from '../program/access.js';
import { type Context, connectionTo, openLoader, printAnswer } from '../program/context.js';
import { untilAborted, withInterruption } from './following/interruption.js';
import { strictly } from './task/review-definitions.js';

/** How often to check whether tokens have expired or were revoked. */
const TOKENS_MS = 2000;

/** `ability serve`: the HTTP door, until it is interrupted. */
export function run(context: Context, _: [], flags: AccessFlags['serve']): Promise<void> {
  return withInterruption(context, (signal) => serve(context, flags, signal));
}

async function serve(context: Context, flags: AccessFlags['serve'], interrupted: AbortSignal): Promise<void> {
  const { terminal, env } = context;
  const loader = await openLoader(context);
  const registry = loader.load();
  const { root } = registry;
  const tokens = openTokens(registry);
  // Fails for webhooks that cannot be accepted before anything listens.
  const webhooks = usableTriggers(registry, env);
  const oidc = await openOidc(flags, root, env);
  const slack = slackAppOf({ registry: () => registry, env });
  const isOpened = tokens.hasOpen() || webhooks.length > 0 || slack !== undefined;
  const listening = readListening(flags, isOpened, oidc !== undefined);
  if (listening.proxyHeader !== undefined) {
    // The server trusts the proxy's header, so an agent could decide under any name.
    refuseAgents(context, {
      message: 'This command was typed by an agent, and with --trust-proxy-user approvals can be decided',
      suggestion: 'Leave out --trust-proxy-user, or let a person start it.',
    });
  }
  const { note } = terminal;
  const definitions = ownDefinitions(() => loader.load());
  const connections = new Connections(() => connect({ ...connectionTo(context, registry), definitions }));
  const closing = new AbortController();
  const isProxied = flags.behindProxy !== undefined;
  const page = pageOf({
    root,
    tokens,
    isSecure: listening.tls !== undefined || isProxied,
    logins: new DeviceLogins(isProxied || listening.proxyHeader !== undefined),
    oidc,
  });
  const doorKey = findDoorKey(registry, env);
  let address: string | undefined;
  const mcp = {
    expose: flags.expose,
    skill: skillOfProject(root),
    lend: () => connections.lend(),
    findPage: async () => (address === undefined ? null : { address }),
    typed: (text: string) => asTyped(text, context),
    strict: () => strictly(context, loader.load()),
    ...USUAL_TIMES,
    tokensMs: TOKENS_MS,
  };
  const door: HttpDoor = {
    registry: () => loader.load(),
    environment: context.flags.env ?? (env.ABILITY_ENV || undefined),
    env,
    ask: (action) => connections.use(action),
    authentication: {
      findToken: (text) => tokens.authenticate(text),
      proxyHeader: listening.proxyHeader,
      local: listening.isLocal ? currentUser(env) : undefined,
      cookie: page.cookie,
      rightsOfPerson: (name, groups) => rightsOfPerson({ name, groups }, loader.load().project),
      doorKey,
    },
    page,
    isOwnHost: listening.isOwnHost,
    scope: findScope(root, context.cwd, undefined, env),
    sessions: new AgentSessions(),
    mcp,
    limits: USUAL_LIMITS,
    closing: closing.signal,
    note,
  };
  // Exposed tools depend on the environment: fails without one before anything listens.
  if (flags.expose.length > 0) unexposed(mcpDoorOn(door, mcp)).forEach(note);
  const app = openHttpDoor(door, listening.tls);
  try {
    // Fails if Temporal is unavailable before anything listens.
    await connections.use(async () => {});
    if (!interrupted.aborted) {
      const url = urlOf(listening, await listen(app, listening));
      if (flags.behindProxy !== undefined) address = `https://${flags.behindProxy}`;
      else if (listening.isAddress) address = url;
      announce(context, listening, url, oidc && `People sign in at ${address ?? url} with ${oidc.name}`);
      noteWebhooks(registry, webhooks, note);
      if (slack) noteSlack(slack, note);
      await untilAborted(interrupted);
    }
    note('Closing; tasks go on.');
    return;
  } finally {
    closing.abort();
    await app.close();
    await endInTime(
      door.sessions.endAll(() => connections.use((connection) => Promise.resolve(connection))),
      note,
    );
    await connections.close();
  }
}

/**
 * The key of ABILITY_DOOR_KEY, which workers have to know; else that of the project's own runtime. @throws AbilityError
 * `usage.invalid`.
 */
function findDoorKey({ root, project }: Registry, { ABILITY_DOOR_KEY: given }: NodeJS.ProcessEnv): () => DoorKey {
  if (!given) {
    const { doorKey: path } = pathsOf(root);
    return () => ownDoorKey(path);
  }
  const key = readDoorKey(given);
  if (project.doors[key.id] === publicKeyOf(key)) return () => key;
  throw usageError(
    `ability.yaml does not name the door ${key.id} of ABILITY_DOOR_KEY with its public key, so no worker would believe it`,
    `Add it: doors: { ${key.id}: ${publicKeyOf(key)} }.`,
  );
}

function noteWebhooks(registry: Registry, webhooks: FoundTrigger[], note: (text: string) => void): void {
  for (const { spec } of webhooks) note(`Receives webhooks at /v1/webhooks/${spec.webhook}, for ${spec.ability}.`);
  const unread = unreadTriggers(registry);
  if (!unread) return;
  const where = unread.location ? `${formatLocation(unread.location)}: ` : '';
  note(`Webhooks of a broken definition are not received: ${where}${unread.message}`);
}

function noteSlack({ slack: { signing_secret, bot_token }, source }: SlackApp, note: (text: string) => void): void {
  const missing = [signing_secret, bot_token].filter((reference) => !source.has(reference));
  const refused = missing.length > 0 ? `, but refuses them: ${missing.join(' and ')} is not set here` : '';
  note(`Takes decisions from Slack at /v1/slack/interactions${refused}.`);
}

type App = ReturnType<typeof openHttpDoor>;

async function listen(app: App, { host, port }: Listening): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const message = `The door cannot listen at ${host}, port ${port}: ${reasonOf(error)}`;
    const suggestion = 'Choose another --port; 0 chooses any free one.';
    throw new AbilityError({ code: 'door.not_listening', message, suggestion }, { cause: error });
  }
  const bound = app.server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}

function urlOf({ host, tls }: Listening, port: number): string {
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function announce(
  context: Context,
  { isLocal, proxyHeader }: Listening,
  url: string,
  signIn: string | undefined,
): void {
  const { terminal } = context;
  printAnswer(context, { status: 'up', url }, () => `${terminal.style('green', 'up')}  ${url}`);
  const who = isLocal
    ? 'Without a token anyone on this machine may read and run, as you; decisions require one.'
    : proxyHeader !== undefined
      ? `A token, or the header ${proxyHeader} of the proxy, identifies the user.`
      : signIn !== undefined
        ? `${signIn}; every other request requires a token.`
        : 'Every request requires a token.';
  terminal.note(`${who} Press Ctrl-C to stop; ${url}/v1/openapi.json describes it.`);
}
