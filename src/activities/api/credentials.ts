import { randomUUID } from 'node:crypto';
import { AbilityError } from '../../contracts/problem.js';
import type { CallInput } from '../call-input.js';

/** Who resolves secrets, and hides them in what is printed. */
export type SecretUser = Pick<CallInput, 'secrets' | 'log'>;

const CREDENTIAL = /\{credential:([^}]*)\}/g;

/** Puts marks nobody can guess in place of `{credential:name}`, so that input which looks like one is none. */
export function markCredentials(template: string): { text: string; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const text = template.replaceAll(CREDENTIAL, (_, name: string) => {
    const mark = randomUUID();
    secrets.set(mark, name);
    return mark;
  });
  return { text, secrets };
}

/**
 * Replaces `{credential:name}`, resolving each one only now.
 *
 * @throws AbilityError `config.missing_credential`, `config.invalid`.
 */
export function fillCredentials(text: string, credentials: Record<string, string>, call: SecretUser): string {
  return text.replaceAll(CREDENTIAL, (_, name: string) => credentialOf(name, credentials, call));
}

/** One credential, hidden from now on. @throws AbilityError `config.missing_credential`, `config.invalid`. */
export function credentialOf(name: string, credentials: Record<string, string>, { secrets, log }: SecretUser): string {
  const reference = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (reference === undefined) {
    throw new AbilityError({ code: 'config.invalid', message: `The credential ${name} is not configured` });
  }
  const value = secrets.resolve(reference, `credential ${name}`);
  log.hide(value);
  return value;
}

/** A secret as it may show: as it is, in an address, in a form, in JSON. */
export function formsOf(secret: string): string[] {
  const inAddress = encodeURIComponent(secret);
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, inAddress, inAddress.replaceAll("'", '%27'), inForm, inJson])];
}
