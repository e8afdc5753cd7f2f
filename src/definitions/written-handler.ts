import type { HandlerName } from '../rules/hooks/handlers.js';
import { handlerNameOf, type WrittenHandler, type WrittenOf } from './formats/hooks.js';

/** What a handler is to code that reads definitions. */
interface HandlerParts extends Pick<WrittenOf<'script'>, 'format' | 'event'> {
  script: WrittenOf<'script'>['script'] | undefined;
  /** The id of the low-level ability that answers. */
  ability: string | undefined;
  /** Conditions in CEL, by their keys. */
  conditions: [key: string, condition: string][];
  /** Whether it may deny or ask for approval. */
  canStop: boolean;
  /** Whether it may ask for approval. */
  canAsk: boolean;
  /** Whether it comes with the runtime, so that no example has to show what it refuses. */
  isOurs: boolean;
}

const PLAIN: HandlerParts = {
  script: undefined,
  ability: undefined,
  conditions: [],
  canStop: true,
  canAsk: true,
  isOurs: false,
};

const PARTS: { readonly [K in HandlerName]: (written: WrittenOf<K>) => HandlerParts } = {
  expression({ expression: { deny_if, confirm_if, warn_if } }) {
    const conditions = Object.entries({ deny_if, confirm_if, warn_if }).flatMap(([key, condition]) =>
      condition === undefined ? [] : [[key, condition] as [string, string]],
    );
    return { ...PLAIN, conditions, canStop: (deny_if ?? confirm_if) !== undefined, canAsk: confirm_if !== undefined };
  },
  script: (written) => ({ ...PLAIN, ...written }),
  builtin: ({ builtin }) => ({ ...PLAIN, canStop: builtin.name !== 'usage', isOurs: true }),
  ability: ({ ability, ...written }) => ({ ...PLAIN, ...written, ability: ability.key }),
};

export function partsOfHandler(written: WrittenHandler): HandlerParts {
  const parts = PARTS[handlerNameOf(written)] as (handler: WrittenHandler) => HandlerParts;
  return parts(written);
}
