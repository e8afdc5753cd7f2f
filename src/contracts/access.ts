import type { Person } from './callers.js';

/** Permissions of a token: to see, to act, to decide approvals. None includes another. */
export const RIGHTS = ['read', 'run', 'approve'] as const;

export type Right = (typeof RIGHTS)[number];

/** Where a right holds, by globs; a part that is left out limits nothing. */
export interface RightLimits {
  /** Names of environments. */
  environments?: readonly string[] | undefined;
  /** Ids of abilities. */
  abilities?: readonly string[] | undefined;
}

/** What a caller may do, and where: one of the limits of a right must allow it; without limits nothing is allowed. */
export type Rights = { readonly [Name in Right]?: readonly RightLimits[] };

/** Whom an OpenID provider signed in. Groups as in its claim; they get the rights that `access` in ability.yaml names. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  groups: readonly string[];
}

/** A token's metadata, without the secret that proves it. Times are ISO 8601. */
export interface AccessToken {
  /** Identifies the token everywhere; not a secret. */
  id: string;
  project: string;
  person: string;
  /** The agent that acts for the person; such a token never has the right `approve`. */
  agent?: string | undefined;
  /** Made when its person was let in to the page, and ended when they leave. */
  page?: true | undefined;
  can: Right[];
  /** Limits of all its rights. */
  within?: RightLimits | undefined;
  /** Its person came through an OpenID provider: their groups add to its rights. */
  oidc?: OidcIdentity | undefined;
  /** Its person is what a proxy said, so it proves no decision. */
  claimed?: true | undefined;
  created_at: string;
  /** A claim, not proved. */
  created_by: string;
  expires_at: string;
  /** From then on the token is refused; absent: it was not revoked. */
  revoked_at?: string | undefined;
}

/** A token to create. */
export interface NewToken extends Pick<AccessToken, 'person' | 'agent' | 'page' | 'within' | 'oidc' | 'claimed'> {
  can: readonly Right[];
  expiresMs: number;
  createdBy: Person;
}

/** Headers that name the requester: a token's person must match; over a runtime's socket they are a claim. */
export const USER_CLAIM = { user: 'ability-user', caller: 'ability-caller' } as const;
