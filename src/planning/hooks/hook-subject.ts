import type { Effect } from '../../contracts/effects.js';
import type { HookKind } from '../../contracts/hooks.js';

/** The subject that a hook's `match` is tested against. */
export interface HookSubject {
  ability: string;
  modules: readonly string[];
  environment: string;
  kind: HookKind;
  effects: Effect;
  tags: readonly string[];
}
