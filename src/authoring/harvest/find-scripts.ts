import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { attempt } from '../../text/attempt.js';
import { filesBelow } from '../routing-documents/find-documents.js';
import { abilitiesByScript } from '../scaffold/plan-scripts.js';
import { summaryOf } from '../scaffold/script-text.js';

/** An ad-hoc script, written for one piece of work. Source: R-000-90, R-000-92. */
export interface FoundScript {
  /** Relative to the project root, with forward slashes. */
  path: string;
  /** False: not text, too large, or unreadable. */
  is_text: boolean;
  /** The script's own description; null: none. */
  summary: string | null;
  /** The line of `modular_mannual.md` that names it; null: it is not described. */
  documented: { path: string; line: number } | null;
  /** Abilities that run the script; empty: people call it by hand. */
  abilities: string[];
  /** Other scripts with identical text. */
  same_as: string[];
  /** Abilities that the script runs, or that its line in the manual names. */
  uses: string[];
}

/** The source spells it so. Source: R-000-90; C-42. */
const MANUAL_NAME = 'modular_mannual.md';

/** Maximum bytes of a file that is read. */
const MAX_BYTES = 1024 * 1024;

export interface FoundScripts {
  /** Sorted by path. */
  scripts: FoundScript[];
  /** Unreadable folders, which may contain scripts; relative to the project root. */
  unread: string[];
}

/** Scripts in `scripts` folders below `workdocs`. Links are not followed; unreadable ones lack details. */
export function findScripts(registry: Registry): FoundScripts {
  const { root } = registry;
  const behind = abilitiesByScript(registry);
  const unread: string[] = [];
  const texts = new Map(scriptsIn(root, unread).map((path) => [path, textOf(join(root, path))] as const));
  const digests = new Map([...texts].map(([path, text]) => [path, text === null ? null : digestOf(text)] as const));
  const scripts = [...texts].map(([path, text]) => {
    const described = manualLine(root, path);
    return {
      path,
      is_text: text !== null,
      summary: text === null ? null : (summaryOf(text, basename(path)) ?? null),
      documented: described && { path: described.path, line: described.line },
      abilities: behind.get(path) ?? [],
      uses: usesOf(registry, text ?? '', described?.text ?? ''),
      same_as: [...digests].flatMap(([other, digest]) =>
        other !== path && digest !== null && digest === digests.get(path) ? [other] : [],
      ),
    };
  });
  return { scripts, unread };
}

const CALL = /\bability\s+(?:--[\w-]+(?:[ =][^\s-]\S*)?\s+)*(?:run|task\s+create)\s+['"]?([a-z][a-z0-9_.-]*)/g;

/** @param line of the manual, in which any word may be an id. */
function usesOf(registry: Registry, text: string, line: string): string[] {
  const named = [...text.matchAll(CALL)].map(([, id = '']) => id);
  const words = line.match(/[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+/g) ?? [];
  return [...new Set([...named, ...words])].filter((id) => loadedAbility(registry, id)).sort();
}

/** @param unread receives the folders that cannot be read. */
function scriptsIn(root: string, unread: string[]): string[] {
  const files = [...filesBelow(root, '', (folder) => entriesOf(root, folder, unread))];
  const scripts = files.filter(({ path, entry }) => isAdHoc(path) && entry.isFile() && isScript(join(root, path)));
  return scripts.map(({ path }) => path).sort();
}

/** A folder removed meanwhile is empty; any other unreadable one may contain scripts. */
function entriesOf(root: string, below: string, unread: string[]): Dirent[] {
  try {
    return readdirSync(join(root, below), { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unread.push(below === '' ? '.' : below);
    return [];
  }
}

const LANGUAGES = /\.(?:sh|bash|zsh|ksh|py|[cm]?js|[cm]?ts|rb|pl|php|ps1|r|lua|groovy|sql)$/i;

/** Judges by extension, first line and execute permission. */
function isScript(file: string): boolean {
  if (LANGUAGES.test(file)) return true;
  return attempt(
    () => (statSync(file).mode & 0o111) !== 0 || readFileSync(file).subarray(0, 2).toString('latin1') === '#!',
    false,
  );
}

function textOf(file: string): string | null {
  return attempt(() => {
    if (statSync(file).size > MAX_BYTES) return null;
    const text = readFileSync(file, 'utf8');
    return text.includes('\0') ? null : text;
  }, null);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll(/\r\n?/g, '\n').trimEnd()).digest('hex');
}

/** The line of the module's manual that mentions a script, by its path in the module or its name. */
function manualLine(root: string, path: string): { path: string; line: number; text: string } | null {
  const module = moduleFolder(path);
  const manual = module === '' ? MANUAL_NAME : `${module}/${MANUAL_NAME}`;
  const text = textOf(join(root, manual));
  if (text === null) return null;
  const inModule = path.slice(module === '' ? 0 : module.length + 1);
  const lines = text.split('\n');
  const line = lines.findIndex((one) => one.includes(inModule) || hasName(one, basename(path)));
  return line < 0 ? null : { path: manual, line: line + 1, text: lines[line] ?? '' };
}

function hasName(line: string, name: string): boolean {
  const at = line.indexOf(name);
  const isApart = (sign: string | undefined): boolean => sign === undefined || !/[\w.-]/.test(sign);
  return at >= 0 && isApart(line[at - 1]) && isApart(line[at + name.length]);
}

/** Paths of ad-hoc scripts. Source: R-000-90. */
const PLACE = /(?:^|\/)workdocs\/(?:.+\/)?scripts\/[^/]*$/;

/** Whether a path, relative to the project root, is that of an ad-hoc script. */
export function isAdHoc(path: string): boolean {
  return PLACE.test(path);
}

/** Folder of the module that an ad-hoc script belongs to; empty: the project as a whole. */
export function moduleFolder(path: string): string {
  const [folder = ''] = path.split(/(?:^|\/)workdocs\//, 1);
  return folder;
}
