import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { api } from '../../definitions/formats/api.js';
import { serviceUrl } from '../../definitions/formats/values.js';
import { didYouMean } from '../../text/nearest.js';
import type { FileDraft } from '../file-draft.js';
import { flowYaml } from '../write-yaml.js';
import { checkForm, checkPlainName } from './check-names.js';
import { configureAbility, configureServer } from './configure.js';
import { fileNameOf, type Site } from './scaffold.js';
import { EXTENSIONS, type Language, type StubAnswer, scriptStub } from './script-stub.js';

/** How an operation is implemented, with the required settings. */
export type KindChoice =
  | { kind: 'script'; language: Language }
  | { kind: 'api'; method: string; path: string; endpoint: string }
  | { kind: 'mcp'; server: string; tool: string; definition?: JsonObject };

/** The owner of an implementation. */
export interface Owner {
  /** Its own id: that of the script and, where names would clash, of the endpoint. */
  id: string;
  operation: string;
  title: string;
  /** The answer of a script's stub. */
  answer: StubAnswer;
}

/**
 * Plans an implementation: its script or its configuration, and its section.
 *
 * @returns `kind` and the section of that name, as lines of YAML.
 * @throws AbilityError `usage.invalid`, `definition.unknown_reference` for what no definition may say.
 */
export function planKind(draft: FileDraft, site: Site, choice: KindChoice, owner: Owner): string {
  if (choice.kind === 'script') return planScript(draft, choice.language, owner);
  if (choice.kind === 'mcp') return planMcp(draft, site, choice);
  return planApi(draft, site, choice, owner);
}

/** The gravest effect that a kind of call may have until its author says which it has. Source: docs/imports.md#an-mcp-server. */
export function effectsOf(choice: KindChoice): Effect {
  if (choice.kind === 'script') return 'read';
  if (choice.kind === 'mcp') return 'destructive';
  const byMethod: Record<string, Effect> = { PUT: 'write_idempotent', POST: 'write_additive', PATCH: 'write_additive' };
  if (['GET', 'HEAD', 'OPTIONS'].includes(choice.method)) return 'external_read';
  return byMethod[choice.method] ?? 'destructive';
}

/** The names that a path takes from the input, in the order in which it names them. */
export function namesInPath(path: string): string[] {
  return [...new Set([...path.matchAll(/\{\+?([^}]+)\}/g)].map(([, name = '']) => name))];
}

function planScript(draft: FileDraft, language: Language, { id, title, answer }: Owner): string {
  const path = `scripts/tools/${fileNameOf(id)}.${EXTENSIONS[language]}`;
  draft.add(path, scriptStub(language, title, answer));
  return `kind: script\nscript: { path: ${flowYaml(path)}, timeout_sec: 60 }`;
}

function planMcp(draft: FileDraft, site: Site, choice: Extract<KindChoice, { kind: 'mcp' }>): string {
  const { server, tool, definition } = choice;
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
}

function planApi(
  draft: FileDraft,
  site: Site,
  { method, path, endpoint }: Extract<KindChoice, { kind: 'api' }>,
  { id, operation }: Owner,
): string {
  checkForm(serviceUrl, endpoint, 'address of a service');
  checkForm(api, { method, path }, 'request of an implementation');
  const settings = site.registry.configs.get(operation)?.value.environments?.[site.environment];
  // Another implementation may have an address under the usual name already.
  const used = settings?.endpoints?.default;
  const name = used === undefined || used === endpoint ? 'default' : id;
  if (settings?.endpoints?.[name] !== endpoint) {
    configureAbility(draft, site, operation, ['environments', site.environment, 'endpoints', name], endpoint);
  }
  const named = name === 'default' ? '' : ` endpoint: ${flowYaml(name)},`;
  return `kind: api\napi: { method: ${method}, path: ${flowYaml(path)},${named} timeout_sec: 30 }`;
}
