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
import { hookLevels } from '../../planning/hooks/hook-levels.js';
import { chooseEnvironment } from '../../planning/resolve/resolve-environment.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { callInput } from '../../rules/calls/call-input.js';
import { needsActivity } from '../../rules/hooks/handlers.js';
import { hookFacts } from '../../rules/hooks/hook-facts.js';
import { attempt, unlessRefused } from '../../text/attempt.js';
import { addExposed, plainPath, SCRIPT } from './exposed-parts.js';
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
