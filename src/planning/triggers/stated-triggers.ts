import { AbilityError, formatLocation, type Problem } from '../../contracts/problem.js';
import type { TriggerSpec } from '../../contracts/webhooks.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { type Loaded, type Registry, unreadable } from '../../definitions/registry.js';

export interface FoundTrigger {
  spec: TriggerSpec;
  from: Loaded<LowLevel> | Loaded<HighLevel>;
  /** Index in `triggers`. */
  index: number;
}

export function* findTriggers({ workflows, operations }: Registry): Generator<FoundTrigger> {
  for (const [ability, from] of [...workflows, ...operations]) {
    for (const [index, entry] of (from.value.triggers ?? []).entries()) {
      const { environment, if: condition, key, intent, ...rest } = entry;
      const optional = { environment, if: condition, key, intent };
      const stated = Object.entries(optional).filter(([, value]) => value !== undefined);
      yield { spec: { ability, ...rest, ...Object.fromEntries(stated) }, from, index };
    }
  }
}

/** By webhook name. @throws AbilityError `definition.duplicate`: one address starts one ability. */
export function statedTriggers(registry: Registry): Map<string, FoundTrigger> {
  const found = new Map<string, FoundTrigger>();
  for (const stated of findTriggers(registry)) {
    const first = found.get(stated.spec.webhook);
    if (first) throw webhookTwice(first, stated);
    found.set(stated.spec.webhook, stated);
  }
  return found;
}

/** The error of an unreadable definition that may state webhooks; undefined if all are readable. */
export function unreadTriggers(registry: Registry): Problem | undefined {
  const [, problem] = [...registry.broken].find(([key]) => key.startsWith('ability:')) ?? [];
  return problem ?? unreadable(registry, 'low-level', 'high-level');
}

/** @param second the error is located here. */
export function webhookTwice(first: FoundTrigger, { spec, from, index }: FoundTrigger): AbilityError {
  return new AbilityError({
    code: 'definition.duplicate',
    message: `The webhook ${spec.webhook} is in ${formatLocation(first.from.locate(['triggers', first.index, 'webhook']))} as well`,
    suggestion: 'Give each webhook of the project a name of its own; a sender may send to several addresses.',
    location: from.locate(['triggers', index, 'webhook']),
  });
}
