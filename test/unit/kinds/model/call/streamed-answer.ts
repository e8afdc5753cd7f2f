import { type Answer, send } from '../../../../fixtures/servers/recording-service.js';

/** The path of a chat endpoint whose base is `/v1`. */
export const CHAT_PATH = '/v1/chat/completions';

/** An answer that streams these chunks, as an OpenAI-compatible endpoint does. */
export function streamed(...chunks: object[]): Answer {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return send(200, 'text/event-stream', `${events}data: [DONE]\n\n`);
}

/** A chunk with a part of the answer. */
export function delta(part: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta: part, finish_reason }] };
}

/** The chunk that ends an answer. */
export function end(reason = 'stop'): object {
  return delta({}, reason);
}
