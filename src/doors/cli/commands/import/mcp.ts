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
        read: (prefix) =>
          readTools(registry, { name, server, isNew, prefix, environment, timeoutMs, env: context.env }, signal),
      },
      flags,
      signal,
    ),
  );
}

interface Reading {
  name: string;
  server: Loaded<McpServer>;
  isNew: boolean;
  prefix: string;
  environment: string;
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
}

async function readTools(
  registry: Registry,
  { name, server, isNew, prefix, environment, timeoutMs, env }: Reading,
  signal: AbortSignal,
) {
  const { importTools } = await import('../../../../authoring/import/mcp/import-tools.js');
  const { EnvironmentVariables } = await import('../../../../planning/secrets/secret-source.js');
  const { resolveMcpServer } = await import('../../../../planning/resolve/resolve-implementation.js');
  const { listTools } = await import('../../../../worker/list-tools.js');
  const { root } = registry;
  const known = { ...registry, mcpServers: new Map([...registry.mcpServers, [name, server]]) };
  const resolved = resolveMcpServer(known, name, server, [], new EnvironmentVariables(root, environment, env));
  const tools = await listTools(resolved, { root, environment, timeoutMs, signal, env }).catch((error: unknown) => {
    throw isNew && error instanceof AbilityError ? unstarted(error) : error;
  });
  const imported = importTools(tools, { server: name, prefix });
  return {
    ...imported,
    notes: [...imported.notes, ...(await placementNotes(registry, name, server.value))],
    ...(isNew && { config: { mcp_servers: { [name]: server.value as JsonObject } } }),
  };
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
