import type { PinnedFile } from '../../../contracts/plan.js';
import type { ProjectFiles, ScriptFile } from '../script-files.js';
import { findImported, nearestPackage } from './find-imported.js';
import { type ImportSite, type Language, languageOfName, lineCounter } from './import-site.js';
import { javascriptImports } from './javascript.js';
import { shellImports } from './shell.js';

/** Limits the size of plans: pinning is not meant for folders of installed modules. */
export const MAX_FILES = 500;

export interface UnpinnedImport {
  /** The importing file, relative to the project root. */
  file: string;
  site: ImportSite;
  why: 'missing' | 'outside' | 'computed' | 'live' | 'too_large';
}

export interface Followed {
  /** Sorted by path, without the script itself. */
  files: PinnedFile[];
  unpinned: UnpinnedImport[];
  /** The files that were read for imports, the script first. */
  read: { file: ScriptFile; language: Language }[];
}

const IMPORTS_OF: Record<Language, (text: string) => ImportSite[]> = {
  javascript: javascriptImports,
  python: pythonImports,
  shell: shellImports,
};

/**
 * Follows imports readable from the text. @param also pinned files whose imports are followed as well.
 * @returns undefined for more than {@link MAX_FILES} files.
 */
export function followImports(
  files: ProjectFiles,
  main: ScriptFile,
  language: Language | undefined,
  also: readonly ScriptFile[] = [],
): Followed | undefined {
  const pinned = new Map<string, PinnedFile>();
  const followed: Followed = { files: [], unpinned: [], read: [] };
  const queue: { file: ScriptFile; language: Language | undefined }[] = [];
  const seen = new Set<string>();
  const add = (file: ScriptFile, as = languageOfName(file.real), live = false): void => {
    for (const entry of entriesOf(file)) {
      const isLive = live || pinned.get(entry.path)?.live === true;
      if (entry.path !== main.path) pinned.set(entry.path, { ...entry, ...(isLive && { live: true as const }) });
    }
    if (seen.has(file.path)) return;
    seen.add(file.path);
    queue.push({ file, language: as });
  };
  add(main, language);
  for (const file of also) add(file);
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (pinned.size > MAX_FILES) return undefined;
    const { file: from, language: own } = next;
    if (!own) continue;
    followed.read.push({ file: from, language: own });
    // Node takes the module format from the nearest package.json.
    const nearest = own === 'javascript' ? nearestPackage(files, from.real) : undefined;
    if (nearest) add(nearest.file);
    if (!from.bytes) followed.unpinned.push({ file: from.path, site: WHOLE_FILE, why: 'too_large' });
    for (const site of sitesOf(from, own)) {
      const found = findImported(files, site, { main, from });
      const why = typeof found === 'string' ? found : found?.live && 'live';
      if (why) followed.unpinned.push({ file: from.path, site, why });
      // A shell reads a sourced file as shell code, regardless of its name.
      const as = site.wanted.kind === 'sourced' ? own : undefined;
      if (typeof found === 'object') for (const file of found.files) add(file, as, found.live);
    }
  }
  followed.files = [...pinned.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return followed;
}

/** The plan's entry of a file; for a symlink, also that of its target. */
function entriesOf({ path, real, digest }: ScriptFile): PinnedFile[] {
  return path === real
    ? [{ path, digest }]
    : [
        { path, digest, real },
        { path: real, digest },
      ];
}

const WHOLE_FILE: ImportSite = { line: 1, text: 'imports', wanted: { kind: 'computed' } };

/** Cached by language and digest. */
const known = new Map<string, ImportSite[]>();
const MAX_KNOWN = 5000;

function sitesOf({ digest, bytes }: ScriptFile, language: Language): ImportSite[] {
  if (!bytes) return [];
  const key = `${language}:${digest}`;
  const before = known.get(key);
  if (before) return before;
  const sites = IMPORTS_OF[language](bytes.toString('utf8'));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, sites);
  return sites;
}

const ITEM = String.raw`[\w.]+(?:[ \t]+as[ \t]+\w+)?`;
const IMPORT = new RegExp(String.raw`(?:^|[;:])[ \t]*import[ \t]+(${ITEM}(?:[ \t]*,[ \t]*${ITEM})*)`, 'gm');
const FROM = /(?:^|[;:])[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]*\bimport\b[ \t]*(\([^)]*\)|[^\n;]*)/gm;
const BY_NAME = /(?:\bimport_module|\b__import__)\s*\(/g;

/** Finds `import a.b`, `from a import b`, `from . import b` and `import_module("a")`. */
function pythonImports(text: string): ImportSite[] {
  // Keeps the length, so that line numbers match the text.
  const code = blanked(text).replaceAll('\\\n', '  ');
  return [...plainImports(code, text), ...fromImports(code, text), ...importsByName(code, text)].sort(
    (a, b) => a.line - b.line,
  );
}

function plainImports(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(IMPORT)].flatMap(({ 0: all, 1: items = '', index }) => {
    const line = lineOf(index + all.search(/\bimport\b/));
    return items.split(',').map((item): ImportSite => {
      const module = item.trim().split(/\s/, 1)[0] ?? '';
      return { line, text: module, wanted: { kind: 'python', level: 0, module, names: [] } };
    });
  });
}

function fromImports(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(FROM)].map(({ 0: all, 1: dots = '', 2: module = '', 3: list = '', index }) => {
    const items = list.replaceAll(/[()]/g, '').split(',');
    const names = items.map((item) => item.trim().split(/\s/, 1)[0] ?? '').filter((name) => /^\w+$/.test(name));
    const line = lineOf(index + all.search(/\bfrom\b/));
    return { line, text: `${dots}${module}`, wanted: { kind: 'python', level: dots.length, module, names } };
  });
}

function importsByName(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(BY_NAME)].map(({ 0: all, index }) => {
    const line = lineOf(index);
    const [, , module] = /^\s*(['"])([\w.]+)\1\s*\)/.exec(text.slice(index + all.length)) ?? [];
    if (module === undefined) return { line, text: `${all.trim()}...)`, wanted: { kind: 'computed' } };
    return { line, text: module, wanted: { kind: 'python', level: 0, module, names: [] } };
  });
}

/** Blanks strings and comments; length and lines stay the same. */
function blanked(text: string): string {
  let code = '';
  let at = 0;
  while (at < text.length) {
    const end = endOfText(text, at);
    if (end === at) {
      code += text[at];
      at += 1;
    } else {
      code += text.slice(at, end).replaceAll(/[^\n]/g, ' ');
      at = end;
    }
  }
  return code;
}

/** The end of the string or comment that begins here; `from` if there is none. */
function endOfText(text: string, from: number): number {
  const character = text[from];
  if (character === '#') {
    const end = text.indexOf('\n', from);
    return end < 0 ? text.length : end;
  }
  if (character !== '"' && character !== "'") return from;
  const isLong = text.startsWith(character.repeat(3), from);
  const quote = isLong ? character.repeat(3) : character;
  for (let at = from + quote.length; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
    else if (text[at] === '\n' && !isLong) return at;
  }
  return text.length;
}
