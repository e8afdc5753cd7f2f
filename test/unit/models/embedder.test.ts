import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Embedder } from '../../../src/models/embedder.js';
import type { Embed } from '../../../src/models/embeddings-endpoint.js';
import { VectorStore } from '../../../src/models/vector-store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-vectors-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Records what was sent. The first `answers` batches are answered; the next one waits until it is aborted. */
function recording(numbers = 2, answers = Number.POSITIVE_INFINITY): { sent: string[][]; embed: Embed } {
  const sent: string[][] = [];
  const embed: Embed = async (texts, signal) => {
    sent.push([...texts]);
    if (sent.length > answers) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
      });
    }
    return texts.map(() => new Float32Array(numbers).fill(1));
  };
  return { sent, embed };
}
const texts = Array.from({ length: 150 }, (_, at) => `ability ${at}`);
const embedderOf = (embed: Embed, timeoutMs = 60_000, of = texts) =>
  new Embedder(of, embed, new VectorStore(join(folder, 'v.bin')), timeoutMs);

test('abilities are sent once, in batches; a repeated request is not sent again', async () => {
  const { sent, embed } = recording();
  const embedder = embedderOf(embed);
  const { request, abilities } = await embedder.embedRequest('do it');
  expect([request, ...abilities]).toHaveLength(151);
  expect(sent.map(({ length }) => length)).toEqual([1, 64, 64, 22]);
  await embedder.embedRequest('do it');
  await embedder.embedRequest('do that');
  expect(sent.slice(4)).toEqual([['do that']]);
});

test('another process reuses the vectors, and requests only those of new texts', async () => {
  await embedderOf(recording().embed).embedRequest('do it');
  const { sent, embed } = recording();
  await embedderOf(embed, 60_000, [...texts, 'a new one']).embedRequest('do it');
  expect(sent).toEqual([['do it'], ['a new one']]);
});

test('concurrent requests make the vectors of the abilities once', async () => {
  const { sent, embed } = recording();
  const embedder = embedderOf(embed);
  await Promise.all(['one', 'two', 'three'].map((text) => embedder.embedRequest(text)));
  expect(sent.filter(({ length }) => length > 1)).toHaveLength(3);
});

test('vectors that arrive before the timeout are stored, and the next request continues from there', async () => {
  const slow = recording(2, 2);
  await expect(embedderOf(slow.embed, 30).embedRequest('do it')).rejects.toThrow(
    'there was no answer within 30ms; 64 of 150 abilities have their vectors, and the next request goes on',
  );
  const { sent, embed } = recording();
  await embedderOf(embed).embedRequest('do it');
  expect(sent.map(({ length }) => length)).toEqual([1, 64, 22]);
});

test('a request that waits for the work of another gives up at its own timeout', async () => {
  const { embed } = recording(2, 2);
  const embedder = embedderOf(embed, 30);
  const ends = await Promise.allSettled([embedder.embedRequest('one'), embedder.embedRequest('one')]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a model with other dimensions than before makes all vectors again', async () => {
  await embedderOf(recording(2).embed).embedRequest('do it');
  const { sent, embed } = recording(3);
  const { abilities } = await embedderOf(embed).embedRequest('do it');
  expect(abilities.every(({ length }) => length === 3)).toBe(true);
  expect(sent).toHaveLength(4);
});

test('abilities with other dimensions than the request are a fault', async () => {
  const embed: Embed = async (some) => some.map(() => new Float32Array(some.length > 1 ? 3 : 2).fill(1));
  await expect(embedderOf(embed).embedRequest('do it')).rejects.toMatchObject({
    name: 'EmbeddingsFault',
    message: expect.stringContaining('another length'),
  });
});
