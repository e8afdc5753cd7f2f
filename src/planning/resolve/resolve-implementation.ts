import type { Json } from '../../contracts/json.js';
import type { ImplementationBase, PlanImplementation, PlanMcpServer } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { isHostAllowed, portOf } from '../../rules/calls/allowed-hosts.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { headerTexts, plainTexts } from '../scripts/check-placeholders.js';
import { refuseMissing, wordsToRun } from '../scripts/interpreter.js';
import { resolveEnvProfile, resolveScript } from '../scripts/resolve-script.js';
import { projectFilesOf } from '../scripts/script-files.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
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

/** Names available in the templates of a request. Source: docs/api-calls.md. */
const REQUEST: Available = {
  names: ['input', 'environment'],
  functions: [],
  where: 'a request',
  instead: INSTEAD,
};

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
  if (body.kind === 'script') {
    const definition = { ...body.script, env_profile: settings?.env_profile ?? body.script.env_profile };
    const script = resolveScript(registry, definition, chosen.from, [...chosen.path, 'script'], variables);
    const output = outputFormOf(body.script, hasOutputSchema);
    return { ...base, kind: 'script', script: { ...script, ...(output !== 'json' && { output }) } };
  }
  if (body.kind === 'mcp') {
    const { tool, server } = { ...body.mcp, ...defined({ tool: settings?.mcp_tool, server: settings?.mcp_server }) };
    if (!server || !tool) throw incomplete(chosen, variables.environment, server ? 'tool' : 'server');
    const output = body.mcp.output ?? 'as_is';
    // The pin is of this tool, on any server of the environment.
    const pinned = tool === body.mcp.tool ? body.mcp.pinned?.slice('sha256:'.length) : undefined;
    const { from, path } = chosen;
    return {
      ...base,
      kind: 'mcp',
      mcp: {
        server: resolveMcpServer(registry, server, from, [...path, 'mcp', 'server'], variables),
        tool,
        output,
        ...defined({ big_integers: body.mcp.big_integers, pinned }),
      },
    };
  }
  return { ...base, kind: 'api', api: resolveApi(registry, chosen, settings, variables) };
}

function baseOf(
  registry: Registry,
  chosen: ChosenImplementation,
  settings: EnvironmentSettings | undefined,
): ImplementationBase {
  const { id, body, from, path } = chosen;
  if (body.fail_if !== undefined) checkCondition(body.fail_if, FAILING, from, [...path, 'fail_if']);
  const section: { timeout_sec?: number | undefined } =
    body.kind === 'script' ? body.script : body.kind === 'mcp' ? body.mcp : body.api;
  return {
    id,
    tags: body.tags ?? [],
    ...resolveParameters(chosen, settings),
    ...(body.fail_if !== undefined && { fail_if: body.fail_if }),
    prompts: settings?.prompts ?? {},
    timeout_ms: capped((settings?.timeout_sec ?? section.timeout_sec ?? 60) * 1000, registry.project),
  };
}

