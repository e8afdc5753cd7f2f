import { checkPlainName, configureServer } from '../../authoring/scaffold/scaffold.js';
import type { Scaffolded } from '../../authoring/scaffold/scaffolded.js';
import { flowYaml } from '../../authoring/write-yaml.js';
import { AbilityError } from '../../contracts/problem.js';
import { didYouMean } from '../../text/nearest.js';

export const scaffoldedMcp: Scaffolded<'mcp'> = {
  isStub: false,
  effects: () => 'destructive',
  inputs: () => [],
  plan(draft, site, { server, tool, definition }) {
    const { mcpServers } = site.registry;
    checkPlainName(server, 'name of an MCP server');
    if (definition && mcpServers.has(server)) {
      throw new AbilityError({
        code: 'scaffold.exists',
        message: `There is an MCP server ${server} already, in ${mcpServers.get(server)?.file}; nothing was written`,
        suggestion: 'Leave out --command and --url to use it, or choose another --server.',
      });
    }
    if (!definition && !mcpServers.has(server)) {
      const hint = didYouMean(server, mcpServers.keys());
      throw new AbilityError({
        code: 'definition.unknown_reference',
        message: `There is no MCP server ${server}`,
        suggestion: `${hint ? `${hint} ` : ''}To define it, pass --command "PROGRAM ARGUMENTS" or --url URL.`,
      });
    }
    if (definition) configureServer(draft, site, server, definition);
    return `kind: mcp\nmcp: { server: ${flowYaml(server)}, tool: ${flowYaml(tool)}, timeout_sec: 60 }`;
  },
};
