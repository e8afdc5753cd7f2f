import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { leavesToSay } from '../../definitions/default-summary.js';
import { isCaseFile } from '../../definitions/is-case-file.js';
import { loginsFile } from '../../server/keys/logins-file.js';
import { attempt } from '../../text/attempt.js';
import { type Finding, unsure } from './finding.js';
import type { GuardIndex } from './guard-index.js';
import { hasLetters, isKnown, patternOf, waysTo } from './shell/marks.js';
import { expandGlob, isBlind } from './words.js';

/** Where agents' tools store hooks, and settings that may disable them. */
const SETTINGS = ['settings.json', 'settings.local.json', 'hooks.json', 'config.toml'];
const ADDS_CASES = 'ability scaffold cases --from FILE';
const ADDS_HOOK = 'ability scaffold hook --phase PHASE --from FILE';

/** The command that creates the files in each folder of the registry. */
const SCAFFOLDS: Record<string, string> = {
  'low-level': 'ability scaffold low-level --from FILE',
  'high-level': 'ability scaffold high-level --from FILE',
  implementations: 'ability scaffold implementation --from FILE',
  hooks: ADDS_HOOK,
  schemas: 'ability scaffold schemas',
  'capabilities.yaml': 'ability scaffold capabilities --from FILE',
  'packs.yaml': 'ability scaffold packs --from FILE',
  'AGENTS.md': 'ability docs --agents',
};

/** Where an agent may not write. Source: R-002-58, C-46. */
export class Places {
  /** Absolute, links resolved. */
  readonly root: string;
  /** What not even a reader may name: keys, tokens, logins at doors, and the socket that decisions are sent to. */
  readonly kept: readonly string[];

  constructor(
    root: string,
    readonly index: GuardIndex,
  ) {
    this.root = realpathSync(root);
    const state = join(this.root, '.system');
    const socket = /"socket":\s*"([^"]+)"/.exec(this.textOf('.system/runtime.json'))?.[1];
    const files = ['keys', 'tokens', 'runtime.sock'].map((name) => join(state, name));
    this.kept = [...files, this.real(loginsFile(process.env)), ...(socket ? [socket] : [])];
  }

  /** Whether searches that respect `.gitignore` leave out what the runtime keeps. */
  ignoresState(): boolean {
    return /^\/?\.system\/?\s*$/m.test(this.textOf('.gitignore'));
  }

  /** Resolves all links in the existing part of a path. */
  real(path: string): string {
    try {
      return realpathSync(path);
    } catch {
      const above = dirname(path);
      return above === path ? path : join(this.real(above), basename(path));
    }
  }

  /** Relative to the project, with forward slashes; undefined outside of it. */
  inProject(path: string): string | undefined {
    const way = relative(this.root, path);
    return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way.split(sep).join('/');
  }

  /** Why an agent may not write to a path, if so. @param whole the write affects a folder and its contents. */
  refuse(path: string, whole = false): Finding | undefined {
    const direct = this.inProject(resolve(path));
    const file = this.inProject(this.real(resolve(path)));
    for (const way of new Set([direct, file])) {
      const found = way === undefined ? undefined : this.refuseInside(way, whole);
      if (found) return found;
    }
    const above = relative(resolve(path), this.root);
    const isAbove = above === '' || (!above.startsWith('..') && !isAbsolute(above));
    return whole && isAbove ? refusedAround(path) : undefined;
  }

  private refuseInside(way: string, whole: boolean): Finding | undefined {
    const { registry, hooks } = this.index;
    if (way === '') return whole ? refusedAround('the folder') : undefined;
    if (way === 'ability.yaml') return refused('ability.yaml defines who approves and what may be bypassed');
    const folder = [hooks, registry].find((known) => way === known || way.startsWith(`${known}/`));
    if (folder !== undefined) {
      const kind = folder === registry ? way.slice(registry.length + 1).split('/')[0] : 'hooks';
      const isOfGuards = folder === hooks || /\/hooks_impl\.ya?ml$/.test(way);
      if (!isOfGuards && (way.startsWith(`${registry}/config/`) || this.isUnsaid(way))) return undefined;
      return refused(`${way} is a registration`, isCaseFile(way) ? ADDS_CASES : SCAFFOLDS[kind ?? '']);
    }
    if (way === '.system' || way.startsWith('.system/')) return refused(`${way} is what the runtime keeps`);
    const settings = this.index.settings.find((known) => way === known || way.startsWith(`${known}/`));
    if (settings !== undefined) return refused(`${way} sets what agents, servers and credentials there are`);
    const holds = [registry, hooks].some((known) => known.startsWith(`${way}/`));
    if (whole && holds) return refusedAround(way);
    return this.putsGuard(way, whole) ? refused(`${way} puts this guard before your calls`) : undefined;
  }

  /**
   * A file beside the settings with the guard may disable it (`disableAllHooks`), and is protected with their folder.
   */
  private putsGuard(way: string, whole: boolean): boolean {
    const folder = SETTINGS.includes(basename(way)) ? dirname(way) : whole ? way : undefined;
    return (
      folder !== undefined && SETTINGS.some((file) => this.textOf(join(folder, file)).includes('ability guard --for '))
    );
  }

  /** Whether a scaffold left something to fill in; it never does in a file of guards. Source: C-46. */
  private isUnsaid(way: string): boolean {
    return leavesToSay(this.textOf(way));
  }

  private textOf(way: string): string {
    return attempt(() => {
      const path = join(this.root, way);
      return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
    }, '');
  }
}

