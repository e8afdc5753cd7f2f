/** Prefix of a model's key among the operations of a plan. No ability id has a colon. */
export const MODEL_PREFIX = 'model:';

export function isModelKey(key: string): boolean {
  return key.startsWith(MODEL_PREFIX);
}
