import type { PlanMcpServer } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import type { ChosenImplementation, Resolver } from '../../planning/resolve/choose-implementation.js';
import { refuseMissingCredential, resolveAddress } from '../../planning/resolve/resolve-address.js';
import { refuseMissing, wordsToRun } from '../../planning/scripts/interpreter.js';
import { headerTexts, plainTexts } from '../../planning/scripts/placeholders.js';
import { resolveConfinement } from '../../planning/scripts/resolve-confinement.js';
import { resolveEnvProfile } from '../../planning/scripts/resolve-script.js';
import { projectFilesOf } from '../../planning/scripts/script-files.js';
import type { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { notThere } from '../../planning/steps/check-names.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';

export const resolveMcpSection: Resolver<'mcp'> = ({ mcp }, { registry, chosen, variables }) => {
  const { settings } = chosen;
  const { tool, server } = { ...mcp, ...defined({ tool: settings?.mcp_tool, server: settings?.mcp_server }) };
  if (!server || !tool) throw incomplete(chosen, variables.environment, server ? 'tool' : 'server');
  // The pin is of this tool, on any server of the environment.
  const pinned = tool === mcp.tool ? mcp.pinned?.slice('sha256:'.length) : undefined;
  return {
    kind: 'mcp',
    mcp: {
      server: resolveMcpServer(registry, server, within(chosen, 'mcp', 'server'), variables),
      tool,
      output: mcp.output ?? 'as_is',
      ...defined({ big_integers: mcp.big_integers, pinned }),
    },
  };
};

function incomplete(chosen: ChosenImplementation, environment: string, key: string): AbilityError {
  return new AbilityError({
    code: 'config.no_implementation',
    message: `The implementation names no MCP ${key}, and the configuration of ${environment} names none either`,
    location: locationOf(within(chosen, 'mcp')),
    suggestion: `Set \`${key}\` here, or \`mcp_${key}\` in registry/config.`,
  });
}

/**
 * The command of a stdio server that is a file of the project runs as a script does, but in its place.
 * @throws AbilityError `definition.unknown_reference`, `script.not_executable`, `config.*`, `denied.host`.
 */
export function resolveMcpServer(
  registry: Registry,
  name: string,
  spot: Spot,
  variables: EnvironmentVariables,
): PlanMcpServer {
  const server = registry.mcpServers.get(name);
  if (!server) {
    throw notThere(registry, `mcp_server:${name}`, {
      message: `There is no MCP server ${name}`,
      location: locationOf(spot),
      suggestion: didYouMean(name, registry.mcpServers.keys()) ?? 'Define it under `mcp_servers` in registry/config.',
    });
  }
  const { value } = server;
  const at = (key: string): Spot => ({ from: server, path: [key] });
  const own = { name, ...(value.session === 'task' && { session: value.session }) };
  if ('command' in value) {
    const env = resolveEnvProfile(registry, value.env_profile, at('env_profile'));
    const given = plainTexts(value.args, at('args'), true);
    const location = server.locate(['command']);
    const file = value.command.includes('/') ? projectFilesOf(registry).read(value.command) : undefined;
    const words = typeof file === 'object' ? wordsToRun(file, value.command, location) : [];
    const [command = value.command, ...args] = [...words, value.command, ...given];
    const what = { root: registry.root, path: `the MCP server ${name}`, location };
    refuseMissing([command, ...args], { env }, what, variables);
    const confinement = resolveConfinement(registry, value, { from: server, path: [] }, variables);
    return { ...own, transport: 'stdio', command, args, env, ...confinement };
  }
  const { credentials } = value;
  const headers = headerTexts(value.headers, at('headers'));
  refuseMissingCredential(headers, credentials, `mcp_servers.${name}.`, at('headers'));
  const address = resolveAddress(registry, value.url, variables, at('url'));
  return { ...own, transport: 'http', headers, credentials, ...address };
}
