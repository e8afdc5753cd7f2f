import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { api } from '../../definitions/formats/api.js';
import { serviceUrl } from '../../definitions/formats/values.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import { missingProgram } from '../../planning/scripts/resolve-confinement.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { didYouMean } from '../../text/nearest.js';
import { EFFECTS_OF_METHODS, METHODS } from '../choices.js';
import type { FileDraft } from '../file-draft.js';
import { flowYaml } from '../write-yaml.js';
import { configureAbility, configureServer } from './configure.js';
import { checkForm, checkPlainName, fileNameOf, type Site } from './scaffold.js';
import { EXTENSIONS, type Language, type StubAnswer, scriptStub } from './script-stub.js';

export type KindChoice =
  | { kind: 'script'; language: Language }
  | { kind: 'api'; method: string; path: string; endpoint: string }
  | { kind: 'mcp'; server: string; tool: string; definition?: JsonObject };

interface Owner {
  /** The implementation's own id: names the script and, if the name is taken, the endpoint. */
  id: string;
  operation: string;
  title: string;
  answer: StubAnswer;
  effects: Effect | undefined;
}

export type ChoiceOf<K extends WrittenKindName> = Extract<KindChoice, { kind: K }>;

/** What scaffolds write for a kind. */
interface Scaffolded<K extends WrittenKindName> {
  /**
   * @returns `kind` and the section of that name, as lines of YAML.
   * @throws AbilityError `usage.invalid`, `definition.unknown_reference` for what no definition may contain.
   */
  plan(draft: FileDraft, site: Site, choice: ChoiceOf<K>, owner: Owner): string;
  /** As {@link effectsOf}. */
  effects(choice: ChoiceOf<K>): Effect;
  /** Inputs that the choice names; each is a text. */
  inputs(choice: ChoiceOf<K>): string[];
  /** Whether what is written answers at once, with what it was given. */
  isStub: boolean;
}

const SCAFFOLDED: { readonly [K in WrittenKindName]: Scaffolded<K> } = {
  script: { plan: planScript, effects: () => 'read', inputs: () => [], isStub: true },
  mcp: { plan: planMcp, effects: () => 'destructive', inputs: () => [], isStub: false },
  api: { plan: planApi, effects: effectsOfMethod, inputs: ({ path }) => namesInPath(path), isStub: false },
};

export function scaffoldedOf<K extends WrittenKindName>({ kind }: { kind: K }): Scaffolded<K> {
  return SCAFFOLDED[kind];
}

/** The most severe effect possible, until the author states one. Source: docs/imports.md#an-mcp-server. */
export function effectsOf(choice: KindChoice): Effect {
  return scaffoldedOf(choice).effects(choice);
}

function effectsOfMethod({ method }: ChoiceOf<'api'>): Effect {
  const known = METHODS.find((each) => each === method);
  return known === undefined ? 'destructive' : EFFECTS_OF_METHODS[known];
}

function namesInPath(path: string): string[] {
  return [...new Set([...path.matchAll(/\{\+?([^}]+)\}/g)].map(([, name = '']) => name))];
}

/** A destructive script begins in a box, where this machine has what it needs. */
function planScript(
  draft: FileDraft,
  site: Site,
  { language }: ChoiceOf<'script'>,
  { id, title, answer, effects }: Owner,
): string {
  const path = `scripts/tools/${fileNameOf(id)}.${EXTENSIONS[language]}`;
  draft.add(path, scriptStub(language, title, answer));
  const machine = new EnvironmentVariables(site.registry.root, site.environment);
  const isBoxed = effects === 'destructive' && missingProgram(machine) === undefined;
  const box = isBoxed ? ', sandbox: { network: none, read: [], write: [] }' : '';
  return `kind: script\nscript: { path: ${flowYaml(path)}, timeout_sec: 60${box} }`;
}

function planMcp(draft: FileDraft, site: Site, choice: ChoiceOf<'mcp'>): string {
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
  { method, path, endpoint }: ChoiceOf<'api'>,
  { id, operation }: Owner,
): string {
  checkForm(serviceUrl, endpoint, 'address of a service');
  checkForm(api, { method, path }, 'request of an implementation');
  const settings = site.registry.configs.get(operation)?.value.environments?.[site.environment];
  // Another implementation may use the name `default` already.
  const used = settings?.endpoints?.default;
  const name = used === undefined || used === endpoint ? 'default' : id;
  if (settings?.endpoints?.[name] !== endpoint) {
    configureAbility(draft, site, operation, ['environments', site.environment, 'endpoints', name], endpoint);
  }
  const named = name === 'default' ? '' : ` endpoint: ${flowYaml(name)},`;
  return `kind: api\napi: { method: ${method}, path: ${flowYaml(path)},${named} timeout_sec: 30 }`;
}