function refusedAround(folder: string): Finding {
  const what = `${folder} contains the registry of this project, which this may change or carry away`;
  return { about: 'registry', what, instead: 'Leave it to a person, or name only the files in it that it is for.' };
}

function refused(what: string, scaffold?: string): Finding {
  return { about: 'registry', what, instead: adviceOn(scaffold) };
}

function adviceOn(scaffold: string | undefined): string {
  if (scaffold === undefined) return 'Leave it to a person.';
  if (scaffold === ADDS_HOOK) return `Add a hook with \`${scaffold}\`; existing hooks are for people to change.`;
  if (!scaffold.endsWith('--from FILE')) return `Use \`${scaffold}\`, which writes it.`;
  return `Use \`${scaffold}\` with a whole definition in FILE, which lies elsewhere; it is checked before it is written. Of the existing files, edit only registry/config/ and those that a scaffold left incomplete.`;
}

/** The folders that a relative path may refer to. */
export interface Bases {
  /** Those that the shell has been in, the newest first. */
  folders: readonly string[];
  /** Those that the command names. */
  named?: readonly string[];
  /** True if the shell may be in any folder. */
  isLost: boolean;
}

/** Why a shell may not write to a path. @param whole the write affects a folder and its contents. */
export function judgeWrite(path: string, whole: boolean, bases: Bases, places: Places): Finding[] {
  return refusals(path, whole, bases, places).filter((finding) => finding !== undefined);
}

function refusals(path: string, whole: boolean, bases: Bases, places: Places): (Finding | undefined)[] {
  const { isLost, named = [] } = bases;
  const folders = [...bases.folders, ...named];
  if (isKnown(path)) {
    const elsewhere = isLost ? filesNamed(path, places).map((file) => places.refuse(resolve(places.root, file))) : [];
    return [...folders.map((folder) => places.refuse(resolve(folder, path), whole)), ...elsewhere];
  }
  const begin = path.slice(0, path.search(/[\uE000-\uE008]/));
  const known = begin.includes('/') ? [places.refuse(resolve(folders[0] ?? '/', `${begin}x`))] : [];
  if (isBlind(path)) return [unsure('It writes to a file')];
  if (!hasLetters(path) && !/[\uE000-\uE002]/.test(path)) return known;
  const there = folders.flatMap((folder) => expandGlob(path, folder)).map((each) => places.refuse(each, whole));
  const pattern = patternOf(path);
  const fitting = [...settledPlaces(places.index), ...places.index.files].flatMap((file) => {
    const absolute = resolve(places.root, file);
    return waysTo(absolute, folders, file).some((way) => pattern.test(way)) ? places.refuse(absolute, true) : [];
  });
  return [...known, ...there, ...fitting];
}

/** The places that a text mentions: code that names a protected place may write to it. */
export function placesIn(text: string, { index }: Places): string[] {
  const kept = settledPlaces(index);
  const paths = [...text.matchAll(/[\w./~-]*[\w~-]/g)].map(([path]) => path);
  return paths.filter((path) => kept.some((place) => path.includes(place)));
}

function settledPlaces({ registry, hooks, settings }: GuardIndex): string[] {
  return ['ability.yaml', '.system', registry, hooks, ...settings];
}

function filesNamed(path: string, { index }: Places): string[] {
  const end = path.replace(/^(\.\/)+/, '');
  return ['ability.yaml', ...index.files].filter((file) => file === end || file.endsWith(`/${end}`));
}
