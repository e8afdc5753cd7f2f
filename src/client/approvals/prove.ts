import type {
  Admitted,
  Approval,
  Decision,
  DecisionProof,
  DoorProof,
  ProvedDecision,
  Verdict,
} from '../../contracts/approvals.js';
import { AbilityError } from '../../contracts/problem.js';
import { provedDecision } from '../../rules/tasks/decision-form.js';
import { type DoorKey, OWN_DOOR, proveAtDoor } from '../../server/keys/door-key.js';
import { provableUser, proveDecision, readProofKey } from '../../server/keys/proof-key.js';
import { proveWithToken } from '../../server/keys/tokens/token-proof.js';
import type { Connection } from '../connection/connect.js';

/** How a person who decides is proved. Without a token: as the user who owns the project's own runtime. */
export interface Prover {
  token: string | undefined;
  /** The door that admitted the person, and its key; null: no door did. */
  door: { admitted: Admitted; key: DoorKey } | null;
}

/**
 * Adds the proof that an approval requires. A token proves its person, whom the worker looks up; a door signs for whom an
 * OpenID provider or Slack vouches, and on a shared server for all whom it admits. Without either, only the operating-system user
 * who owns the project's own runtime can be proved. Source: docs/approvals.md#proof.
 * @throws AbilityError `approval.unproved`, `door.unauthenticated` for an invalid token.
 */
export function withProof(
  connection: Connection,
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
  { token, door }: Prover,
): Decision {
  // The groups of an OpenID claim may be what makes somebody an approver; what Slack knows is recorded.
  const isVouched = door !== null && door.admitted.source !== 'token';
  const isUsable = door !== null && (door.key.id !== OWN_DOOR || connection.isOwnRuntime);
  if (approval.proof !== 'required' && !(isVouched && isUsable)) return decision;
  const about = provedDecision(approval, verdict, decision);
  const isAtDoor = door !== null && (isVouched || !connection.isOwnRuntime);
  const proof = isAtDoor ? proofOfDoor(connection, door, about) : proofHere(connection, token, about);
  return { ...decision, approval_id: approval.id, proof };
}

function proofOfDoor(
  { isOwnRuntime, project }: Connection,
  { admitted, key }: NonNullable<Prover['door']>,
  about: ProvedDecision,
): DoorProof {
  if (key.id !== OWN_DOOR || isOwnRuntime) return proveAtDoor(key, project, about, admitted);
  throw new AbilityError({
    code: 'approval.unproved',
    message:
      'A decision here is proved by the key of the door, and this door has none that workers of a shared server know',
    suggestion: 'Make one with `ability keys create --for-door`, for ABILITY_DOOR_KEY and `doors` in ability.yaml.',
  });
}

function proofHere(
  { paths, isOwnRuntime, address }: Connection,
  token: string | undefined,
  about: ProvedDecision,
): DecisionProof {
  if (!isOwnRuntime) throw unproved(`${address} is not the project's own runtime`);
  if (token === undefined) {
    const user = provableUser();
    if (about.by === user) return proveDecision(readProofKey(paths.proofKey), about);
    throw unproved(`only ${user} can be proved here, and not ${about.by || 'an unnamed person'}`);
  }
  const proof = proveWithToken(token, about);
  if (proof) return proof;
  throw new AbilityError({
    code: 'door.unauthenticated',
    message: 'The text that was passed as a token is not a token',
    suggestion: 'Pass the whole line that `ability token create` printed.',
  });
}

function unproved(why: string): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: `The approval asks for proof of who decides, and ${why}`,
    suggestion:
      "Decide as the user who owns the project's own runtime, on its machine and without `--as`; or with a token in ABILITY_TOKEN; or through `ability serve`.",
  });
}
