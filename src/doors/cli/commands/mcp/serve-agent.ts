import type { Readable } from 'node:stream';
import { type Connection, connect } from '../../../../client/index.js';
import { findScope } from '../../../../definitions/find-scope.js';
import { findPageOf } from '../../../../operations/over-http/find-page.js';
import { currentUser } from '../../../../operations/read-caller.js';
import { rightsOf } from '../../../../rules/rights.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { Connections } from '../../../http/connections.js';
import { CallQueue } from '../../../mcp/call-queue.js';
import { DoorSession, endInTime } from '../../../mcp/door-session.js';
import { unexposed } from '../../../mcp/expose-abilities.js';
import { type McpDoor, type Page, USUAL_TIMES, type Visitor } from '../../../mcp/mcp-door.js';
import { serveCaller, transportOver } from '../../../mcp/serve-stdio.js';
import { skillOfProject } from '../../../mcp/skill-of-project.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, connectionTo, environmentOf, openLoader } from '../../program/context.js';
import { withInterruption } from '../following/interruption.js';
import { strictly } from '../task/review-definitions.js';

type Flags = AgentToolFlags['mcp'];

/** Serves the agent that writes to stdin, until either side ends it. */
export async function serveAgent(context: Context, flags: Flags, stdin: Readable): Promise<void> {
  const { terminal, env } = context;
  const loader = await openLoader(context);
  const registry = loader.load();
  const connections = new Connections(() => connect(connectionTo(context, registry)));
  const door: McpDoor = {
    registry: () => loader.load(),
    environment: await environmentOf(context, registry),
    expose: flags.expose,
    scope: findScope(registry.root, context.cwd, flags.scope, env),
    skill: skillOfProject(registry.root),
    lend: () => connections.lend(),
    findPage,
    env,
    typed: (text) => asTyped(text, context),
    strict: () => strictly(context, loader.load()),
    note: terminal.note,
    ...USUAL_TIMES,
  };
  unexposed(door).forEach(terminal.note);
  const session = new DoorSession(flags.session ?? (env.ABILITY_SESSION || undefined));
  const visitor: Visitor = {
    person: currentUser(env),
    rights: flags.access === 'run' ? rightsOf('read', 'run') : rightsOf('read'),
    session,
    calls: new CallQueue(),
  };
  const transport = transportOver(stdin, process.stdout);
  try {
    await withInterruption(context, (signal) => serveCaller(door, visitor, transport, signal));
  } finally {
    await endInTime(
      session.close(() => connections.use((connection) => Promise.resolve(connection))),
      door.note,
    );
    await connections.close();
  }
}

/** Only the own runtime of a project has a page that `ability open` opens. */
async function findPage({ isOwnRuntime, runtime }: Connection): Promise<Page> {
  if (!isOwnRuntime) return null;
  const address = runtime && (await findPageOf(runtime));
  return address === undefined ? { command: 'ability open' } : { address };
}
