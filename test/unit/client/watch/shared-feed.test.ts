import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listenTo } from '../../../../src/client/watch/follow-events.js';

/** A source whose items the test provides; each read has its own stream. */
function given() {
  const owner = {};
  const reads: PassThrough[] = [];
  const read = (ending: AbortSignal): AsyncIterable<string> => {
    const stream = new PassThrough({ objectMode: true });
    ending.addEventListener('abort', () => stream.end());
    reads.push(stream);
    return stream;
  };
  const listen = (wants: (item: string) => boolean = () => true, signal = new AbortController().signal) =>
    listenTo({ owner, name: 'one', read }, wants, signal);
  return { reads, listen };
}

async function all(listening: AsyncIterable<string>): Promise<string> {
  let items = '';
  for await (const item of listening) items += item;
  return items;
}

test('many listeners share one read, and each gets everything from where it begins, even if it joins late', async () => {
  const { reads, listen } = given();
  const early = [all(listen()), all(listen())];
  await turn();
  reads[0]?.write('a');
  reads[0]?.write('b');
  await turn();
  const late = [all(listen()), all(listen((item) => item > 'b'))];
  await turn();
  reads[0]?.end('c');
  expect(await Promise.all([...early, ...late])).toEqual(['abc', 'abc', 'abc', 'c']);
  expect(reads).toHaveLength(1);
});

test('a slow listener does not delay others and misses nothing', async () => {
  const { reads, listen } = given();
  const slow = listen();
  const first = slow.next();
  const quick = all(listen());
  await turn();
  for (const item of 'abc') reads[0]?.write(item);
  reads[0]?.end();
  expect(await quick).toBe('abc');
  expect(await first).toEqual({ done: false, value: 'a' });
  expect(await all(slow)).toBe('bc');
});

test('a listener that leaves ends the read only if it is the last one, and the next listener starts a new read', async () => {
  const { reads, listen } = given();
  const leaving = new AbortController();
  const left = all(listen(undefined, leaving.signal));
  const other = listen();
  const waiting = other.next();
  await turn();
  leaving.abort();
  expect(await left).toBe('');
  expect(reads[0]?.writableEnded).toBe(false);
  reads[0]?.write('a');
  expect(await waiting).toEqual({ done: false, value: 'a' });
  await other.return();
  expect(reads[0]?.writableEnded).toBe(true);
  const next = all(listen());
  await turn();
  reads[1]?.end('b');
  expect(await next).toBe('b');
});

test('a failure of the read reaches each listener after the items before it; the next listener starts a new read', async () => {
  const { reads, listen } = given();
  const one = listen();
  const first = one.next();
  const other = all(listen());
  const failed = expect(other).rejects.toThrow('lost');
  await turn();
  reads[0]?.write('a');
  await turn();
  reads[0]?.destroy(new Error('lost'));
  await failed;
  expect(await first).toEqual({ done: false, value: 'a' });
  await expect(one.next()).rejects.toThrow('lost');
  const next = all(listen());
  await turn();
  reads[1]?.end('b');
  expect(await next).toBe('b');
});

test('a listener that never begins to listen starts no read', async () => {
  const { reads, listen } = given();
  await listen().return();
  expect(reads).toEqual([]);
});
