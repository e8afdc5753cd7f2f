import type { z } from 'zod';
import type { config } from '../../../definitions/formats/config.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import { taken } from '../check-names.js';

/** @throws AbilityError `scaffold.exists` for what is configured already: an ability, a profile, a server, a service. */
export function checkNewConfig(registry: Registry, value: z.output<typeof config>): void {
  const parts: [what: string, ids: string[], known: ReadonlyMap<string, Loaded<unknown>>][] = [
    ['a configuration of', value.abilities.map(({ id }) => id), registry.configs],
    ['a profile', Object.keys(value.env_profiles), registry.envProfiles],
    ['an MCP server', Object.keys(value.mcp_servers), registry.mcpServers],
    ['a service', Object.keys(value.services), registry.services],
  ];
  for (const [what, ids, known] of parts) {
    const id = ids.find((each) => known.has(each));
    if (id !== undefined) throw taken(`There is ${what} ${id} already`, known.get(id)?.file ?? '');
  }
}
