import { isJsonObject } from '../../contracts/json.js';
import { SCOPE_FOLDER, USER_KEY } from '../../contracts/names.js';
import { LANE_LENGTH, type LaneMessage } from '../../contracts/routing.js';
import type { PromptRequest, SessionStart, SessionThread, SignedWord, ThreadNote } from '../../contracts/session.js';

export const MAX_PROMPT = 262_144;

/** Maximum characters of a pending question, as JSON. */
const MAX_PENDING = 100_000;

/** Validates start arguments, since any client can start a workflow; undefined for anything else. */
export function readSessionStart(value: unknown): SessionStart | undefined {
  if (!isJsonObject(value)) return undefined;
  const { format, session_id, environment, scope, idle_ms, user } = value;
  const isStart =
    format === 1 &&
    typeof session_id === 'string' &&
    USER_KEY.test(session_id) &&
    typeof environment === 'string' &&
    typeof scope === 'string' &&
    SCOPE_FOLDER.test(scope) &&
    typeof idle_ms === 'number' &&
    Number.isFinite(idle_ms) &&
    idle_ms > 0 &&
    isPerson(user);
  return isStart ? (value as unknown as SessionStart) : undefined;
}

/** Whether a value is a valid prompt, without other fields. */
export function isPromptRequest(value: unknown): value is PromptRequest {
  if (!isJsonObject(value) || Object.keys(value).some((key) => key !== 'prompt' && key !== 'user')) return false;
  return typeof value.prompt === 'string' && value.prompt.length <= MAX_PROMPT && isPerson(value.user);
}

const NOTED_ROLES: readonly unknown[] = ['assistant', 'tool', 'document'];
const PENDING_KINDS: readonly unknown[] = ['workflow_waiting', 'slot_request', 'tool_retry'];

/** Whether a value is a valid note. Clients cannot note messages of the user: those come with prompts. */
export function isThreadNote(value: unknown): value is ThreadNote {
  if (!isJsonObject(value) || Object.keys(value).some((key) => key !== 'messages' && key !== 'pending')) return false;
  const { messages, pending } = value;
  if (!Array.isArray(messages) || messages.length > LANE_LENGTH) return false;
  const areNotes = messages.every(
    (message) =>
      isJsonObject(message) &&
      NOTED_ROLES.includes(message.role) &&
      typeof message.text === 'string' &&
      message.text.length <= MAX_PROMPT,
  );
  return areNotes && (pending === null || isPending(pending));
}

function isPending(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    PENDING_KINDS.includes(value.kind) &&
    isJsonObject(value.expects) &&
    typeof value.thread_key === 'string' &&
    typeof value.since === 'string' &&
    JSON.stringify(value).length <= MAX_PENDING
  );
}

/** Whether a value has the form of a signed report; its `mac` proves it. */
export function isSignedWord(value: unknown): value is SignedWord {
  if (!isJsonObject(value) || !isJsonObject(value.word)) return false;
  const { key_id, session, mac, word } = value;
  return [key_id, session, mac, word.kind].every((text) => typeof text === 'string');
}

function isPerson(value: unknown): boolean {
  return isJsonObject(value) && typeof value.name === 'string' && typeof value.source === 'string';
}

/** Characters kept at each end of a long text: the request is before or after pasted text. */
const KEPT_AT_AN_END = 1000;

export const EMPTY_THREAD: SessionThread = { messages: [], count: 0, pending: null };

/** Appends a message, and drops the oldest above {@link LANE_LENGTH}. @param at ISO 8601. */
export function addToThread(thread: SessionThread, { role, text }: Said, at: string): SessionThread {
  const count = thread.count + 1;
  const message: LaneMessage = { id: `m-${count}`, role, text: withoutMiddle(text), at };
  return { ...thread, count, messages: [...thread.messages, message].slice(-LANE_LENGTH) };
}

type Said = Pick<LaneMessage, 'role' | 'text'>;

/** Keeps the beginning and end of a long text: models that interpret messages take too long for more. */
export function withoutMiddle(text: string): string {
  if (text.length <= 2 * KEPT_AT_AN_END) return text;
  return `${text.slice(0, KEPT_AT_AN_END)}\n[...]\n${text.slice(-KEPT_AT_AN_END)}`;
}
