import type { Approval, Decision, Verdict } from '../contracts/approvals.js';
import { AbilityError } from '../contracts/problem.js';
import { provableUser, proveDecision, readProofKey } from '../server/proof-key.js';
import type { Connection } from './connect.js';

/**
 * A decision about an approval, with the proof that it asks for; as it is where it asks for none.
 *
 * What can be proved is that it is the user of the operating system who owns the project's own runtime, and nobody else.
 *
 * @throws AbilityError `approval.unproved`. Source: design, section 8; answers, 59.
 */
export function withProof(connection: Connection, approval: Approval, verdict: Verdict, decision: Decision): Decision {
  if (approval.proof !== 'required') return decision;
  const { by = '', comment = null, fields = null } = decision;
  if (!connection.isOwnRuntime) throw unproved(`${connection.address} is not the project's own runtime`);
  const user = provableUser();
  if (by !== user) throw unproved(`only ${user} can be proved here, and not ${by || 'nobody'}`);
  const key = readProofKey(connection.paths.proofKey);
  const { id: approval_id, raised_at } = approval;
  const proof = proveDecision(key, { approval_id, raised_at, verdict, by, comment, fields });
  return { ...decision, approval_id, proof };
}

function unproved(why: string): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: `The approval asks for proof of who decides, and ${why}`,
    suggestion: "Decide as the user who owns the project's own runtime, on its machine and without `--as`.",
  });
}
