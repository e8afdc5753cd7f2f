import { expect, test } from 'vitest';
import { OneATurn } from '../../../src/worker/running-groups.js';

test('waiting callers continue in their order, with a turn of the event loop between two', async () => {
  const turns = new OneATurn();
  const seen: string[] = [];
  const look = (): void => {
    seen.push('turn');
    if (seen.filter((one) => one !== 'turn').length < 3) setImmediate(look);
  };
  setImmediate(look);
  await Promise.all(['a', 'b', 'c'].map(async (name) => turns.next().then(() => seen.push(name))));
  expect(seen.filter((one) => one !== 'turn')).toEqual(['a', 'b', 'c']);
  expect(seen.slice(seen.indexOf('a') + 1, seen.indexOf('b'))).toContain('turn');
  expect(seen.slice(seen.indexOf('b') + 1, seen.indexOf('c'))).toContain('turn');
});

test('a caller that arrives when no other waits gets a turn as well', async () => {
  const turns = new OneATurn();
  await turns.next();
  await turns.next();
});