function incomplete({ from, path }: ChosenImplementation, environment: string, key: string): AbilityError {
  return new AbilityError({
    code: 'config.no_implementation',
    message: `The implementation names no MCP ${key}, and the configuration of ${environment} names none either`,
    location: from.locate([...path, 'mcp']),
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
  from: Loaded<unknown>,
  path: PropertyKey[],
  variables: EnvironmentVariables,
): PlanMcpServer {
  const server = registry.mcpServers.get(name);
  if (!server) {
    const broken = registry.broken.get(`mcp_server:${name}`);
    if (broken) throw new AbilityError(broken);
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no MCP server ${name}`,
      location: from.locate(path),
      suggestion: didYouMean(name, registry.mcpServers.keys()) ?? 'Define it under `mcp_servers` in registry/config.',
    });
  }
  const { value } = server;
  const own = { name, ...(value.session === 'task' && { session: value.session }) };
  if ('command' in value) {
    const env = resolveEnvProfile(registry, value.env_profile, server, ['env_profile']);
    const given = plainTexts(value.args, server, ['args'], true);
    const location = server.locate(['command']);
    const file = value.command.includes('/') ? projectFilesOf(registry).read(value.command) : undefined;
    const words = typeof file === 'object' ? wordsToRun(file, value.command, location) : [];
    const [command = value.command, ...args] = [...words, value.command, ...given];
    refuseMissing(
      [command, ...args],
      { env },
      { root: registry.root, path: `the MCP server ${name}`, location },
      variables,
    );
    return { ...own, transport: 'stdio', command, args, env };
  }
  const { credentials } = value;
  const headers = headerTexts(value.headers, server, ['headers']);
  refuseMissingCredential(headers, credentials, `mcp_servers.${name}.`, server, ['headers']);
  const url = resolveAddress(value.url, variables, server, ['url']);
  checkHost(registry, url, server, ['url']);
  return { ...own, transport: 'http', url, headers, credentials, allowed_hosts: allowedHostsFor(registry, url) };
}

function resolveApi(
  registry: Registry,
  { body, from, path, id }: ChosenImplementation,
  settings: EnvironmentSettings | undefined,
  variables: EnvironmentVariables,
): Extract<PlanImplementation, { kind: 'api' }>['api'] {
  if (body.kind !== 'api') throw new TypeError('not an api implementation');
  const { api } = body;
  const { environment } = variables;
  const { endpoints, credentials, where } = resolveAccess(registry, api.service, settings, environment, from, [
    ...path,
    'api',
  ]);
  const endpoint = Object.hasOwn(endpoints, api.endpoint) ? endpoints[api.endpoint] : undefined;
  if (endpoint === undefined) {
    throw new AbilityError({
      code: 'config.missing_endpoint',
      message: `${id} has no endpoint \`${api.endpoint}\` in ${environment}`,
      location: from.locate([...path, 'api']),
      suggestion: `Set \`${where}endpoints.${api.endpoint}\` for it in registry/config.`,
    });
  }
  const base_url = resolveAddress(endpoint, variables, from, [...path, 'api']);
  checkHost(registry, base_url, from, [...path, 'api']);
  for (const section of ['query', 'headers', 'body'] as const) {
    checkTemplate((api[section] ?? null) as Json, REQUEST, from, [...path, 'api', section]);
  }
  const refuseMissing = (texts: Record<string, string>, ...at: PropertyKey[]): void =>
    refuseMissingCredential(texts, credentials, where, from, [...path, 'api', ...at]);
  refuseMissing(api.headers ?? {}, 'headers');
  refuseMissing(api.auth?.basic ?? {}, 'auth', 'basic');
  refuseMissing(api.auth?.query ?? {}, 'auth', 'query');
  return {
    method: api.method,
    path: api.path,
    base_url,
    query: api.query ?? {},
    headers: headerTexts(api.headers ?? {}, from, [...path, 'api', 'headers']),
    credentials,
    allowed_hosts: allowedHostsFor(registry, base_url),
    rate_limit: api.rate_limit ? defined(api.rate_limit) : null,
    ...resolveForm({ ...api, ...(api.auth && { auth: plainAuth(api.auth, from, [...path, 'api', 'auth']) }) }),
  };
}

type Auth = NonNullable<Extract<ImplementationBody, { kind: 'api' }>['api']['auth']>;

function plainAuth({ basic, query }: Auth, from: Loaded<unknown>, path: PropertyKey[]): Auth {
  return {
    ...(basic && { basic: headerTexts(basic, from, [...path, 'basic'], true) }),
    ...(query && { query: headerTexts(query, from, [...path, 'query'], true) }),
  };
}

/** @param path of the texts. @throws AbilityError `config.invalid` for an undefined credential. */
function refuseMissingCredential(
  texts: Record<string, string>,
  credentials: Record<string, string>,
  where: string,
  from: Loaded<unknown>,
  path: PropertyKey[],
): void {
  for (const [name, value] of Object.entries(texts)) {
    for (const [, wanted] of value.matchAll(/\{credential:([^}]*)\}/g)) {
      if (wanted === undefined || Object.hasOwn(credentials, wanted)) continue;
      throw new AbilityError({
        code: 'config.invalid',
        message: `${describePlace(path, name)} uses the credential ${wanted}, which is not defined`,
        location: from.locate([...path, name]),
        suggestion: `Set \`${where}credentials.${wanted}\` in registry/config.`,
      });
    }
  }
}

function describePlace(path: PropertyKey[], name: string): string {
  return path.at(-1) === 'headers' ? `The header ${name}` : `\`auth.${String(path.at(-1))}.${name}\``;
}

/** An `env:NAME` address is read from the worker's variables; the plan keeps the value. */
function resolveAddress(
  address: string,
  variables: EnvironmentVariables,
  from: Loaded<unknown>,
  path: PropertyKey[],
): string {
  if (!address.startsWith('env:')) return address;
  const name = address.slice('env:'.length);
  const value = variables.find(name);
  if (value !== undefined && URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${variables.environment}), ${value === undefined ? 'the address of a service' : 'which is no http address'}`,
    location: from.locate(path),
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

function checkHost(registry: Registry, url: string, from: Loaded<unknown>, path: PropertyKey[]): void {
  const allowed = registry.project.policy.allowed_hosts;
  if (!allowed || isHostAllowed(new URL(url), allowed)) return;
  throw new AbilityError({
    code: 'denied.host',
    message: `The policy does not allow the host of ${url}`,
    location: from.locate(path),
    suggestion: 'Add it to `policy.allowed_hosts` in ability.yaml.',
  });
}
