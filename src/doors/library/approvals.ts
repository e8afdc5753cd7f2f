import * as client from '../../client/index.js';
import { type Reached, reached } from './connection.js';

/** The approvals of a task that wait for people. @throws AbilityError `task.not_found`, `task.other_project`. */
export const openApprovals: Reached<typeof client.openApprovals> = reached(client.openApprovals);

/**
 * All approvals of a task, with what they are about; known secrets are masked.
 *
 * @throws AbilityError `task.not_found`.
 */
export const readApprovals: Reached<typeof client.readApprovals> = reached(client.readApprovals);

/** The approvals that wait in the project. */
export const listApprovals: Reached<typeof client.listApprovals> = reached(client.listApprovals);

/**
 * Sends a decision and learns whether it counted.
 *
 * @throws AbilityError `approval.ignored` with the reason, `task.not_found`, `task.closed`, `worker.unavailable`.
 */
export const decide: Reached<typeof client.decide> = reached(client.decide);

/** A decision with the proof that a person's token gives, for environments with `proof: required`. */
export const withProof: Reached<typeof client.withProof> = reached(client.withProof);
