/**
 * Cuts a stream into parts of so many bytes, of which the last may have fewer. None comes of a stream without bytes.
 *
 * Two buffers are used in turn, so that a large stream needs no more memory than they have: a part holds its bytes until
 * the next but one is asked for.
 */
export async function* readParts(chunks: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Buffer, void> {
  const buffers: Buffer[] = [];
  let turn = 0;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      buffers[turn] ??= Buffer.allocUnsafeSlow(partBytes);
      const buffer = buffers[turn] as Buffer;
      const copied = chunk.copy(buffer, filled, from);
      from += copied;
      filled += copied;
      if (filled < partBytes) continue;
      yield buffer;
      turn = 1 - turn;
      filled = 0;
    }
  }
  if (filled > 0) yield (buffers[turn] as Buffer).subarray(0, filled);
}

/** A stream that has been begun to read: all its bytes, where they are one part, else its parts, see {@link readParts}. */
export type BegunParts = { whole: Buffer; parts?: undefined } | { whole?: undefined; parts: AsyncGenerator<Buffer> };

/** Reads a stream until it is known whether it is more than one part. */
export async function beginParts(chunks: AsyncIterable<Buffer>, partBytes: number): Promise<BegunParts> {
  const rest = readParts(chunks, partBytes);
  const first = await rest.next();
  if (first.done) return { whole: Buffer.alloc(0) };
  const second = await rest.next();
  return second.done ? { whole: first.value } : { parts: joined(first.value, second.value, rest) };
}

async function* joined(first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield second;
  yield* rest;
}
