import type { SecretReader } from '../activities/secrets/secret-reader.js';
import type { Registry } from '../definitions/registry.js';
import { EnvironmentVariables, SecretSource } from '../planning/secrets/secret-source.js';
import { isHostAllowed } from '../rules/calls/allowed-hosts.js';

/** Without a listener, in case something is called by mistake. */
const UNUSED_ADDRESS = 'http://127.0.0.1:9';

/** `env:NAME` in a test: the real value, else a placeholder: cases need no credentials, addresses or programs. */
export class PlaceholderVariables extends EnvironmentVariables {
  private readonly base: string;

  constructor({ root, project }: Pick<Registry, 'root' | 'project'>, environment: string) {
    super(root, environment);
    this.base = allowedAddress(project.policy.allowed_hosts);
  }

  override find(name: string): string {
    return super.find(name) ?? `${this.base}/${name}`;
  }

  override hasProgram(): boolean {
    return true;
  }
}

/** Secrets in a test; those without a value, and those of providers, which no test runs, get a placeholder. */
export class PlaceholderSecrets extends SecretSource {
  protected override find(reference: string): string {
    return super.find(reference) || `placeholder for ${reference}`;
  }
}

export function placeholderSecrets(root: string, environment: string): SecretReader {
  const source = new PlaceholderSecrets(root, environment);
  return { read: async () => source, recall: async () => {}, valuesOf: (reference) => source.valuesOf(reference) };
}

/** An address that the policy allows, since a placeholder may be checked against it. */
function allowedAddress(allowed: readonly string[] | undefined): string {
  if (allowed === undefined) return UNUSED_ADDRESS;
  const candidates = allowed.map((entry) => `http://${entry.replace(/:\*$/, ':9').replaceAll('*', 'x')}`);
  return candidates.find((text) => URL.canParse(text) && isHostAllowed(new URL(text), allowed)) ?? UNUSED_ADDRESS;
}
