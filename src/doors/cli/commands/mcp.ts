import { connect } from '../../../client/index.js';
import { usageError } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import { Connections } from '../../http/connections.js';
import { CallQueue } from '../../mcp/call-queue.js';
import { DoorSession, endInTime } from '../../mcp/door-session.js';
import { unexposed } from '../../mcp/expose-abilities.js';
import { type McpDoor, USUAL_TIMES, type Visitor } from '../../mcp/mcp-door.js';
import { serveCaller, transportOver } from '../../mcp/serve-stdio.js';
import { skillOfProject } from '../../mcp/skill-of-project.js';
import { asTyped } from '../output/typed-command.js';
import type { AgentToolFlags } from '../program/agent-tools.js';
import { type Context, currentUser, environmentOf, openLoader } from '../program/context.js';
import { interruption } from './following/interruption.js';
import { strictly } from './task/review-definitions.js';

type Flags = AgentToolFlags['mcp'];

/** `ability mcp`: the door for agents, on stdin and stdout; messages for people go to stderr. */
export async function run(context: Context, _: [], flags: Flags): Promise<void> {
  const { terminal, env } = context;
  refuseUnusedGlobs(flags);
  const loader = await openLoader(context);
  const registry = loader.load();
  const connections = new Connections(() => connectTo(context, registry));
  const door: McpDoor = {
    registry: () => loader.load(),
    environment: await environmentOf(context, registry),
    expose: flags.expose,
    scope: findScope(registry.root, context.cwd, flags.scope, env),
    skill: skillOfProject(registry.root),
    lend: () => connections.lend(),
    env,
    typed: (text) => asTyped(text, context),
    strict: () => strictly(context, loader.load()),
    note: (text) => terminal.note(text),
    ...USUAL_TIMES,
  };
  for (const note of unexposed(door)) terminal.note(note);
  const session = new DoorSession(flags.session ?? (env.ABILITY_SESSION || undefined));
  const visitor: Visitor = { person: currentUser(env), access: flags.access, session, calls: new CallQueue() };
  const interrupted = interruption(context);
  const { stdin, stdout } = process;
  try {
    await serveCaller(door, visitor, transportOver(stdin, stdout), interrupted.signal);
  } finally {
    interrupted.done();
    await endInTime(
      session.close(() => connections.use((connection) => Promise.resolve(connection))),
      door.note,
    );
    await connections.close();
  }
}

/** @throws AbilityError `usage.invalid`. */
function refuseUnusedGlobs({ access, expose }: Flags): void {
  if (access === 'run' || expose.length === 0) return;
  throw usageError(
    '--expose makes tools that run abilities, which --access read does not allow',
    'Pass --access run as well, or leave out --expose.',
  );
}

function connectTo(context: Context, { root, project }: { root: string; project: { project: string } }) {
  const { terminal, env, flags } = context;
  const { address, namespace, profile } = flags;
  const progress = (text: string): void => terminal.note(text);
  return connect({ root, project: project.project, address, namespace, profile, env, progress });
}
