/** What the keys of models begin with among the operations of a plan. The colon keeps them apart from every ability. */
export const MODEL_PREFIX = 'model:';

/** Whether the key of an operation is that of a model. */
export function isModelKey(key: string): boolean {
  return key.startsWith(MODEL_PREFIX);
}
