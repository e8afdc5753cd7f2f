/** A reference to a secret of a provider, `NAME:PATH` or `NAME:PATH#FIELD`. Source: docs/operations.md#secrets. */
export interface ProviderReference {
  provider: string;
  path: string;
  field?: string;
}

/** The part of {@link PROVIDER_NAME} that a reference begins with; `https://...` is an address. */
const OWN = '(?:env|file|https?)';

/** `env` and `file` are no providers, and `https:` begins an address. */
export const PROVIDER_NAME = new RegExp(`^(?!${OWN}$)[a-z][a-z0-9_-]{0,31}$`);

const REFERENCE = new RegExp(`^(?!${OWN}:)([a-z][a-z0-9_-]{0,31}):([^#]*)(?:#(.*))?$`, 's');

/** Undefined for `env:`, `file:` and other texts. It may still be of no provider of the project. */
export function providerReference(text: string): ProviderReference | undefined {
  const [, provider, path = '', field] = REFERENCE.exec(text) ?? [];
  return provider === undefined ? undefined : { provider, path, ...(field !== undefined && { field }) };
}

/** A program reads it as an argument: no option, no way out of a folder, and nothing that ends a quoted text. */
const PART = '[A-Za-z0-9_](?:[A-Za-z0-9_./@+=:,~ -]*[A-Za-z0-9_/@+=:,~-])?';

/** A reference to a provider whose path and field are safe as parts of an argument. */
export const SAFE_REFERENCE = new RegExp(
  `^(?!${OWN}:)[a-z][a-z0-9_-]{0,31}:(?!.*/\\.\\.(?:[/#]|$))${PART}(?:#${PART})?$`,
);

/** The placeholders in an argument of a command. */
export function placeholdersIn(argument: string): string[] {
  return [...argument.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
