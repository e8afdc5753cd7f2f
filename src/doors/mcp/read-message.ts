import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { parseJson } from '../../disk/read-json.js';
import { withoutNullMembers } from '../../text/absent-as-null.js';
import { isMarked, markBytes, markInput, withoutMarks } from '../../text/lossless-json/marked-json.js';
import { AS_INPUT } from '../../text/lossless-json/read-json.js';

/** Of JSON-RPC: the message is no valid request. */
const INVALID_REQUEST = -32_600;

/**
 * A message as its reader takes it, without the members that are null and stand for absent, and with marks where the
 * arguments of a call have what JavaScript would change, which `readArguments` refuses; or the answer, as JSON, to a
 * message that has that elsewhere. What is no JSON is unchanged: its reader says so.
 */
export function readMessage(bytes: Buffer): { text: string } | { refusal: string } {
  const given = markBytes(bytes);
  const text = withoutNullMembers(parseJson(given) === undefined ? given : markInput(given));
  if (!isMarked(text)) return { text };
  const message = parseJson<Json>(text);
  if (message === undefined) return { text };
  try {
    for (const one of Array.isArray(message) ? message : [message]) withoutMarks(besidesArguments(one), AS_MESSAGE);
    return { text };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const id = isJsonObject(message) && !isMarked(JSON.stringify(message.id)) ? (message.id ?? null) : null;
    const { message: reason } = error;
    const answer = { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: reason, data: error.toProblem() } };
    return { refusal: JSON.stringify(answer) };
  }
}

const AS_MESSAGE = { ...AS_INPUT, what: 'The message' };

function besidesArguments(message: Json): Json {
  if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params)) return message;
  const { arguments: _, ...params } = message.params as JsonObject;
  return { ...message, params };
}
