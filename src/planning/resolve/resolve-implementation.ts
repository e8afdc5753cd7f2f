import type { Json } from '../../contracts/json.js';
import type { ImplementationBase, PlanImplementation, PlanMcpServer } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import type { BodyOf, ImplementationOf, KindName, WrittenKindName } from '../../kinds/kind.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { isHostAllowed, portOf } from '../../rules/calls/allowed-hosts.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { headerTexts, plainTexts } from '../scripts/check-placeholders.js';
import { refuseMissing, wordsToRun } from '../scripts/interpreter.js';
import { resolveConfinement } from '../scripts/resolve-confinement.js';
import { resolveEnvProfile, resolveScript } from '../scripts/resolve-script.js';
import { projectFilesOf } from '../scripts/script-files.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
import { notThere } from '../steps/definition-errors.js';
import { resolveParameters } from './check-parameters.js';
import type { ChosenImplementation, EnvironmentSettings } from './choose-implementation.js';
import { capped } from './limits.js';
import { resolveAccess, resolveForm } from './resolve-api.js';
import { outputFormOf } from './resolve-output.js';

const INSTEAD = 'Let a step of a workflow pass it as a parameter of the call.';
const FAILING: Available = {
  names: ['output', 'input', 'environment'],
  functions: [],
  where: '`fail_if`',
  instead: INSTEAD,
};

/** Names available in the templates of a request. */
const REQUEST: Available = {
  names: ['input', 'environment'],
  functions: [],
  where: 'a request',
  instead: INSTEAD,
};

type Section<K extends KindName> = K extends KindName ? Omit<ImplementationOf<K>, keyof ImplementationBase> : never;

interface Site {
  registry: Registry;
  chosen: ChosenImplementation;
  settings: EnvironmentSettings | undefined;
  variables: EnvironmentVariables;
  hasOutputSchema: boolean;
}

type Resolver<K extends WrittenKindName> = (body: BodyOf<K>, site: Site) => Section<K>;

const RESOLVERS: { readonly [K in WrittenKindName]: Resolver<K> } = { script: asScript, mcp: asMcp, api: asApi };

const resolverOf = <K extends WrittenKindName>({ kind }: { kind: K }): Resolver<K> => RESOLVERS[kind];

/**
 * Resolves scripts to bytes, servers and endpoints to addresses. @param hasOutputSchema whether the contract has
 * one. @throws AbilityError `definition.*`, `config.*`, `script.*`, `denied.host`.
 */
export function resolveImplementation(
  registry: Registry,
  chosen: ChosenImplementation,
  settings: EnvironmentSettings | undefined,
  variables: EnvironmentVariables,
  hasOutputSchema: boolean,
): PlanImplementation {
  const { body } = chosen;
  const base = baseOf(registry, chosen, settings);
  return { ...base, ...resolverOf(body)(body, { registry, chosen, settings, variables, hasOutputSchema }) };
}

function asScript(
  { script: written }: BodyOf<'script'>,
  { registry, chosen, settings, variables, hasOutputSchema }: Site,
): Section<'script'> {
  const definition = { ...written, env_profile: settings?.env_profile ?? written.env_profile };
  const script = resolveScript(registry, definition, within(chosen, 'script'), variables);
  const output = outputFormOf(written, hasOutputSchema);
  return { kind: 'script', script: { ...script, ...(output !== 'json' && { output }) } };
}

function asMcp({ mcp }: BodyOf<'mcp'>, { registry, chosen, settings, variables }: Site): Section<'mcp'> {
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
}

function baseOf(
  registry: Registry,
  chosen: ChosenImplementation,
  settings: EnvironmentSettings | undefined,
): ImplementationBase {
  const { id, body } = chosen;
  if (body.fail_if !== undefined) checkCondition(body.fail_if, FAILING, within(chosen, 'fail_if'));
  return {
    id,
    tags: body.tags ?? [],
    ...resolveParameters(chosen, settings),
    ...(body.fail_if !== undefined && { fail_if: body.fail_if }),
    prompts: settings?.prompts ?? {},
    timeout_ms: capped((settings?.timeout_sec ?? writtenKindOf(body).timeoutSec(body) ?? 60) * 1000, registry.project),
  };
}

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
  const url = resolveAddress(value.url, variables, at('url'));
  checkHost(registry, url, at('url'));
  return { ...own, transport: 'http', url, headers, credentials, allowed_hosts: allowedHostsFor(registry, url) };
}

