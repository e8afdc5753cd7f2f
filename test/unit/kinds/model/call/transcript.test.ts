import { expect, test } from 'vitest';
import { type Message, Transcripts } from '../../../../../src/kinds/model/call/transcript.js';
import { MemoryStore } from '../../../activities/memory-store.js';

const user = (content: string): Message => ({ role: 'user', content });

/** A chain of two turns, and the store that holds it. */
async function twoTurns() {
  const store = new MemoryStore();
  const transcripts = new Transcripts(store);
  const first = await transcripts.append(null, [], [user('a'), user('b')]);
  const second = await transcripts.append(first, [user('a'), user('b')], [user('c')]);
  return { store, transcripts, first, second };
}

test('a new transcript is empty, and reads nothing from the store', async () => {
  const { store, transcripts } = await twoTurns();
  expect(await transcripts.read(null)).toEqual([]);
  expect(store.read).toEqual([]);
});

test('the worker that wrote a transcript reads it from memory', async () => {
  const { store, transcripts, first, second } = await twoTurns();
  expect(await transcripts.read(second)).toEqual([user('a'), user('b'), user('c')]);
  expect(await transcripts.read(first)).toEqual([user('a'), user('b')]);
  expect(store.read).toEqual([]);
});

test('another worker reads all turns from the store, oldest first', async () => {
  const { store, first, second } = await twoTurns();
  expect(await new Transcripts(store).read(second)).toEqual([user('a'), user('b'), user('c')]);
  expect(store.read).toEqual([second, first]);
});

test('a worker that knows an earlier turn reads only the later ones', async () => {
  const { store, transcripts, second } = await twoTurns();
  const third = await new Transcripts(store).append(second, [], [user('d')]);
  expect(await transcripts.read(third)).toEqual([user('a'), user('b'), user('c'), user('d')]);
  expect(store.read).toEqual([third]);
});

test.each([
  ['no link', { messages: [] }],
  ['no messages', { prev: null }],
  ['messages that are no list', { prev: null, messages: 'a' }],
])('bytes with %s are not a turn, and are not retried', async (_, value) => {
  const store = new MemoryStore();
  const digest = await store.put(new TextEncoder().encode(JSON.stringify(value)));
  const error = { code: 'store.not_shared', isFinal: true, message: expect.stringContaining(digest) };
  await expect(new Transcripts(store).read(digest)).rejects.toMatchObject(error);
});
