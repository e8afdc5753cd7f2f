import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import { config } from '../../definitions/formats/config.js';
import type { Registry } from '../../definitions/registry.js';
import { isProblem, readYaml } from '../../definitions/yaml-source.js';
import { commentsFor, renderChecked } from './definition-text.js';
import type { Imported } from './imported.js';
import { type FilePlan, isThere, planFile, unchanged } from './plan-file.js';
import type { Importing, OperationPlan } from './plan-operation.js';

/** Undefined: the import has no configuration. @throws AbilityError `import.not_ours`, `definition.invalid`. */
export function planConfig(
  imported: Imported,
  { registry, options, state }: Importing,
  plans: OperationPlan[],
): (FilePlan & { definition: JsonObject }) | undefined {
  if (!imported.config) return undefined;
  const { root } = registry;
  const definition = configOfWritten(imported.config, imported, plans, Object.keys(state?.operations ?? {}));
  const own = join(foldersOf(root).registry, 'config', `${options.name}.yaml`);
  const file = state?.config?.file ?? relative(root, own).split(sep).join('/');
  const path = join(root, file);
  const check = { kind: 'config', schema: config, more: () => {} } as const;
  const text = rendered(file, () => renderChecked(file, definition, commentsFor(root, file, options), check));
  // If people deleted the file, its entries may be elsewhere: a second one would disable both.
  const isMoved = !isThere(path) && hasSomeOf(definition, registry);
  const base = isThere(path) || isMoved ? state?.config?.definition : undefined;
  if (base || !isThere(path)) {
    return {
      definition,
      ...planFile({ file, path, definition, render: () => text, base, overwrite: options.overwrite === true, check }),
    };
  }
  const source = readYaml(file, readFileSync(path, 'utf8'));
  if (!isProblem(source) && isDeepStrictEqual(source.value, definition)) {
    return { definition, change: unchanged(file), value: definition };
  }
  throw new AbilityError({
    code: 'import.not_ours',
    message: `${file} exists already and is not from this import, which would write its configuration there`,
    location: { file },
    suggestion: 'Move its content to another file in registry/config.',
  });
}

/** Drops entries of abilities without a definition: a missing ability must not be configured. */
function configOfWritten(
  whole: JsonObject,
  { operations }: Imported,
  plans: OperationPlan[],
  known: string[],
): JsonObject {
  const { abilities } = whole;
  if (!Array.isArray(abilities)) return whole;
  const found = new Set(operations.map(({ key }) => key));
  const written = new Set([...plans.map(({ operation }) => operation.key), ...known]);
  const isWanted = (id: unknown): boolean => typeof id !== 'string' || !found.has(id) || written.has(id);
  return { ...whole, abilities: abilities.filter((entry) => !isJsonObject(entry) || isWanted(entry.id)) };
}

/** Whether the registry already has an entry that a configuration would write. */
function hasSomeOf(definition: JsonObject, { configs, mcpServers, services }: Registry): boolean {
  const { abilities, mcp_servers: servers, services: shared } = definition;
  const ids = Array.isArray(abilities) ? abilities.map((entry) => (isJsonObject(entry) ? entry.id : undefined)) : [];
  return (
    ids.some((id) => typeof id === 'string' && configs.has(id)) ||
    Object.keys(isJsonObject(servers) ? servers : {}).some((name) => mcpServers.has(name)) ||
    Object.keys(isJsonObject(shared) ? shared : {}).some((name) => services.has(name))
  );
}

function rendered(file: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    throw new AbilityError(
      { code: 'definition.invalid', message: `The configuration cannot be written to ${file}: ${reasonOf(error)}` },
      { cause: error },
    );
  }
}