function asApi({ api }: BodyOf<'api'>, { registry, chosen, settings, variables }: Site): Section<'api'> {
  const spot = within(chosen, 'api');
  const { environment } = variables;
  const { endpoints, credentials, where } = resolveAccess(registry, api.service, settings, environment, spot);
  const endpoint = Object.hasOwn(endpoints, api.endpoint) ? endpoints[api.endpoint] : undefined;
  if (endpoint === undefined) {
    throw new AbilityError({
      code: 'config.missing_endpoint',
      message: `${chosen.id} has no endpoint \`${api.endpoint}\` in ${environment}`,
      location: locationOf(spot),
      suggestion: `Set \`${where}endpoints.${api.endpoint}\` for it in registry/config.`,
    });
  }
  const base_url = resolveAddress(endpoint, variables, spot);
  checkHost(registry, base_url, spot);
  for (const section of ['query', 'headers', 'body'] as const) {
    checkTemplate((api[section] ?? null) as Json, REQUEST, within(spot, section));
  }
  const auth = within(spot, 'auth');
  refuseMissingCredential(api.headers ?? {}, credentials, where, within(spot, 'headers'));
  refuseMissingCredential(api.auth?.basic ?? {}, credentials, where, within(auth, 'basic'));
  refuseMissingCredential(api.auth?.query ?? {}, credentials, where, within(auth, 'query'));
  return {
    kind: 'api',
    api: {
      method: api.method,
      path: api.path,
      base_url,
      query: api.query ?? {},
      headers: headerTexts(api.headers ?? {}, within(spot, 'headers')),
      credentials,
      allowed_hosts: allowedHostsFor(registry, base_url),
      rate_limit: api.rate_limit ? defined(api.rate_limit) : null,
      ...resolveForm({ ...api, ...(api.auth && { auth: plainAuth(api.auth, auth) }) }),
    },
  };
}

type Auth = NonNullable<BodyOf<'api'>['api']['auth']>;

function plainAuth({ basic, query }: Auth, spot: Spot): Auth {
  return {
    ...(basic && { basic: headerTexts(basic, within(spot, 'basic'), true) }),
    ...(query && { query: headerTexts(query, within(spot, 'query'), true) }),
  };
}

/** @param spot of the texts. @throws AbilityError `config.invalid` for an undefined credential. */
function refuseMissingCredential(
  texts: Record<string, string>,
  credentials: Record<string, string>,
  where: string,
  spot: Spot,
): void {
  for (const [name, value] of Object.entries(texts)) {
    for (const [, wanted] of value.matchAll(/\{credential:([^}]*)\}/g)) {
      if (wanted === undefined || Object.hasOwn(credentials, wanted)) continue;
      throw new AbilityError({
        code: 'config.invalid',
        message: `${describePlace(spot, name)} uses the credential ${wanted}, which is not defined`,
        location: locationOf(within(spot, name)),
        suggestion: `Set \`${where}credentials.${wanted}\` in registry/config.`,
      });
    }
  }
}

function describePlace({ path }: Spot, name: string): string {
  return path.at(-1) === 'headers' ? `The header ${name}` : `\`auth.${String(path.at(-1))}.${name}\``;
}

/** An `env:NAME` address is read from the worker's variables; the plan keeps the value. */
function resolveAddress(address: string, variables: EnvironmentVariables, spot: Spot): string {
  if (!address.startsWith('env:')) return address;
  const name = address.slice('env:'.length);
  const value = variables.find(name);
  if (value !== undefined && URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${variables.environment}), ${value === undefined ? 'the address of a service' : 'which is no http address'}`,
    location: locationOf(spot),
    suggestion: `Set ${name} in .env.${variables.environment} or .env, or in the environment of the worker (then run \`ability down\`).`,
  });
}

/** Without a policy, only the host of the endpoint itself is allowed. */
function allowedHostsFor(registry: Registry, url: string): string[] {
  return registry.project.policy.allowed_hosts ?? [hostEntryOf(url)];
}

function hostEntryOf(text: string): string {
  const url = new URL(text);
  return `${url.hostname}:${portOf(url)}`;
}

function checkHost(registry: Registry, url: string, spot: Spot): void {
  const allowed = registry.project.policy.allowed_hosts;
  if (!allowed || isHostAllowed(new URL(url), allowed)) return;
  throw new AbilityError({
    code: 'denied.host',
    message: `The policy does not allow the host of ${url}`,
    location: locationOf(spot),
    suggestion: 'Add it to `policy.allowed_hosts` in ability.yaml.',
  });
}
