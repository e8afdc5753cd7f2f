import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, type Json } from '../../contracts/json.js';
import { readJson } from '../../disk/read-json.js';
import { programOf } from './programs.js';
import { expandGlob, isFile, partsOf } from './words.js';

/** A text of the project that a command has a shell run. */
export interface Recipe {
  text: string;
  /** Where it stands. */
  file: string;
  folder: string;
}

/** What package managers run by themselves, before and after a command. */
const LIFECYCLES: Record<string, string> = {
  'install i ci add': 'preinstall install postinstall preprepare prepare postprepare',
  'publish pack': 'prepublishOnly prepack prepare postpack publish postpublish',
  't tst': 'pretest test posttest',
};
/** Files of named commands: the member that has them. */
const NAMED = { 'package.json': 'scripts', 'deno.json': 'tasks', 'composer.json': 'scripts' };
const MAKEFILES = { make: ['GNUmakefile', 'makefile', 'Makefile'], just: ['justfile', 'Justfile', '.justfile'] };
const RUNNER = /^(g?make|just|npm|pnpm|yarn|bun|deno|composer)$/;

/**
 * The commands of `package.json`, of a Makefile and of the like that a command names in any position, with those that
 * run before and after them; without a program that is known to run none. A name that cannot be known is each.
 */
export function recipesOf(words: readonly string[], folders: readonly string[]): Recipe[] {
  if (/^(git|gh)$/.test(programOf(words[0] ?? ''))) return [];
  const rest = words.slice(1).map((word) => word.replace(/^npm:/, ''));
  const programs = words.map(programOf);
  const names = [
    ...(programs.some((program) => /^g?make$/.test(program)) ? MAKEFILES.make : []),
    ...(programs.includes('just') ? MAKEFILES.just : []),
  ];
  const isUnknown = words.some((word) => RUNNER.test(programOf(word))) && rest.some((word) => /^[^\w-]+$/.test(word));
  return folders.flatMap((folder) => [
    ...packagesOf(folder).flatMap((file) => scriptsOf(file, isUnknown ? undefined : rest)),
    ...(names.length > 0 ? makefilesOf(rest, folder, names) : []).flatMap((file) =>
      rulesOf(file, isUnknown ? undefined : rest),
    ),
  ]);
}

const MAX_BYTES = 256 * 1024;

/** The shell scripts among the files that a command names; they run in each folder that it may run in. */
export function shellFilesOf(words: readonly string[], folders: readonly string[]): Recipe[] {
  const paths = words.flatMap(partsOf).flatMap((part) => folders.map((folder) => resolve(folder, part)));
  return [...new Set(paths)].flatMap((file) => {
    if (!isFile(file) || statSync(file).size > MAX_BYTES) return [];
    const text = readFileSync(file, 'utf8');
    const isShell = /^#!.*\b(ba|da|z|k|a)?sh\b/.test(text) || /\.(ba|z)?sh$/.test(file);
    return isShell ? folders.map((folder) => ({ text, file, folder })) : [];
  });
}

/** The files of named commands in a folder, or else in the nearest above it, and in its workspaces. */
function packagesOf(folder: string): string[] {
  const own = Object.keys(NAMED).flatMap((name) => {
    for (let at = folder; ; at = dirname(at)) {
      if (existsSync(join(at, name))) return [join(at, name)];
      if (dirname(at) === at) return [];
    }
  });
  const spaces = own.flatMap((file) => {
    const { workspaces } = readObject(file);
    const globs = Array.isArray(workspaces) ? workspaces : isJsonObject(workspaces) ? workspaces.packages : [];
    const given = (Array.isArray(globs) ? globs : []).map((glob) => String(glob).replaceAll('*', '\uE001'));
    return given.flatMap((glob) => expandGlob(glob, dirname(file)).map((at) => join(at, 'package.json')));
  });
  return [...own, ...spaces.filter((file) => existsSync(file))];
}

