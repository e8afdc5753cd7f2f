import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Json } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { definitionFiles } from '../../definitions/find-files.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { MappedAbility } from '../../definitions/fits-match.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { mappingOf } from '../../definitions/tool-mapping/map-tool.js';
import type { BodyOf, WrittenKindName } from '../../kinds/kind.js';
import { WRITTEN_KINDS } from '../../kinds/kinds.js';
import { hookLevels } from '../../planning/hooks/hook-levels.js';
import { chooseEnvironment } from '../../planning/resolve/resolve-environment.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { callInput } from '../../rules/calls/call-defaults.js';
import { hookFacts, needsActivity } from '../../rules/hooks/handlers.js';
import { attempt, unlessRefused } from '../../text/attempt.js';
import type { Bypass, GuardedAbility, GuardIndex } from './guard-index.js';

const DENY_ALL: Bypass = { abilities: 'deny', registry: 'deny', decisions: 'deny' };

/**
 * Never throws because of definitions: what an unreadable file mentions counts as registered, since it may be.
 * @param environment the requested one; undefined: the project's own choice.
 */
export function buildIndex(root: string, environment: string | undefined, env: NodeJS.ProcessEnv): GuardIndex {
  let registry: Registry;
  try {
    registry = new RegistryLoader(root).load();
  } catch (error) {
    return unreadableIndex(root, error);
  }
  const index = emptyIndex(root);
  index.bypass = { ...DENY_ALL, ...registry.project.policy.bypass };
  for (const name of Object.keys(registry.project.environments)) index.settings.push(`.env.${name}`);
  try {
    index.environment = chooseEnvironment(registry.project, environment);
  } catch (error) {
    index.faults.push(reasonOf(error));
  }
  for (const operation of registry.operations.values()) addExposed(index, registry, operation);
  addMappings(index, registry);
  addUnreadable(index, registry);
  const wanted = new Set([...index.tools, ...index.mappings].map(({ ability }) => ability));
  for (const ability of wanted) {
    const guarded = guardedBy(registry, ability, index.environment, env);
    if (guarded) index.guarded[ability] = guarded;
  }
  return index;
}

/** An unreadable definition may hold a script, an address, or a guard of any call that it mentions. */
function addUnreadable(index: GuardIndex, registry: Registry): void {
  const unread = registry.opaque.filter(({ kind }) => kind === 'hooks').map(({ problem }) => problem);
  const broken = [...registry.broken].map(([id, problem]) => ({ id, problem }));
  const guards = [...unread, ...broken.filter(({ id }) => id === 'hooks:PreAbilityCall').map(({ problem }) => problem)];
  for (const problem of [...registry.opaque.map((each) => each.problem), ...broken.map((each) => each.problem)]) {
    index.faults.push(problem.message);
    if (problem.location) mentionsOf(registry.root, problem.location.file, index, guards.includes(problem));
  }
}

/** If `ability.yaml` itself cannot be read, everything that any file mentions is protected. */
function unreadableIndex(root: string, error: unknown): GuardIndex {
  const index = emptyIndex(root);
  index.faults.push(reasonOf(error));
  for (const file of index.files) mentionsOf(root, file, index, true);
  return index;
}

function emptyIndex(root: string): GuardIndex {
  const way = (path: string): string => relative(root, path).split(sep).join('/');
  const index: GuardIndex = {
    environment: '',
    bypass: DENY_ALL,
    registry: 'registry',
    hooks: 'registry/hooks',
    files: [],
    settings: ['.claude', '.mcp.json', '.env'],
    scripts: [],
    endpoints: [],
    tools: [],
    mappings: [],
    guarded: {},
    faults: [],
    unreadableTools: [],
  };
  try {
    const folders = foldersOf(root);
    index.registry = way(folders.registry);
    index.hooks = way(folders.hooks);
    index.files = definitionFiles(folders).map(({ path }) => way(path));
  } catch (error) {
    // There are two registries, and it is unknown which one counts.
    index.faults.push(reasonOf(error));
  }
  return index;
}

