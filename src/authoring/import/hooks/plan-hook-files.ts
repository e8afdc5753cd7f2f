import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PHASES } from '../../../contracts/hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import { hook as format } from '../../../definitions/formats/hooks.js';
import type { Registry } from '../../../definitions/registry.js';
import { type PlannedFile, schemaLine } from '../../write-together.js';
import { renderDefinition } from '../../write-yaml.js';
import { notOurs } from '../import-fault.js';
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
    const own = hooks.filter(({ draft }) => draft.phase === phase).map(({ definition }) => definition);
    if (own.length === 0 && !existsSync(join(site.root, path))) return [];
    return changed(site, path, renderHooks(path, site, own), (before) => {
      if (!isAsImported(before)) return EDITED;
      return before.includes(`\n${SOURCE}${site.source}. `) ? undefined : ofOthers(site.source);
    });
  });
}

/** What is wrong with a file that is there, after its path, and what to do about it. */
type Hindrance = [fault: string, suggestion: string];

const EDITED: Hindrance = [
  'was edited since it was imported',
  'Move your hooks to a file of your own beside that folder, or replace the file with --overwrite.',
];

function ofOthers(source: string): Hindrance {
  return [
    `was taken over from other settings than ${source}`,
    'Give this import a name of its own with --name, or replace the file and its hooks with --overwrite.',
  ];
}

/** The file, unless it has this content. @throws AbilityError `import.not_ours` if hindered, unless `overwrite`. */
function changed(
  { root, overwrite }: HookSite,
  path: string,
  content: string,
  hindranceOf: (before: string) => Hindrance | undefined,
): PlannedFile[] {
  const file = join(root, path);
  if (!existsSync(file)) return [{ path, content }];
  const before = readFileSync(file, 'utf8');
  if (before === content) return [];
  const [fault, suggestion] = (overwrite ? undefined : hindranceOf(before)) ?? [];
  if (fault === undefined) return [{ path, content, before }];
  throw notOurs(`${path} ${fault}; nothing was written`, { location: { file: path }, suggestion });
}

/** Begins the line with the digest by which an import recognizes its own file. */
const MARK = '# ability import hooks: sha256 ';
const SOURCE = '# Taken over from ';

/** Renders the file of a phase, with a digest that shows whether people edited it. */
function renderHooks(path: string, { registry, source }: HookSite, hooks: JsonObject[]): string {
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
  const asked = drafts.flatMap(({ asks }) => asks ?? []);
  const services = asked.flatMap(({ id, service }) => (service ? [[id, service]] : []));
  return [
    ...asked.flatMap(({ key, definition }) => serviceFile(site, 'low-level', key, definition)),
    ...(services.length > 0
      ? serviceFile(site, 'config', `${site.name}-hooks`, { services: Object.fromEntries(services) })
      : []),
  ];
}

const DIFFERS: Hindrance = [
  'differs from what this import would write',
  'Keep a copy of what you changed in it, and replace it with --overwrite.',
];

function serviceFile(site: HookSite, kind: 'low-level' | 'config', name: string, value: JsonObject): PlannedFile[] {
  const { registry, source } = site;
  const path = `${registry}/${kind}/${name}.yaml`;
  const head = `${schemaLine({ kind, path, registry })}\n# Taken over from ${source}.\n`;
  return changed(site, path, head + renderDefinition(value, []), () => DIFFERS);
}
