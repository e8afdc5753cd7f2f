import type { Message } from './transcript.js';

/** Approximate characters per token in the texts and JSON that models read. */
const CHARACTERS_A_TOKEN = 4;
/** Number of last messages that are never cut: the model continues from them. */
const LAST = 6;
const KEPT_OF_A_RESULT = 400;

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

export function lengthOf(message: Message): number {
  const calls = message.role === 'assistant' ? (message.calls ?? []) : [];
  return message.content.length + calls.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 16);
}

/**
 * Shortens the oldest results of calls first, then drops the oldest turns with their answers; the first message,
 * the request, and the last ones stay. @param tokens for all messages. @returns the messages, and the number
 * dropped.
 */
export function fitContext(messages: readonly Message[], tokens: number): { messages: Message[]; left_out: number } {
  const max = tokens * CHARACTERS_A_TOKEN;
  const fitted = [...messages];
  let length = fitted.reduce((sum, message) => sum + lengthOf(message), 0);
  for (let at = 1; at < fitted.length - LAST && length > max; at += 1) {
    const message = fitted[at] as Message;
    if (message.role !== 'tool' || message.content.length <= KEPT_OF_A_RESULT) continue;
    const content = `${message.content.slice(0, KEPT_OF_A_RESULT)} [... ${message.content.length - KEPT_OF_A_RESULT} characters left out]`;
    fitted[at] = { ...message, content };
    length -= message.content.length - content.length;
  }
  let leftOut = 0;
  while (length > max && fitted.length > LAST + 1) {
    // A turn is dropped as a whole: no endpoint accepts the result of a call without its request.
    const next = fitted.findIndex(({ role }, at) => at > 1 && role !== 'tool');
    const end = next < 0 ? fitted.length : next;
    if (fitted.length - (end - 1) < 2) break;
    const dropped = fitted.splice(1, end - 1);
    leftOut += dropped.length;
    length -= dropped.reduce((sum, message) => sum + lengthOf(message), 0);
  }
  return { messages: fitted, left_out: leftOut };
}
