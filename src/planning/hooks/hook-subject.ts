import type { Effect } from '../../contracts/effects.js';
import type { HookKind } from '../../contracts/hooks.js';

/** What the `match` of a hook is tested against. */
export interface HookSubject {
  ability: string;
  modules: readonly string[];
  environment: string;
  kind: HookKind;
  effects: Effect;
  tags: readonly string[];
}
