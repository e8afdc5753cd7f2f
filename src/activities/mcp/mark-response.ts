import { Response } from 'undici';
import { withoutNullMembers } from '../../text/absent-as-null.js';
import { markBytes } from '../../text/lossless-json/marked-json.js';

/** Marks values that JavaScript would change, see `markBytes`; an answer without messages stays unchanged. */
export function markResponse(response: Response): Response {
  const type = response.headers.get('content-type') ?? '';
  const isEvents = /^\s*text\/event-stream\b/i.test(type);
  if (!response.ok || !response.body || !(isEvents || /^\s*application\/json\b/i.test(type))) return response;
  const { status, statusText, headers } = response;
  const marked = response.body.pipeThrough(isEvents ? markedEvents() : markedWhole());
  return new Response(marked, { status, statusText, headers });
}

function markedWhole(): TransformStream<Uint8Array, Uint8Array> {
  const pieces: Uint8Array[] = [];
  return new TransformStream({
    transform: (piece) => void pieces.push(piece),
    flush: (controller) => controller.enqueue(Buffer.from(withoutNullMembers(markBytes(Buffer.concat(pieces))))),
  });
}

const DATA = Buffer.from('data:');

/** Marks each data line by itself: a JSON string or number never continues on the next line. */
function markedEvents(): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Buffer[] = [];
  const line = (): Buffer => {
    const whole = Buffer.concat(pieces);
    pieces = [];
    if (!whole.subarray(0, DATA.length).equals(DATA)) return whole;
    return Buffer.from(`data:${withoutNullMembers(markBytes(whole.subarray(DATA.length)))}`);
  };
  return new TransformStream({
    transform: (piece, controller) => {
      let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let end = endOfLine(rest); end >= 0; end = endOfLine(rest)) {
        pieces.push(rest.subarray(0, end));
        controller.enqueue(Buffer.concat([line(), rest.subarray(end, end + 1)]));
        rest = rest.subarray(end + 1);
      }
      pieces.push(rest);
    },
    flush: (controller) => controller.enqueue(line()),
  });
}

function endOfLine(bytes: Buffer): number {
  const ends = [bytes.indexOf(0x0a), bytes.indexOf(0x0d)].filter((at) => at >= 0);
  return ends.length === 0 ? -1 : Math.min(...ends);
}
