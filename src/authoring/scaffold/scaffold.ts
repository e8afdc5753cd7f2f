import { stringify } from 'yaml';
import type { z } from 'zod';
import type { Effect } from '../../contracts/effects.js';
import type { Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import {
  AbilityError,
  formatLocation,
  type Problem,
  type SourceLocation,
  usageError,
} from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { config } from '../../definitions/formats/config.js';
import { abilityId, environmentName, plainName } from '../../definitions/formats/values.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { slashedPath } from '../../disk/paths.js';
import { didYouMean } from '../../text/nearest.js';
import { type FileDraft, type PlannedFile, schemaLine } from '../write-together.js';
import { appendItem, flowYaml, indented, readValue, setValue } from '../write-yaml.js';

/** The project, and the environment in which a scaffold must run at once. */
export interface Site {
  registry: Registry;
  /** Folders relative to the project root, with forward slashes. */
  folders: { registry: string; hooks: string };
  environment: string;
  fits(schema: JsonObject, value: Json): boolean;
}

export interface NextStep {
  command: string;
  purpose: string;
}

export interface Scaffold {
  files: PlannedFile[];
  /** Abilities that can be planned in the environment of the site once the files exist. */
  abilities: string[];
  /** A hook that resolves once the files exist. */
  hook?: { phase: Phase; id: string };
  notes: string[];
  next: NextStep[];
  /** Maps a location in the written file to the given text: the written file is removed if it is refused. */
  given?(location: SourceLocation): SourceLocation;
}

/** Relative to the project root, as definitions name them. */
export function siteFolders(root: string): Site['folders'] {
  const { registry, hooks } = foldersOf(root);
  return { registry: slashedPath(root, registry), hooks: slashedPath(root, hooks) };
}

/** Whether calls of this effect need an approval in the site's environment. */
export function needsApprovalFirst({ registry, environment }: Site, effects: Effect): boolean {
  return registry.project.environments[environment]?.approve.includes(effects) ?? false;
}

/** File name, without extension, for an id. `.test` is replaced, since it marks files of cases. */
export function fileNameOf(id: string): string {
  return id.replace(/\.test$/, '_test');
}

/** @throws AbilityError `usage.invalid` for an invalid id, `scaffold.exists` for an existing one. */
export function checkNewAbility(registry: Registry, id: string): void {
  checkForm(abilityId, id, 'id of an ability');
  refuseTaken(`There is an ability ${id} already`, loadedAbility(registry, id), registry.broken.get(`ability:${id}`));
}

function refuseTaken(message: string, found: Loaded<unknown> | undefined, problem: Problem | undefined): void {
  if (found) throw taken(message, formatLocation(found.locate([])));
  if (problem) throw taken(`${message}, which is broken`, problem.location?.file ?? '');
}

/** @throws AbilityError as {@link checkNewAbility}, for an implementation. */
export function checkNewImplementation({ implementations, broken, operations }: Registry, id: string): void {
  checkForm(plainName, id, 'id of an implementation');
  const message = `There is an implementation ${id} already`;
  refuseTaken(message, implementations.get(id), broken.get(`implementation:${id}`));
  const operation = operations.get(id);
  // An implementation inside an operation has the operation's key as its id.
  if (operation?.value.implementation) {
    throw taken(`${id} is the id of the implementation inside its operation`, formatLocation(operation.locate([])));
  }
}

/** @throws AbilityError `usage.invalid` for an invalid name. */
export function checkPlainName(name: string, what: string): void {
  checkForm(plainName, name, what);
}

/** @throws AbilityError `environment.not_found` for an environment that the project does not have. */
export function checkEnvironments({ project, locateInProject }: Registry, names: readonly string[]): void {
  const known = Object.keys(project.environments);
  for (const name of names) {
    checkForm(environmentName, name, 'name of an environment');
    if (known.includes(name)) continue;
    throw new AbilityError({
      code: 'environment.not_found',
      message: `The project ${project.project} has no environment ${name}`,
      location: locateInProject(['environments']),
      suggestion: didYouMean(name, known) ?? `There are: ${known.join(', ')}.`,
    });
  }
}

/** @throws AbilityError `usage.invalid` with the rule of the format that the value breaks. */
export function checkForm(format: z.ZodType, value: unknown, what: string): void {
  const checked = format.safeParse(value);
  if (checked.success) return;
  throw usageError(
    `${JSON.stringify(value)} cannot be the ${what}`,
    `${checked.error.issues[0]?.message ?? 'Choose another one'}.`,
  );
}

/** The error for an existing name. @param at where it is defined; empty if unknown. */
export function taken(message: string, at: string): AbilityError {
  return new AbilityError({
    code: 'scaffold.exists',
    message: `${message}${at && `, in ${at}`}; nothing was written`,
    suggestion: 'Choose another name, or edit that file.',
  });
}

/** @throws AbilityError `scaffold.exists` if the ability, profile, server or service is configured already. */
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

/** Adds a missing entry. @param path in the entry: `['environments', 'dev', 'endpoints', 'default']`. */
export function configureAbility(draft: FileDraft, site: Site, ability: string, path: string[], value: Json): void {
  const file = site.registry.configs.get(ability)?.file ?? `${site.folders.registry}/config/abilities.yaml`;
  draft.edit(file, beginning(site, file), (text) => {
    const source = { file, text };
    const index = entriesOf(readValue(source)).indexOf(ability);
    if (index >= 0) return setValue(source, ['abilities', index, ...path], value);
    const entry = { id: ability, ...nested(path, value) };
    return appendItem(source, 'abilities', stringify([entry], { lineWidth: 0 }));
  });
}

export function configureServer(draft: FileDraft, site: Site, name: string, definition: JsonObject): void {
  const path = `${site.folders.registry}/config/mcp-servers.yaml`;
  const start = beginning(site, path);
  draft.edit(path, start, (text) =>
    text === start
      ? `${start}${stringify({ mcp_servers: { [name]: definition } }, { lineWidth: 0 })}`
      : setValue({ file: path, text }, ['mcp_servers', name], definition),
  );
}

function beginning({ folders }: Site, path: string): string {
  return `${schemaLine({ kind: 'config', path, registry: folders.registry })}\n`;
}

function entriesOf(value: unknown): unknown[] {
  const abilities = (value as { abilities?: unknown } | null)?.abilities;
  return Array.isArray(abilities) ? abilities.map((entry: { id?: unknown } | null) => entry?.id) : [];
}

function nested([first, ...rest]: string[], value: Json): JsonObject {
  if (first === undefined) return {};
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

export interface FirstCase {
  ability: string;
  path: string;
  name: string;
  input: JsonObject;
  mocks: Record<string, JsonObject>;
  /** Steps that need approval in the environment. */
  approvals: string[];
  expect: Json;
}

/** Renders the file of cases of a new ability. Source: docs/testing.md. */
export function renderCases(site: Site, { ability, path, name, input, mocks, approvals, expect }: FirstCase): string {
  const lines = [
    ...(Object.keys(input).length > 0 ? [`input: ${flowYaml(input)}`] : []),
    'mocks:',
    ...Object.entries(mocks).map(([step, mock]) => `  ${flowYaml(step)}: ${flowYaml(mock)}`),
    ...(approvals.length > 0
      ? [`approvals: ${flowYaml(Object.fromEntries(approvals.map((step) => [step, 'approve'])))}`]
      : []),
    `expect: ${flowYaml(expect)}`,
  ];
  return `${schemaLine({ kind: 'cases', path, registry: site.folders.registry })}
# Run with: ability test ${ability}
ability: ${ability}
cases:
  - name: ${flowYaml(name)}
    environment: ${site.environment}
${indented(lines.join('\n'), 4)}
`;
}
