import type { Registry } from '../definitions/registry.js';

/** @returns masks the known secrets of an environment in a value, as far as this command can read them. */
export async function masking(
  { env }: { env: NodeJS.ProcessEnv },
  registry: Registry,
): Promise<<T>(value: T, environment: string) => T> {
  const { Masker } = await import('../planning/secrets/masking/masker.js');
  const { SecretSource } = await import('../planning/secrets/secret-source.js');
  const { knownSecrets } = await import('../planning/secrets/credentials.js');
  const maskers = new Map<string, InstanceType<typeof Masker>>();
  return <T>(value: T, environment: string): T => {
    const known = maskers.get(environment);
    const masker = known ?? new Masker(knownSecrets(registry, new SecretSource(registry.root, environment, env)));
    maskers.set(environment, masker);
    return masker.maskDeep(value) as T;
  };
}
