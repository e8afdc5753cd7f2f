import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { parseJson } from '../../disk/read-json.js';
import { withoutNullMembers } from '../../text/absent-as-null.js';
import { exactText } from '../../text/lossless-json/read-json.js';

/** Of JSON-RPC. */
const INVALID_PARAMS = -32_602;

/**
 * A message as its reader takes it, without the members that are null and stand for absent; or the answer, as JSON, to
 * a message that cannot be read exactly. What is no JSON is unchanged: its reader says so.
 */
export function readMessage(bytes: Buffer): { text: string } | { refusal: string } {
  const given = bytes.toString('utf8');
  try {
    return { text: withoutNullMembers(exactText(bytes, { what: 'The message' })) };
  } catch (error) {
    if (error instanceof SyntaxError) return { text: given };
    if (!(error instanceof AbilityError)) throw error;
    const { id: own } = parseJson<{ id?: Json }>(given) ?? {};
    const id = typeof own === 'string' || Number.isSafeInteger(own) ? own : null;
    const fault = { code: INVALID_PARAMS, message: error.message, data: error.toProblem() };
    return { refusal: JSON.stringify({ jsonrpc: '2.0', id, error: fault }) };
  }
}
