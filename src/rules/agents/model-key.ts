/** Prefix of the keys of models among a plan's operations. The colon keeps them apart from every ability. */
export const MODEL_PREFIX = 'model:';

/** Whether the key of an operation is that of a model. */
export function isModelKey(key: string): boolean {
  return key.startsWith(MODEL_PREFIX);
}
