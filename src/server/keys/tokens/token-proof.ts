import type { KeyProof, ProvedDecision } from '../../../contracts/approvals.js';
import { isAllowed, rightsOfToken } from '../../../rules/rights.js';
import { isMacOf, provableUser, proveDecision } from '../proof-key.js';
import type { TokenFolder } from './token-folder.js';
import { hashOfSecret, readTokenText } from './token-text.js';

/** Signs a decision with a token; undefined if the text is no token. The worker checks its validity. */
export function proveWithToken(text: string, decision: ProvedDecision): KeyProof | undefined {
  const shown = readTokenText(text);
  return shown && proveDecision(Buffer.from(hashOfSecret(shown.secret), 'hex'), decision, shown.id);
}

/** Undefined if the token proves the decision. */
export function whyTokenProvesNot(tokens: TokenFolder, decision: ProvedDecision, proof: KeyProof): string | undefined {
  const open = tokens.findOpen(proof.token ?? '');
  if (!open) return 'its token is not valid here: it is unknown, expired or revoked';
  const { person, agent, page, claimed, can } = open.token;
  if (agent !== undefined) return `its token is that of the agent ${agent}, and agents decide nothing`;
  if (claimed) return `${person} is what a proxy said, and no proof`;
  // `ability open` lets in whom `ABILITY_USER` names.
  if (page && person !== provableUser()) return `${person} is a claim of who ran \`ability open\`, and no proof`;
  if (!can.includes('approve')) return 'its token may not approve';
  if (!isAllowed(rightsOfToken(open.token), 'approve', decision.what)) {
    const { ability, environment } = decision.what;
    return `its token may not approve ${ability} in ${environment}`;
  }
  if (decision.by !== person) return `its token is that of ${person}`;
  return isMacOf(Buffer.from(open.hash, 'hex'), decision, proof)
    ? undefined
    : 'its proof is not valid for this decision';
}
