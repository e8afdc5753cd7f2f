import { z } from 'zod';
import type { GuardDecision, HookResult } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';

const decision = z.enum(['allow', 'deny', 'need_user_confirm'] satisfies GuardDecision[]);
const jsonObject = z.record(z.string(), z.json()).transform((value) => value as JsonObject);

/** One item of `hook_signals.ability_guards`. Source: R-002-38. */
const abilityGuard = z.strictObject({
  ability_id: z.string(),
  decision,
  reason: z.string().optional(),
  suggestion: z.string().optional(),
});

/** What a hook says of an ability in its signals. */
export type AbilityGuard = z.output<typeof abilityGuard>;

/** The key that holds them, and the one for a single guard, which a hook may give instead. Source: C-10. */
export const GUARD_SIGNALS = ['ability_guards', 'ability_guard'] as const;

/** Guards among signals, of which a hook gives a list or, by C-10, a single one. */
export const guardSignals = z.object({
  ability_guards: z.array(abilityGuard).optional(),
  ability_guard: abilityGuard.optional(),
});

/** Signals that are known. Source: R-002-36; R-000-57; C-10. */
export const KNOWN_SIGNALS: readonly string[] = [
  ...GUARD_SIGNALS,
  'routing_hints',
  'routing_hint',
  'normalized_intent',
  'risk_alerts',
  'risk_alert',
];

/** The fields for the infrastructure, which count at the top level as in `infra`. Source: R-002-18. */
export const INFRA_FIELDS = ['log', 'metrics', 'usage_record'] as const;

const fields = {
  hook_id: z.string().optional(),
  status: z.enum(['ok', 'error']).optional(),
  guard_decision: decision.optional(),
  reason: z.string().optional(),
  suggestion: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  hook_signals: jsonObject.optional(),
  infra: jsonObject.optional(),
  log: z.json().optional(),
  metrics: z.json().optional(),
  usage_record: z.json().optional(),
  duration_ms: z.number().optional(),
} satisfies Record<keyof HookResult, z.ZodType>;

/** HookResult as handlers print it. Keys that it does not have are left to {@link unknownKeys}. Source: R-002-18. */
export const hookResult = z.object(fields);

/** Every key of a HookResult. */
export const HOOK_RESULT_KEYS: readonly string[] = Object.keys(fields);

/** The keys of an answer that a HookResult does not have. */
export function unknownKeys(value: object): string[] {
  return Object.keys(value).filter((key) => !HOOK_RESULT_KEYS.includes(key));
}
