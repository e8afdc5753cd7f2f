import { SESSIONS } from '../../../../authoring/choices.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { McpServer } from '../../../../definitions/formats/config.js';
import type { Loaded, Registry } from '../../../../definitions/registry.js';
import { findServer } from '../../input/mcp-server-flags.js';
import { type Context, environmentOf, openLoader } from '../../program/context.js';
import type { ImportFlags } from '../../program/imports.js';
import { unlessInterrupted } from '../following/interruption.js';
import { importIntoProject, timeoutOf } from './import-into-project.js';

/**
 * `ability import mcp SERVER`: each tool of an MCP server becomes a low-level ability. Source:
 * docs/imports.md#an-mcp-server.
 */
export async function run(context: Context, [name]: [string], flags: ImportFlags['mcp']): Promise<void> {
  const timeoutMs = timeoutOf(flags);
  const loader = await openLoader(context);
  const registry = loader.load();
  const environment = await environmentOf(context, registry);
  const { server, isNew } = await findServer(registry, name, flags);
  return unlessInterrupted(context, (signal) =>
    importIntoProject(
      context,
      loader,
      {
        kind: 'mcp',
        name,
        location: locationOf(server.value),
        command: `ability import mcp ${name}`,
        read: (prefix) => readTools(context, registry, { name, server, isNew, prefix, environment, timeoutMs }, signal),
      },
      flags,
      signal,
    ),
  );
}

type Session = (typeof SESSIONS)[number];

interface Reading {
  name: string;
  server: Loaded<McpServer>;
  isNew: boolean;
  prefix: string;
  environment: string;
  timeoutMs: number;
}

async function readTools(
  context: Context,
  registry: Registry,
  { name, server, isNew, prefix, environment, timeoutMs }: Reading,
  signal: AbortSignal,
) {
  const { importTools } = await import('../../../../authoring/import/mcp/import-tools.js');
  const { EnvironmentVariables } = await import('../../../../planning/secrets/secret-source.js');
  const { resolveMcpServer } = await import('../../../../planning/resolve/resolve-implementation.js');
  const { listTools } = await import('../../../../worker/list-tools.js');
  const { root } = registry;
  const { env } = context;
  const known = { ...registry, mcpServers: new Map([...registry.mcpServers, [name, server]]) };
  const resolved = resolveMcpServer(known, name, server, [], new EnvironmentVariables(root, environment, env));
  const { tools, hasSession } = await listTools(resolved, { root, environment, timeoutMs, signal, env }).catch(
    (error: unknown) => {
      throw isNew && error instanceof AbilityError ? unstarted(error) : error;
    },
  );
  const imported = importTools(tools, { server: name, prefix });
  const isReadOnly = imported.operations.every(({ definition }) => READS.has(definition.effects));
  const proposed = hasSession && !isReadOnly ? 'task' : 'shared';
  const value = isNew ? { ...server.value, session: await askSession(context, server.value, proposed) } : server.value;
  return {
    ...imported,
    notes: [
      ...imported.notes,
      ...(await placementNotes(registry, name, server.value)),
      ...(value.session === undefined && proposed === 'task' ? [unsaidSession(name)] : []),
    ],
    ...(isNew && { config: { mcp_servers: { [name]: value as JsonObject } } }),
  };
}

const READS: ReadonlySet<unknown> = new Set(['read', 'external_read']);

/** Tools that change something may keep it for the next call, as a browser keeps its page. */
async function askSession(context: Context, { session }: McpServer, fallback: Session): Promise<Session> {
  const { askChoice } = await import('../../input/ask.js');
  const message = 'Does each task get a session of its own with the server, or do all tasks share one?';
  return askChoice(context, session, SESSIONS, { flag: '--session', message, fallback });
}

function unsaidSession(name: string): string {
  return `The tools of ${name} are not read-only, and all tasks share one connection; write \`session: task\` at its entry if a call depends on an earlier one, else \`session: shared\``;
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
