import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 64 * 1024;

/** The bytes of a file, a pipe or an open handle such as stdin; undefined as soon as there are more than `max`. */
export function readUpTo(max: number, source: string | number): Buffer | undefined {
  if (typeof source === 'number') return readHandle(max, source);
  const handle = openSync(source, 'r');
  try {
    return readHandle(max, handle);
  } finally {
    closeSync(handle);
  }
}

function readHandle(max: number, handle: number): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let size = 0; size <= max; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const length = readSync(handle, piece);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, length));
    size += length;
  }
  return undefined;
}
