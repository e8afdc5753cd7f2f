import { expect, test, vi } from 'vitest';
import { StoreWrites } from '../../../../src/worker/share/store-share.js';

/** A store whose writes end when the test says so. */
function slowStore() {
  const begun: { name: string; text: string; end: (error?: Error) => void }[] = [];
  const putNamed = (name: string, bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve());
      begun.push({ name, text: Buffer.from(bytes).toString(), end });
    });
  const texts = (): string[] => begun.map(({ text }) => text);
  return { begun, texts, store: { where: 'the store', putNamed } };
}
const bytes = (text: string): Uint8Array => Buffer.from(text);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('writes under one name happen in order, and of the waiting ones only the last happens', async () => {
  const { begun, texts, store } = slowStore();
  const writes = new StoreWrites(store);
  for (const text of ['one', 'two', 'three']) writes.put('a', bytes(text));
  writes.put('b', bytes('other'));
  expect(texts()).toEqual(['one', 'other']);
  begun[0]?.end();
  await settle();
  expect(texts()).toEqual(['one', 'other', 'three']);
});

test('waiting for some names waits for their writes, and for no others', async () => {
  const { begun, store } = slowStore();
  const writes = new StoreWrites(store);
  writes.put('other/x', bytes('never'));
  writes.put('a/x', bytes('one'));
  writes.put('a/x', bytes('two'));
  const settled = vi.fn();
  void writes.settled('a/').then(settled);
  begun[1]?.end();
  await settle();
  expect(settled).not.toHaveBeenCalled();
  begun[2]?.end();
  await settle();
  expect(settled).toHaveBeenCalledOnce();
});

test('after a failure no write is tried for a while, and all missing writes are counted', async () => {
  const { begun, texts, store } = slowStore();
  let now = 0;
  const writes = new StoreWrites(store, () => now);
  writes.put('a', bytes('lost'));
  begun[0]?.end(new Error('it is down'));
  await settle();
  writes.put('b', bytes('left out'));
  await writes.settled('');
  expect({ missing: writes.missing, texts: texts() }).toEqual({ missing: 2, texts: ['lost'] });
  now = 60_000;
  writes.put('c', bytes('tried'));
  expect(texts()).toEqual(['lost', 'tried']);
});

test('a store that is too slow does not fill the memory', async () => {
  const { store, begun } = slowStore();
  const writes = new StoreWrites(store);
  for (let n = 0; n < 100; n += 1) writes.put(`a/${n}`, new Uint8Array(1024 * 1024));
  expect(writes.missing).toBeGreaterThan(40);
  expect(begun.length).toBeLessThan(50);
});
