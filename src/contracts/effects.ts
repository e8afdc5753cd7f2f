/**
 * Effects of a call, from none to irreversible. They decide whether a failed call may be retried, whether an
 * environment requires approval, and the consequence of an unknown outcome.
 * Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task.
 */
export const EFFECTS = ['read', 'external_read', 'write_idempotent', 'write_additive', 'destructive'] as const;

export type Effect = (typeof EFFECTS)[number];

/** Whether it changes nothing. */
export function isReading(effect: Effect): boolean {
  return effect === 'read' || effect === 'external_read';
}

/** Whether doing it twice under one idempotency key is the same as doing it once. */
export function isRepeatable(effect: Effect): boolean {
  return isReading(effect) || effect === 'write_idempotent';
}
