import type { Effect } from '../contracts/effects.js';
import type { HookKind } from '../contracts/hooks.js';
import { matchesAnyGlob } from '../text/glob.js';
import type { HookMatch } from './formats/hooks.js';

/** What the `match` of a mapping is tested against. */
export interface MappedAbility {
  ability: string;
  modules: readonly string[];
  environment: string;
  effects: Effect;
  tags: readonly string[];
}

/** What the `match` of a hook is tested against. */
export interface HookSubject extends MappedAbility {
  kind: HookKind;
}

export function fits(patterns: string[] | undefined, names: readonly string[]): boolean {
  return patterns === undefined || names.some((name) => matchesAnyGlob(patterns, name));
}

/** The first field of a `match` that does not fit, in words; undefined: all fit. */
export function unfitField(match: HookMatch, subject: MappedAbility & { kind?: HookKind }): string | undefined {
  const { ability, modules, environment, kind, effects, tags } = subject;
  const names = {
    abilities: [ability],
    modules,
    environments: [environment],
    kinds: kind === undefined ? [] : [kind],
    effects: [effects],
    tags,
  };
  for (const [key, found] of Object.entries(names)) {
    const wanted = match[key as keyof typeof names];
    if (!fits(wanted, found)) return `${key} ${wanted?.join(', ')} (here: ${found.join(', ') || 'none'})`;
  }
  return undefined;
}

/** Does not compare `callers`, who are not known before a call. Source: R-000-63. */
export function fitsMatch(match: HookMatch, subject: MappedAbility & { kind?: HookKind }): boolean {
  return unfitField(match, subject) === undefined;
}
