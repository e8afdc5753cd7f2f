import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { PlannedFile } from '../../planned-file.js';
import { schemaLine } from '../../schema-line.js';
import { renderDefinition } from '../render-definition.js';
import type { HookDraft } from './draft-hooks.js';
import type { HookSite } from './plan-hook-files.js';

/**
 * Plans what hooks of type `http` and `mcp_tool` ask: a low-level ability each, and the addresses of the services.
 *
 * @throws AbilityError `import.not_ours` for a file that says something else, unless it may be replaced.
 */
export function planServiceFiles(site: HookSite, drafts: readonly HookDraft[]): PlannedFile[] {
  const { registry, name } = site;
  const services: JsonObject = {};
  const wanted = drafts.flatMap(({ asks }) => {
    if (!asks) return [];
    if (asks.service) services[asks.id] = asks.service;
    const path = `${registry}/low-level/${asks.key}.yaml`;
    return [{ path, content: rendered(schemaLine({ kind: 'low-level', path, registry }), site, asks.definition) }];
  });
  if (Object.keys(services).length > 0) {
    const path = `${registry}/config/${name}-hooks.yaml`;
    wanted.push({ path, content: rendered(schemaLine({ kind: 'config', path, registry }), site, { services }) });
  }
  return wanted.flatMap((file) => changed(site, file));
}

function rendered(head: string, { source }: HookSite, definition: JsonObject): string {
  return `${head}\n# Taken over from ${source}.\n${renderDefinition(definition, [])}`;
}

function changed({ root, overwrite }: HookSite, { path, content }: PlannedFile): PlannedFile[] {
  const file = join(root, path);
  if (!existsSync(file)) return [{ path, content }];
  const before = readFileSync(file, 'utf8');
  if (before === content) return [];
  if (overwrite) return [{ path, content, before }];
  throw new AbilityError({
    code: 'import.not_ours',
    message: `${path} says something else than this import would write; nothing was written`,
    location: { file: path },
    suggestion: 'Keep a copy of what you changed in it, and replace it with --overwrite.',
  });
}
