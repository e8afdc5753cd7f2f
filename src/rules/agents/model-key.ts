import { PHASES } from '../../contracts/hooks.js';

/** Prefix of a model's key among the operations of a plan. No ability id has a colon. */
export const MODEL_PREFIX = 'model:';

export function isModelKey(key: string): boolean {
  return key.startsWith(MODEL_PREFIX);
}

/** Whether an activity of this type is a call of an operation, not a hook or one of the runtime itself. */
export function isOperation(type: string): boolean {
  return (!type.includes(':') || isModelKey(type)) && !(PHASES as readonly string[]).includes(type);
}
