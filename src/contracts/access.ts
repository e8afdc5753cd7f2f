import type { Person } from './people.js';

/** Permissions of a token: to see, to act, to decide approvals. None includes another. */
export const RIGHTS = ['read', 'run', 'approve'] as const;

/** One of {@link RIGHTS}. */
export type Right = (typeof RIGHTS)[number];

/** A token's metadata, without the secret that proves it. Times are ISO 8601. */
export interface AccessToken {
  /** Names the token everywhere; no secret. */
  id: string;
  /** The one project that it opens. */
  project: string;
  /** The person in whose name it is used. */
  person: string;
  /** It is of an agent that acts for the person; such a token never has the right `approve`. */
  agent?: string | undefined;
  can: Right[];
  created_at: string;
  /** Who made it; a claim. */
  created_by: string;
  expires_at: string;
  /** From then on it opens nothing; absent: it was not revoked. */
  revoked_at?: string | undefined;
}

/** A token to be made. */
export interface NewToken {
  person: string;
  agent?: string | undefined;
  can: readonly Right[];
  /** From now, in milliseconds. */
  expiresMs: number;
  createdBy: Person;
}

/**
 * Headers in which a client names the requester. With a token they must match it; over the socket of a runtime they are
 * an unproved claim.
 */
export const USER_CLAIM = { user: 'ability-user', caller: 'ability-caller' } as const;

/** Headers of an answer to a creation: the run of the workflow, and whether the key was that of this very task already. */
export const TASK_HEADERS = { run: 'ability-run', attached: 'ability-attached' } as const;
