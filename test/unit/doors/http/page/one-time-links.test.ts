import { expect, test } from 'vitest';
import { OneTimeLinks } from '../../../../../src/doors/http/page/page-door.js';

const link = { person: 'alice', to: '/tasks/k' };

test('a link lets its person in once', () => {
  const links = new OneTimeLinks();
  const secret = links.create(link);
  expect(links.take(`${secret}x`)).toBeUndefined();
  expect(links.take(secret)).toEqual(link);
  expect(links.take(secret)).toBeUndefined();
});

test('a link holds for two minutes, and a late try ends it', () => {
  const links = new OneTimeLinks();
  const [first, second] = [links.create(link, 0), links.create(link, 0)];
  expect(links.take(first, 119_999)).toEqual(link);
  expect(links.take(second, 120_000)).toBeUndefined();
  expect(links.take(second, 1)).toBeUndefined();
});

test('however many links are made, at most a hundred are open', () => {
  const links = new OneTimeLinks();
  const secrets = Array.from({ length: 150 }, () => links.create(link, 0));
  const open = secrets.filter((secret) => links.take(secret, 1) !== undefined);
  expect(open).toEqual(secrets.slice(50));
});
