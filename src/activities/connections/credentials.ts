import { randomUUID } from 'node:crypto';
import type { ApiImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { encode } from '../../kinds/api/call/write-values.js';
import type { CallInput } from '../call/call-input.js';

export type SecretUser = Pick<CallInput, 'secrets' | 'log'>;

const CREDENTIAL = /\{credential:([^}]*)\}/g;

/** Replaces `{credential:name}` with unguessable marks, so that input which looks like a credential is not replaced. */
export function markCredentials(template: string): { text: string; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const text = template.replaceAll(CREDENTIAL, (_, name: string) => {
    const mark = randomUUID();
    secrets.set(mark, name);
    return mark;
  });
  return { text, secrets };
}

/** Replaces `{credential:name}`. @throws AbilityError `config.missing_credential`, `config.invalid`. */
export function fillCredentials(text: string, credentials: Record<string, string>, call: SecretUser): string {
  return text.replaceAll(CREDENTIAL, (_, name: string) => credentialOf(name, credentials, call));
}

/** Resolves and masks one. @throws AbilityError `config.missing_credential`, `config.invalid`. */
export function credentialOf(name: string, credentials: Record<string, string>, { secrets, log }: SecretUser): string {
  const reference = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (reference === undefined) {
    throw new AbilityError({ code: 'config.invalid', message: `The credential ${name} is not configured` });
  }
  const value = secrets.resolve(reference, `credential ${name}`);
  log.hide(value);
  return value;
}

/** The forms in which a secret may appear: literal, in a URL, in a form, in JSON. */
export function formsOf(secret: string): string[] {
  const inAddress = encodeURIComponent(secret);
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, inAddress, inAddress.replaceAll("'", '%27'), inForm, inJson])];
}

export interface SecretQuery {
  name: string;
  value: string;
}

/** Source: RFC 7617. @throws AbilityError `config.missing_credential`, `config.invalid` if the user has `:`. */
export function basicHeader({ auth, credentials }: ApiImplementation['api'], call: SecretUser): string | undefined {
  if (!auth?.basic) return undefined;
  const user = fillCredentials(auth.basic.user, credentials, call);
  const password = fillCredentials(auth.basic.password, credentials, call);
  if (user.includes(':')) {
    throw new AbilityError({
      code: 'config.invalid',
      message: 'The user of `auth.basic` contains a colon, after which the password would begin',
      suggestion: 'Set user and password as separate credentials.',
    });
  }
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  // Masks the pair even if a part of it is too short to be masked alone.
  call.log.hide(`${user}:${password}`);
  return `Basic ${encoded}`;
}

/** Resolves and masks those of `auth.query`. @throws AbilityError `config.missing_credential`. */
export function secretQueryOf({ auth, credentials }: ApiImplementation['api'], call: SecretUser): SecretQuery[] {
  return Object.entries(auth?.query ?? {}).map(([name, text]) => {
    const value = fillCredentials(text, credentials, call);
    call.log.hide(value);
    return { name, value };
  });
}

/** Adds to a URL the credentials that it lacks. */
export function withSecrets(url: URL, secrets: readonly SecretQuery[]): URL {
  const pairs = secrets
    .filter(({ name }) => !url.searchParams.has(name))
    .map(({ name, value }) => `${encode(name, name)}=${encode(value, name)}`);
  if (pairs.length === 0) return url;
  const filled = new URL(url);
  filled.search = [url.search.slice(1), ...pairs].filter((text) => text !== '').join('&');
  return filled;
}
