import type { JsonObject } from './json.js';

/** A trigger as its author writes it: the webhooks that start its ability, and the input. */
export interface TriggerSpec {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`, unique in the project: the last part of its address. */
  webhook: string;
  /** Reference to the sender's signing secret. */
  secret: string;
  ability: string;
  /** Omitted: the only environment of the ability. */
  environment?: string;
  /** Bare CEL; omitted: each delivery starts a task. */
  if?: string;
  /** A value with `${{ }}`, or a single `${{ }}` that yields an object. */
  input: JsonObject | string;
  /** A text with `${{ }}`; omitted: the sender's id of the delivery. */
  key?: string;
  intent?: string;
}
