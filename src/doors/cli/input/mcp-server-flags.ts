import { AbilityError, formatLocation, usageError } from '../../../contracts/problem.js';
import type { McpServer } from '../../../definitions/formats/config.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import type { ImportFlags } from '../program/imports.js';

type ServerFlags = Pick<ImportFlags['mcp'], 'command' | 'url' | 'envProfile' | 'session'>;

/**
 * The MCP server of a command: the configured one, or a new one by the flags. @throws AbilityError `usage.invalid`
 * if there is none, or the flags contradict it; the problem of a broken entry.
 */
export async function findServer(
  registry: Registry,
  name: string,
  flags: ServerFlags,
): Promise<{ server: Loaded<McpServer>; isNew: boolean }> {
  const broken = registry.broken.get(`mcp_server:${name}`);
  if (broken) throw new AbilityError(broken);
  const known = registry.mcpServers.get(name);
  const { command, url, envProfile, session } = flags;
  if ([command, url, envProfile, session].every((flag) => flag === undefined)) {
    if (known) return { server: known, isNew: false };
    throw await noServer(registry, name);
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

async function readServer(name: string, { command, url, envProfile, session }: ServerFlags): Promise<McpServer> {
  if ((command === undefined) === (url === undefined)) {
    throw usageError('A new server has either --command or --url', 'Pass one of them.');
  }
  if (url !== undefined && envProfile !== undefined) {
    throw usageError('--env-profile is for the program of a server, and --url starts none', 'Leave it out.');
  }
  const { config } = await import('../../../definitions/formats/config.js');
  const [program = '', ...args] = command === undefined ? [] : await splitCommand(command);
  const entry =
    url === undefined
      ? { command: program, args, ...(envProfile !== undefined && { env_profile: envProfile }) }
      : { url };
  const parsed = config.safeParse({ mcp_servers: { [name]: { ...entry, ...(session !== undefined && { session }) } } });
  const server = parsed.data?.mcp_servers[name];
  if (server) return server;
  const reasons = parsed.error?.issues.map(({ message }) => message).join('; ') ?? 'it has no such form';
  throw usageError(`This cannot be the MCP server ${name}: ${reasons}`, 'Correct the name, --command or --url.');
}

async function splitCommand(line: string): Promise<string[]> {
  const { splitArguments } = await import('../../../planning/scripts/resolve-arguments.js');
  try {
    return splitArguments(line, { file: '--command' });
  } catch {
    throw usageError('A quote in --command is not closed', 'Quotes group words; no shell reads them.');
  }
}

async function noServer(registry: Registry, name: string): Promise<AbilityError> {
  const { didYouMean } = await import('../../../text/nearest.js');
  const suggestion =
    didYouMean(name, registry.mcpServers.keys()) ??
    'Define it under `mcp_servers` in registry/config, or pass --command or --url.';
  return usageError(`There is no MCP server ${name} in registry/config`, suggestion);
}