function scriptsOf(file: string, words: readonly string[] | undefined): Recipe[] {
  const scripts = readObject(file)[NAMED[file.slice(dirname(file).length + 1) as keyof typeof NAMED]];
  if (!isJsonObject(scripts)) return [];
  const lives = Object.entries(LIFECYCLES).flatMap(([verbs, names]) =>
    words?.some((word) => verbs.split(' ').includes(word)) ? names.split(' ') : [],
  );
  const wanted = words?.flatMap((word) => [`pre${word}`, word, `post${word}`, ...lives]);
  return Object.entries(scripts).flatMap(([name, script]) => {
    const texts = [script].flat().map((text) => (isJsonObject(text) ? text.command : text));
    const isWanted = wanted === undefined || wanted.includes(name);
    return isWanted ? texts.map((text) => ({ text: String(text), file, folder: dirname(file) })) : [];
  });
}

function readObject(file: string): Record<string, Json> {
  const value = readJson<Json>(file) ?? null;
  return isJsonObject(value) ? value : {};
}

function makefilesOf(words: readonly string[], folder: string, names: readonly string[]): string[] {
  const named = words.flatMap((word, at) => {
    const glued = /^(?:-f|--file=|--makefile=|--justfile=)(.+)/.exec(word)?.[1];
    return glued ?? (/^(-f|--(make|just)?file)$/.test(words[at - 1] ?? '') ? word : []);
  });
  const files = (named.length > 0 ? named : names).map((name) => resolve(folder, name));
  return files.filter((file) => isFile(file));
}

interface Rule {
  targets: string[];
  needs: string[];
  lines: string[];
}

/** The lines of the wanted rules and of those that they need; of all rules where the file has more than plain ones. */
function rulesOf(file: string, words: readonly string[] | undefined): Recipe[] {
  const text = readFileSync(file, 'utf8').replace(/\\\r?\n\s*/g, ' ');
  const values = new Map([['MAKE', 'make']]);
  const rules: Rule[] = [];
  let isPlain = !/^\s*-?(include|define|ifn?eq|ifn?def|import|mod)\b|\$[({](call|eval|shell|foreach)\b/m.test(text);
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?:[:?+!]{0,3}=)\s*(.*)/.exec(line) ?? [];
    const rule = /^([^\s#:=][^:=#]*)::?(?!=)([^;#]*)(?:;(.*))?/.exec(line);
    if (/^\s+\S/.test(line)) rules.at(-1)?.lines.push(line.trim());
    else if (name !== undefined) values.set(name, value);
    else if (rule) {
      const [targets = [], needs = []] = [rule[1], rule[2]].map((part) =>
        filled(part ?? '', values)
          .split(/[\s|]+/)
          .filter(Boolean),
      );
      if (targets.some((target) => target.includes('%'))) isPlain = false;
      rules.push({ targets, needs, lines: rule[3] === undefined ? [] : [rule[3]] });
    }
  }
  for (const word of words ?? []) {
    const [, name, value = ''] = /^(\w+)=(.*)/s.exec(word) ?? [];
    if (name !== undefined) values.set(name, value);
  }
  const named = new Set(rules.flatMap(({ targets }) => targets).filter((target) => words?.includes(target)));
  const [first] = rules.filter(({ targets }) => !targets[0]?.startsWith('.'));
  if (named.size === 0) for (const target of first?.targets ?? []) named.add(target);
  for (const target of named)
    for (const rule of rules) if (rule.targets.includes(target)) for (const need of rule.needs) named.add(need);
  const wanted = rules.filter(
    ({ targets }) => !isPlain || words === undefined || targets.some((target) => named.has(target)),
  );
  return wanted.map(({ targets, needs, lines }) => {
    const own = new Map([...values, ['@', targets[0] ?? ''], ['<', needs[0] ?? ''], ['^', needs.join(' ')]]);
    const commands = lines.map((line) => filled(line.replace(/^[-@+\s]+/, ''), own));
    return { text: commands.join('\n'), file, folder: dirname(file) };
  });
}

/** A text with the values of make's variables, and its `$$` as `$`. */
function filled(text: string, values: ReadonlyMap<string, string>, depth = 0): string {
  return text.replace(
    /\$(?:\$|[({]([\w.-]+)[)}]|([@<^])|\{\{\s*(\w+)\s*\}\})|\{\{\s*(\w+)\s*\}\}/g,
    (whole, one, two, three, four) => {
      if (whole === '$$') return '$';
      const value = values.get(one ?? two ?? three ?? four) ?? '';
      return depth < 8 ? filled(value, values, depth + 1) : value;
    },
  );
}
