import type { Approval, Decision, DecisionProof, ProvedDecision, Verdict } from '../../contracts/approvals.js';
import { AbilityError } from '../../contracts/problem.js';
import { provableUser, proveDecision, readProofKey } from '../../server/keys/proof-key.js';
import { proveWithToken } from '../../server/keys/tokens/token-proof.js';
import type { Connection } from '../connection/connect.js';

/**
 * A decision about an approval, with the proof that it asks for; as it is where it asks for none.
 *
 * A token proves its person, which the worker looks up. Without one, what can be proved is that it is the
 * user of the operating system who owns the project's own runtime, and no other person.
 *
 * @param token as its bearer has it; left out: there is none.
 * @throws AbilityError `approval.unproved`, `door.unauthenticated` for what is no token. Source: docs/approvals.md#proof.
 */
export function withProof(
  connection: Connection,
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
  token?: string,
): Decision {
  if (approval.proof !== 'required') return decision;
  const { by = '', comment = null, fields = null } = decision;
  if (!connection.isOwnRuntime) throw unproved(`${connection.address} is not the project's own runtime`);
  const { id: approval_id, raised_at } = approval;
  const about: ProvedDecision = { approval_id, raised_at, verdict, by, comment, fields };
  const proof = token === undefined ? proofOfOwner(connection, about) : proofOfToken(token, about);
  return { ...decision, approval_id, proof };
}

function proofOfOwner({ paths }: Connection, about: ProvedDecision): DecisionProof {
  const user = provableUser();
  if (about.by !== user) throw unproved(`only ${user} can be proved here, and not ${about.by || 'an unnamed person'}`);
  return proveDecision(readProofKey(paths.proofKey), about);
}

function proofOfToken(token: string, about: ProvedDecision): DecisionProof {
  const proof = proveWithToken(token, about);
  if (proof) return proof;
  throw new AbilityError({
    code: 'door.unauthenticated',
    message: 'What was given as a token is none',
    suggestion: 'Give the whole line that `ability token create` printed.',
  });
}

function unproved(why: string): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: `The approval asks for proof of who decides, and ${why}`,
    suggestion:
      "Decide as the user who owns the project's own runtime, on its machine and without `--as`; or with a token in ABILITY_TOKEN.",
  });
}
