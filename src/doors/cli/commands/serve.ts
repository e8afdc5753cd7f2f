import { connect } from '../../../client/index.js';
import { AbilityError, formatLocation, reasonOf } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Registry } from '../../../definitions/registry.js';
import { ownDefinitions } from '../../../planning/resolve/own-definitions.js';
import { usableTriggers } from '../../../planning/triggers/resolve-trigger-secret.js';
import { type FoundTrigger, unreadTriggers } from '../../../planning/triggers/stated-triggers.js';
import { AgentSessions } from '../../http/agent-sessions.js';
import { Connections } from '../../http/connections.js';
import { type HttpDoor, USUAL_LIMITS } from '../../http/http-door.js';
import { mcpDoorOn } from '../../http/mount-mcp.js';
import { openHttpDoor } from '../../http/open-http-door.js';
import { type Listening, readListening } from '../../http/read-listening.js';
import { endInTime } from '../../mcp/door-session.js';
import { unexposed } from '../../mcp/expose-abilities.js';
import { USUAL_TIMES } from '../../mcp/mcp-door.js';
import { skillOfProject } from '../../mcp/skill-of-project.js';
import { readCaller } from '../input/read-caller.js';
import { openTokens } from '../input/read-token.js';
import { asTyped } from '../output/typed-command.js';
import type { AccessFlags } from '../program/access.js';
import { type Context, currentUser, openLoader } from '../program/context.js';
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
  const { root, project } = registry;
  const tokens = openTokens(registry);
  // Fails for webhooks that cannot be accepted before anything listens.
  const webhooks = usableTriggers(registry, env);
  const listening = readListening(flags, tokens.hasOpen() || webhooks.length > 0);
  if (listening.proxyHeader !== undefined) refuseAgentAsProxy(context);
  const { address, namespace, profile } = context.flags;
  const note = (text: string): void => terminal.note(text);
  const connections = new Connections(() =>
    connect({
      ...{ root, project: project.project, address, namespace, profile, env, progress: note },
      definitions: ownDefinitions(() => loader.load()),
    }),
  );
  const closing = new AbortController();
  const mcp = {
    expose: flags.expose,
    skill: skillOfProject(root),
    lend: () => connections.lend(),
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
    },
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
      announce(context, listening, await listen(app, listening));
      noteWebhooks(registry, webhooks, note);
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

function noteWebhooks(registry: Registry, webhooks: FoundTrigger[], note: (text: string) => void): void {
  for (const { spec } of webhooks) note(`Receives webhooks at /v1/webhooks/${spec.webhook}, for ${spec.ability}.`);
  const unread = unreadTriggers(registry);
  if (!unread) return;
  const where = unread.location ? `${formatLocation(unread.location)}: ` : '';
  note(`Webhooks of a broken definition are not received: ${where}${unread.message}`);
}

/** The server trusts the proxy's header, so an agent could decide under any name. */
function refuseAgentAsProxy({ env }: Context): void {
  if (readCaller(env) !== 'agent') return;
  throw new AbilityError({
    code: 'approval.by_agent',
    message: 'This command was typed by an agent, and with --trust-proxy-user approvals can be decided',
    suggestion: 'Leave out --trust-proxy-user, or let a person start it.',
  });
}

type App = ReturnType<typeof openHttpDoor>;

async function listen(app: App, { host, port }: Listening): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new AbilityError(
      {
        code: 'door.not_listening',
        message: `The door cannot listen at ${host}, port ${port}: ${reasonOf(error)}`,
        suggestion: 'Choose another --port; 0 chooses any free one.',
      },
      { cause: error },
    );
  }
  const bound = app.server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}

function announce({ terminal, flags }: Context, { host, tls, isLocal, proxyHeader }: Listening, port: number): void {
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (flags.json) terminal.printJson({ status: 'up', url });
  else terminal.print(`${terminal.style('green', 'up')}  ${url}`);
  const who = isLocal
    ? 'Without a token anyone on this machine may read and run, as you; decisions require one.'
    : proxyHeader !== undefined
      ? `A token, or the header ${proxyHeader} of the proxy, identifies the user.`
      : 'Every request requires a token.';
  terminal.note(`${who} Press Ctrl-C to stop; ${url}/v1/openapi.json describes it.`);
}
