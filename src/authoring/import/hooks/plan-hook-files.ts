import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PHASES } from '../../../contracts/hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { hook as format } from '../../../definitions/formats/hooks.js';
import type { Registry } from '../../../definitions/registry.js';
import { schemaLine } from '../../file-draft.js';
import type { PlannedFile } from '../../write-together.js';
import { renderDefinition } from '../../write-yaml.js';
import type { HookDraft } from './draft-hooks.js';

export interface HookSite {
  /** Absolute path of the project. */
  root: string;
  /** Folder of the registry, relative to the project. */
  registry: string;
  /** The name of the import, and its folder below `hooks`. */
  name: string;
  /** Path of the settings file, as given. */
  source: string;
  /** Replaces files even if people edited them. */
  overwrite: boolean;
}

export interface WrittenDraft {
  draft: HookDraft;
  definition: JsonObject;
}

export function hookFileOf({ registry, name }: Pick<HookSite, 'registry' | 'name'>, phase: string): string {
  return `${registry}/hooks/${name}/${phase}.yaml`;
}

/**
 * One file a phase; a phase without hooks any more gets an empty list. @throws AbilityError `import.not_ours`,
 * unless `overwrite`, for a file that was edited or has other settings: replacing it would remove those guards.
 */
export function planHookFiles(site: HookSite, hooks: readonly WrittenDraft[]): PlannedFile[] {
  return PHASES.flatMap((phase) => {
    const path = hookFileOf(site, phase);
    const file = join(site.root, path);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const own = hooks.filter(({ draft }) => draft.phase === phase).map(({ definition }) => definition);
    if (own.length === 0 && before === undefined) return [];
    const content = renderHooks(path, site.registry, site.source, own);
    if (content === before) return [];
    if (before !== undefined && !site.overwrite) {
      if (!isAsImported(before)) throw edited(path);
      if (!isFrom(site.source, before)) throw ofOthers(path, site.source);
    }
    return [{ path, content, ...(before !== undefined && { before }) }];
  });
}

function ofOthers(path: string, source: string): AbilityError {
  return new AbilityError({
    code: 'import.not_ours',
    message: `${path} was taken over from other settings than ${source}; nothing was written`,
    location: { file: path },
    suggestion: 'Give this import a name of its own with --name, or replace the file and its hooks with --overwrite.',
  });
}

function edited(path: string): AbilityError {
  return new AbilityError({
    code: 'import.not_ours',
    message: `${path} was edited since it was imported; nothing was written`,
    location: { file: path },
    suggestion: 'Move your hooks to a file of your own beside that folder, or replace the file with --overwrite.',
  });
}

/** Begins the line with the digest by which an import recognizes its own file. */
const MARK = '# ability import hooks: sha256 ';
const SOURCE = '# Taken over from ';

/** Renders the file of a phase, with a digest that shows whether people edited it. */
function renderHooks(path: string, registry: string, source: string, hooks: JsonObject[]): string {
  const body = renderDefinition({ hooks }, []);
  const head = [
    schemaLine({ kind: 'hooks', path, registry }),
    `${SOURCE}${source}. The same import again replaces this file, unless it was edited.`,
    `${MARK}${digestOf(body)}`,
  ];
  return `${head.join('\n')}\n${body}`;
}

/** Whether a file is unchanged since its import. */
function isAsImported(text: string): boolean {
  const at = text.indexOf(MARK);
  if (at < 0) return false;
  const end = text.indexOf('\n', at);
  return end > 0 && text.slice(at + MARK.length, end) === digestOf(text.slice(end + 1));
}

/** Whether a file was imported from these settings, not from others under the same import name. */
function isFrom(source: string, text: string): boolean {
  return text.includes(`\n${SOURCE}${source}. `);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export interface LostHooks {
  removed: string[];
  changed: string[];
}

/** What an import removes from existing hooks: a guard must not disappear unreported. */
export function lostHooks(
  { hooks: there }: Pick<Registry, 'hooks'>,
  site: Pick<HookSite, 'registry' | 'name'>,
  hooks: readonly WrittenDraft[],
): LostHooks {
  const lost: LostHooks = { removed: [], changed: [] };
  for (const [phase, before] of there) {
    for (const { value } of before.filter(({ file }) => file === hookFileOf(site, phase))) {
      const now = hooks.find(({ draft }) => draft.phase === phase && draft.id === value.id);
      if (!now) lost.removed.push(value.id);
      else if (!isDeepStrictEqual(value, format.parse(now.definition))) lost.changed.push(value.id);
    }
  }
  return lost;
}

/**
 * An ability per `http` or `mcp_tool` hook, and the addresses of their services. @throws AbilityError
 * `import.not_ours` for a file with other content, unless `overwrite`.
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
    message: `${path} differs from what this import would write; nothing was written`,
    location: { file: path },
    suggestion: 'Keep a copy of what you changed in it, and replace it with --overwrite.',
  });
}
