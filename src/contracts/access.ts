import type { Person } from './callers.js';

/** Permissions of a token: to see, to act, to decide approvals. None includes another. */
export const RIGHTS = ['read', 'run', 'approve'] as const;

/** One of {@link RIGHTS}. */
export type Right = (typeof RIGHTS)[number];

/** A token's metadata, without the secret that proves it. Times are ISO 8601. */
export interface AccessToken {
  /** Identifies the token everywhere; not a secret. */
  id: string;
  project: string;
  person: string;
  /** The agent that acts for the person; such a token never has the right `approve`. */
  agent?: string | undefined;
  can: Right[];
  created_at: string;
  /** A claim, not proved. */
  created_by: string;
  expires_at: string;
  /** From then on the token is refused; absent: it was not revoked. */
  revoked_at?: string | undefined;
}

/** A token to create. */
export interface NewToken {
  person: string;
  agent?: string | undefined;
  can: readonly Right[];
  expiresMs: number;
  createdBy: Person;
}

/** Headers that name the requester: a token's person must match; over a runtime's socket they are a claim. */
export const USER_CLAIM = { user: 'ability-user', caller: 'ability-caller' } as const;

/** Headers of the response to a creation: the workflow run, and whether this very task existed already. */
export const TASK_HEADERS = { run: 'ability-run', attached: 'ability-attached' } as const;
