import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../contracts/json.js';
import { appendItem, readValue, setValue } from '../edit-yaml.js';
import { type FileDraft, schemaLine } from '../file-draft.js';
import type { Site } from './scaffold.js';

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