/**
 * The mapping by which a hook sees an ability, for each hook and ability. Source:
 * docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
function addMappings(index: GuardIndex, registry: Registry): void {
  for (const { value } of registry.hooks.get('PreAbilityCall') ?? []) {
    if (!value.enabled || !value.as) continue;
    for (const operation of registry.operations.values()) {
      if (!isCallable(registry, operation)) continue;
      const mapping = mappingOf(value.as, subjectOf(registry, operation, index.environment));
      if (!mapping) continue;
      const { tool_name, tool_input } = mapping;
      const ability = operation.value.operation_key;
      index.mappings.push({ ability, hook: value.id, tool_name, tool_input: tool_input as Json });
    }
  }
}

/** A draft without an implementation cannot be called, so no call matches it. */
function isCallable({ configs, implementations, broken }: Registry, { value }: Loaded<LowLevel>): boolean {
  const { operation_key: key, implementation } = value;
  const documents = [...implementations.values()].some((each) => each.value.operation_key === key);
  const isBroken = broken.has(`implementation_of:${key}`) || broken.has(`config:${key}`);
  return Boolean(implementation ?? configs.get(key)?.value.impl) || documents || isBroken;
}

/** An ability as mappings see it; without tags if its implementation is unknown. */
function subjectOf(registry: Registry, operation: Loaded<LowLevel>, environment: string): MappedAbility {
  const { operation_key: ability, scope, effects } = operation.value;
  const untagged = { ability, modules: scope.modules ?? [], environment, effects, tags: [] };
  return unlessRefused(() => hookLevels(registry, operation, environment).subject) ?? untagged;
}

/** The data needed to run the guards of an ability; undefined if they are not only expressions, or it has a fault. */
function guardedBy(
  registry: Registry,
  ability: string,
  environment: string,
  env: NodeJS.ProcessEnv,
): GuardedAbility | undefined {
  try {
    const variables = new EnvironmentVariables(registry.root, environment, env);
    const { plan } = resolvePlan(registry, ability, environment, variables);
    const operation = plan.operations[ability];
    if (!operation) return undefined;
    const hooks = operation.hooks.pre_call;
    if (hooks.some(needsActivity)) return undefined;
    const none = { input: {}, task: '', user: { name: '', source: 'claimed' }, session: null } as const;
    return { hooks, facts: hookFacts({ plan, operation, ...none }), defaults: callInput(operation, {}) };
  } catch (error) {
    // The full evaluation finds the same problem, and reports it when the ability is called.
    if (error instanceof AbilityError) return undefined;
    throw error;
  }
}

/**
 * Paths, addresses and tool names in an unreadable file: each may be registered there, so each is guarded.
 * @param mayGuard whether it may hold guards of calls. Source: docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
function mentionsOf(root: string, file: string, index: GuardIndex, mayGuard: boolean): void {
  const text = attempt(() => readFileSync(join(root, file), 'utf8'), '');
  const ability = /^\s*(?:operation_key|id):\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? file;
  for (const path of new Set(text.match(/[\w.@/-]+\.\w{1,6}\b/g) ?? [])) {
    if (path !== file && SCRIPT.test(path)) index.scripts.push({ ability, path: plainPath(path), args: [] });
  }
  for (const [url] of text.matchAll(/\bhttps?:\/\/[^\s'"#,}\]]+/g)) index.endpoints.push({ ability, url });
  if (!mayGuard) return;
  for (const [, name] of text.matchAll(/\btool_name:\s*["']?([\w-]+)/g)) if (name) index.unreadableTools.push(name);
}

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
function addExposed(index: GuardIndex, registry: Registry, operation: Loaded<LowLevel>): void {
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

function plainPath(path: string): string {
  return path.replace(/^(\.\/+)+/, '').replace(/\/{2,}/g, '/');
}

const SCRIPT = /^(?![-/@]).*\.([cm]?[jt]s|py|sh|bash|zsh|rb|pl|php|lua|r|R|sql|ps1)$/;
