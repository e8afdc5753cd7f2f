import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Registry } from '../../definitions/registry.js';
import { entriesOf, isOurs } from '../routing-documents/find-documents.js';
import { summaryOf } from '../script-reading/summary-of.js';

/** A script that was written for one piece of work. Source: R-000-90, R-000-92. */
export interface FoundScript {
  /** From the root of the project, with forward slashes. */
  path: string;
  /** False: it is no text, too large, or cannot be read. */
  is_text: boolean;
  /** What it says of itself; null: nothing. */
  summary: string | null;
  /** The line of `modular_mannual.md` that names it; null: it is not described. */
  documented: { path: string; line: number } | null;
  /** The abilities that it is behind; none: it is called by hand. */
  abilities: string[];
  /** Other scripts with the same text. */
  same_as: string[];
}

/** Spelled so by the source. Source: R-000-90; C-42. */
export const MANUAL_NAME = 'modular_mannual.md';

/** Larger files are not read. Bytes. */
const LARGEST = 1024 * 1024;

/**
 * The scripts in `scripts` folders below a `workdocs` of a project, in order of path. Links are not followed; what cannot be read is found with nothing
 * said of it.
 */
export function findScripts(registry: Registry): FoundScript[] {
  const { root } = registry;
  const behind = abilitiesByScript(registry);
  const texts = new Map(scriptsBelow(root, '').map((path) => [path, textOf(join(root, path))] as const));
  const digests = new Map([...texts].map(([path, text]) => [path, text === null ? null : digestOf(text)] as const));
  return [...texts].map(([path, text]) => ({
    path,
    is_text: text !== null,
    summary: text === null ? null : (summaryOf(text, basename(path)) ?? null),
    documented: manualLine(root, path),
    abilities: behind.get(path) ?? [],
    same_as: [...digests].flatMap(([other, digest]) =>
      other !== path && digest !== null && digest === digests.get(path) ? [other] : [],
    ),
  }));
}

function scriptsBelow(root: string, below: string): string[] {
  const isPlace = /(?:^|\/)workdocs\/(?:.+\/)?scripts$/.test(below);
  return entriesOf(join(root, below))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return isOurs(root, path, entry.name) ? scriptsBelow(root, path) : [];
      return isPlace && entry.isFile() && isScript(join(root, path)) ? [path] : [];
    })
    .sort();
}

const LANGUAGES = /\.(?:sh|bash|zsh|ksh|py|[cm]?js|[cm]?ts|rb|pl|php|ps1|r|lua|groovy|sql)$/i;

/** By its ending, by its first line, or since it can be run. */
function isScript(file: string): boolean {
  if (LANGUAGES.test(file)) return true;
  try {
    return (statSync(file).mode & 0o111) !== 0 || readFileSync(file).subarray(0, 2).toString('latin1') === '#!';
  } catch {
    return false;
  }
}

function textOf(file: string): string | null {
  try {
    if (statSync(file).size > LARGEST) return null;
    const text = readFileSync(file, 'utf8');
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll(/\r\n?/g, '\n').trimEnd()).digest('hex');
}

/** Where the manual of its module names a script, by its path in the module or by its name. */
function manualLine(root: string, path: string): FoundScript['documented'] {
  const [module = ''] = path.split(/(?:^|\/)workdocs\//, 1);
  const manual = module === '' ? MANUAL_NAME : `${module}/${MANUAL_NAME}`;
  const text = textOf(join(root, manual));
  if (text === null) return null;
  const inModule = path.slice(module === '' ? 0 : module.length + 1);
  const line = text.split('\n').findIndex((one) => one.includes(inModule) || hasName(one, basename(path)));
  return line < 0 ? null : { path: manual, line: line + 1 };
}

function hasName(line: string, name: string): boolean {
  const at = line.indexOf(name);
  const isApart = (sign: string | undefined): boolean => sign === undefined || !/[\w.-]/.test(sign);
  return at >= 0 && isApart(line[at - 1]) && isApart(line[at + name.length]);
}

function abilitiesByScript({ operations, implementations }: Registry): Map<string, string[]> {
  const bodies = [
    ...[...operations.values()].map(({ value }) => [value.operation_key, value.implementation] as const),
    ...[...implementations.values()].map(({ value }) => [value.operation_key, value] as const),
  ];
  const found = new Map<string, string[]>();
  for (const [key, body] of bodies) {
    if (body?.kind !== 'script' || typeof body.script.path !== 'string') continue;
    const path = body.script.path.replace(/^\.\//, '');
    found.set(path, [...new Set([...(found.get(path) ?? []), key])]);
  }
  return found;
}
