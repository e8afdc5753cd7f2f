import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { beginParts, readParts } from '../../../../src/server/store/s3/s3-files.js';

/** A stream of the bytes in chunks of the specified size. */
const chunked = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
  );

describe('the parts of a stream', () => {
  test.each([
    [0, 10, 3],
    [9, 10, 3],
    [10, 10, 10],
    [10, 10, 7],
    [11, 10, 100],
    [47, 10, 3],
    [50, 10, 33],
  ])(
    'of %i bytes in parts of %i contain all of them, in order, whatever the chunks of %i are',
    async (most, part, size) => {
      const bytes = randomBytes(most);
      const parts: Buffer[] = [];
      for await (const one of readParts(chunked(bytes, size), part)) parts.push(Buffer.from(one));
      expect(Buffer.concat(parts)).toEqual(bytes);
      expect(parts.map(({ length }) => length)).toEqual([
        ...Array.from({ length: Math.floor(most / part) }, () => part),
        ...(most % part > 0 ? [most % part] : []),
      ]);
    },
  );

  test('use two buffers, however many they are; a part stays valid while the next one is read', async () => {
    const bytes = randomBytes(95);
    const buffers = new Set<ArrayBufferLike>();
    let at = 0;
    let before: Buffer | undefined;
    for await (const part of readParts(chunked(bytes, 7), 10)) {
      buffers.add(part.buffer);
      if (before) expect(before).toEqual(bytes.subarray(at - 10, at));
      before = part;
      at += part.length;
    }
    expect([at, buffers.size]).toEqual([95, 2]);
  });

  test.each([0, 9, 10])('of %i bytes are one whole', async (most) => {
    const bytes = randomBytes(most);
    expect((await beginParts(chunked(bytes, 4), 10)).whole).toEqual(bytes);
  });

  test('of more than one part continue from the point where that was known', async () => {
    const bytes = randomBytes(25);
    const { parts } = await beginParts(chunked(bytes, 4), 10);
    const read: Buffer[] = [];
    for await (const part of parts ?? []) read.push(Buffer.from(part));
    expect(Buffer.concat(read)).toEqual(bytes);
  });
});
