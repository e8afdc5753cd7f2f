import { SESSIONS } from '../../../../authoring/choices.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError, formatLocation, usageError } from '../../../../contracts/problem.js';
import type { McpServer } from '../../../../definitions/formats/config.js';
import type { Loaded, Registry } from '../../../../definitions/registry.js';
import { defined } from '../../../../text/defined.js';
import type { ImportFlags } from '../../program/authoring.js';
import { type Context, environmentOf } from '../../program/context.js';
import {
  type ImportSite,
  type ImportSource,
  importIntoProject,
  runImporter,
  timeoutOf,
} from './import-into-project.js';

type Flags = ImportFlags['mcp'];

/**
 * `ability import mcp SERVER`: each tool of an MCP server becomes a low-level ability. Source:
 * docs/imports.md#an-mcp-server.
 */
export const run = runImporter<Flags, ImportSource>({ read: readTools, write: importIntoProject });

async function readTools({ context, registry, signal }: ImportSite, name: string, flags: Flags): Promise<ImportSource> {
  const timeoutMs = timeoutOf(flags);
  const environment = await environmentOf(context, registry);
  const { server, isNew } = await findServer(registry, name, flags);
  return {
    kind: 'mcp',
    name,
    location: locationOf(server.value),
    command: `ability import mcp ${name}`,
    async operations(prefix) {
      const { importTools } = await import('../../../../authoring/import/mcp/import-tools.js');
      const { tools, hasSession } = await listTools(context, registry, name, server, {
        environment,
        timeoutMs,
        signal,
      }).catch((error: unknown) => {
        throw isNew && error instanceof AbilityError ? unstarted(error) : error;
      });
      const imported = importTools(tools, { server: name, prefix });
      const isReadOnly = imported.operations.every(({ definition }) => READS.has(definition.effects));
      const proposed = hasSession && !isReadOnly ? 'task' : 'shared';
      const session = isNew ? await askSession(context, server.value, proposed) : server.value.session;
      const notes = [...imported.notes, ...(await placementNotes(registry, name, server.value))];
      if (session === undefined && proposed === 'task') {
        notes.push(
          `The tools of ${name} are not read-only, and all tasks share one connection; write \`session: task\` at its entry if a call depends on an earlier one, else \`session: shared\``,
        );
      }
      if (!isNew) return { ...imported, notes };
      return { ...imported, notes, config: { mcp_servers: { [name]: { ...server.value, session } as JsonObject } } };
    },
  };
}

type Session = (typeof SESSIONS)[number];

async function listTools(
  { env }: Context,
  registry: Registry,
  name: string,
  server: Loaded<McpServer>,
  options: { environment: string; timeoutMs: number; signal: AbortSignal },
) {
  const { EnvironmentVariables } = await import('../../../../planning/secrets/secret-source.js');
  const { resolveMcpServer } = await import('../../../../kinds/mcp/resolve.js');
  const { listTools: list } = await import('../../../../worker/list-tools.js');
  const { root } = registry;
  const known = { ...registry, mcpServers: new Map([...registry.mcpServers, [name, server]]) };
  const variables = new EnvironmentVariables(root, options.environment, env);
  return list(resolveMcpServer(known, name, { from: server, path: [] }, variables), { ...options, root, env });
}

const READS: ReadonlySet<unknown> = new Set(['read', 'external_read']);

/** Tools that change something may keep it for the next call, as a browser keeps its page. */
async function askSession(context: Context, { session }: McpServer, fallback: Session): Promise<Session> {
  const { askChoice } = await import('../../input/ask.js');
  const message = 'Does each task get a session of its own with the server, or do all tasks share one?';
  return askChoice(context, session, SESSIONS, { flag: '--session', message, fallback });
}

function unstarted(error: AbilityError): AbilityError {
  if (error.code !== 'mcp.start_failed') return error;
  const suggestion = 'Check --command or --url; nothing was written.';
  return new AbilityError({ ...error.toProblem(), suggestion }, { cause: error });
}

