import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import type { BodyOf, WrittenKindName } from '../../kinds/kind.js';
import { WRITTEN_KINDS } from '../../kinds/kinds.js';
import type { GuardIndex } from './guard-index.js';

/** An ability, and what its environments say in place of its implementations. */
interface Site {
  ability: string;
  registry: Registry;
  environments: { mcp_server?: string | undefined; mcp_tool?: string | undefined }[];
}

type Exposed = Partial<Pick<GuardIndex, 'scripts' | 'endpoints' | 'tools'>>;

/** What agents could use past the guards of an ability, by all its implementations of one kind. */
const EXPOSED: { readonly [K in WrittenKindName]: (bodies: readonly BodyOf<K>[], site: Site) => Exposed } = {
  script: scriptsOf,
  api: endpointsOf,
  mcp: toolsOf,
};

/** Adds what agents could use past the guards of an operation, in whichever environment. */
export function addExposed(index: GuardIndex, registry: Registry, operation: Loaded<LowLevel>): void {
  const ability = operation.value.operation_key;
  const config = registry.configs.get(ability)?.value;
  const environments = Object.values(config?.environments ?? {});
  const documents = [...registry.implementations.values()].filter(({ value }) => value.operation_key === ability);
  const bodies = [config?.impl, operation.value.implementation, ...documents.map(({ value }) => value)];
  const exposedOf = <K extends WrittenKindName>(kind: K): Exposed => {
    const ofKind = bodies.filter((body): body is BodyOf<K> => body?.kind === kind);
    return ofKind.length === 0 ? {} : EXPOSED[kind](ofKind, { ability, registry, environments });
  };
  for (const kind of WRITTEN_KINDS) {
    const { scripts = [], endpoints = [], tools = [] } = exposedOf(kind);
    index.scripts.push(...scripts);
    index.endpoints.push(...endpoints);
    index.tools.push(...tools);
  }
  for (const { endpoints = {} } of environments) {
    for (const url of Object.values(endpoints)) index.endpoints.push({ ability, url });
  }
}

function scriptsOf(bodies: readonly BodyOf<'script'>[], { ability }: Site): Exposed {
  const scripts = bodies.map(({ script: { path, args, args_template: template } }) => {
    return { ability, path: plainPath(path), args: (args ?? template?.split(/\s+/) ?? []).map(String) };
  });
  return { scripts };
}

function endpointsOf(bodies: readonly BodyOf<'api'>[], { ability, registry }: Site): Exposed {
  const endpoints = bodies.flatMap(({ api }) => {
    const service = api.service === undefined ? undefined : registry.services.get(api.service)?.value;
    const places = [service, ...Object.values(service?.environments ?? {})];
    return places.flatMap((place) => {
      const named = place?.endpoints ?? {};
      const url = Object.hasOwn(named, api.endpoint) ? named[api.endpoint] : undefined;
      return url === undefined ? [] : [{ ability, url }];
    });
  });
  return { endpoints };
}

/** Each tool on each server: an environment may replace one of them. */
function toolsOf(bodies: readonly BodyOf<'mcp'>[], { ability, registry, environments }: Site): Required<Exposed> {
  const own = bodies.map(({ mcp: { server, tool } }) => ({ mcp_server: server, mcp_tool: tool }));
  const named = [...own, ...environments];
  const exposed: Required<Exposed> = { scripts: [], endpoints: [], tools: [] };
  const tools = new Set(named.flatMap(({ mcp_tool }) => mcp_tool ?? []));
  for (const name of tools.size === 0 ? [] : new Set(named.flatMap(({ mcp_server }) => mcp_server ?? []))) {
    const server = registry.mcpServers.get(name)?.value;
    const words = server === undefined ? [] : 'url' in server ? [server.url] : [server.command, ...server.args];
    for (const tool of tools) exposed.tools.push({ ability, server: name, tool, at: words.join(' ') });
    if (server && 'url' in server) exposed.endpoints.push({ ability, url: server.url });
    // Starting the server gives access to its tools.
    else
      for (const word of words)
        if (SCRIPT.test(word)) exposed.scripts.push({ ability, path: plainPath(word), args: [] });
  }
  return exposed;
}

export function plainPath(path: string): string {
  return path.replace(/^(\.\/+)+/, '').replace(/\/{2,}/g, '/');
}

export const SCRIPT = /^(?![-/@]).*\.([cm]?[jt]s|py|sh|bash|zsh|rb|pl|php|lua|r|R|sql|ps1)$/;
