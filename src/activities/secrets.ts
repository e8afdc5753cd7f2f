export { SecretSource } from '../planning/secret-source.js';

/** A shorter value would blot out half a log, and is no secret. */
const SHORTEST_MASKED = 4;

/** Replaces known secrets in text that people will read. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const part of partsOf(secrets)) masked = masked.replaceAll(part, '***');
  return masked;
}

/** Replaces known secrets in every text of a value, keys excepted. */
export function maskDeep(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskDeep(item, secrets));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskDeep(item, secrets)]));
}

/** Text is printed line by line, and so is a key of several lines; a secret may begin with another one. */
function partsOf(secrets: readonly string[]): string[] {
  const parts = new Set(secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]));
  return [...parts].filter((part) => part.length >= SHORTEST_MASKED).sort((a, b) => b.length - a.length);
}