/** A server's name decides where its abilities run, perhaps to its author's surprise. Source: C-28. */
async function placementNotes({ project }: Registry, name: string, server: McpServer): Promise<string[]> {
  const { DEFAULT_CLOUD_SERVERS, resolvePlacement } = await import('../../../../planning/steps/placement.js');
  const { cloud = DEFAULT_CLOUD_SERVERS, local = [] } = project.placement;
  if ('url' in server || resolvePlacement([name], { cloud, local }) === 'local') return [];
  return [
    `Servers called ${name} may run in the cloud, so workers there will start this program; to keep it near, write \`placement: { local: [${name}] }\` in ability.yaml`,
  ];
}

/** The address or command of a server, without the parts of an address that may be secret. */
function locationOf(server: McpServer): string {
  if ('command' in server) return [server.command, ...server.args].join(' ');
  if (!URL.canParse(server.url)) return server.url;
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}

/**
 * The MCP server of a command: the configured one, or a new one by the flags. @throws AbilityError `usage.invalid`
 * if there is none, or the flags contradict it; the problem of a broken entry.
 */
async function findServer(
  registry: Registry,
  name: string,
  flags: Flags,
): Promise<{ server: Loaded<McpServer>; isNew: boolean }> {
  const broken = registry.broken.get(`mcp_server:${name}`);
  if (broken) throw new AbilityError(broken);
  const known = registry.mcpServers.get(name);
  const { command, url, envProfile, session } = flags;
  if ((command ?? url ?? envProfile ?? session) === undefined) {
    if (known) return { server: known, isNew: false };
    const { didYouMean } = await import('../../../../text/nearest.js');
    const define = 'Define it under `mcp_servers` in registry/config, or pass --command or --url.';
    const suggestion = didYouMean(name, registry.mcpServers.keys()) ?? define;
    throw usageError(`There is no MCP server ${name} in registry/config`, suggestion);
  }
  // What an earlier import asked for need not be said again.
  const value = await readServer(name, { ...flags, session: session ?? known?.value.session });
  const { isDeepStrictEqual } = await import('node:util');
  if (known && isDeepStrictEqual(known.value, value)) return { server: known, isNew: false };
  if (known) {
    throw usageError(
      `The MCP server ${name} is already in ${formatLocation(known.locate([]))}, with other settings`,
      'Leave out --command, --url, --env-profile and --session, or edit its entry.',
    );
  }
  const file = `registry/config/${name}.yaml`;
  return { server: { value, file, locate: () => ({ file }) }, isNew: true };
}

async function readServer(name: string, { command, url, envProfile, session }: Flags): Promise<McpServer> {
  if ((command === undefined) === (url === undefined)) {
    throw usageError('A new server has either --command or --url', 'Pass one of them.');
  }
  if (url !== undefined && envProfile !== undefined) {
    throw usageError('--env-profile is for the program of a server, and --url starts none', 'Leave it out.');
  }
  const { config } = await import('../../../../definitions/formats/config.js');
  const [program = '', ...args] = command === undefined ? [] : await splitCommand(command);
  const entry = url === undefined ? { command: program, args, env_profile: envProfile } : { url };
  const parsed = config.safeParse({ mcp_servers: { [name]: defined({ ...entry, session }) } });
  const server = parsed.data?.mcp_servers[name];
  if (server) return server;
  const reasons = parsed.error?.issues.map(({ message }) => message).join('; ') ?? 'it has no such form';
  throw usageError(`This cannot be the MCP server ${name}: ${reasons}`, 'Correct the name, --command or --url.');
}

async function splitCommand(line: string): Promise<string[]> {
  const { splitArguments } = await import('../../../../planning/scripts/resolve-arguments.js');
  try {
    return splitArguments(line, { file: '--command' });
  } catch {
    throw usageError('A quote in --command is not closed', 'Quotes group words; no shell reads them.');
  }
}
