import { expect, test } from 'vitest';
import { HybridRanker, meaningOf, type RequestVectors, sent } from '../../../../src/choosing/hybrid-ranker.js';
import { type AbilityText, FITS } from '../../../../src/choosing/ranker.js';
import { WordRanker } from '../../../../src/choosing/word-ranker.js';
import { EmbeddingsFault } from '../../../../src/models/embeddings-endpoint.js';
import { vectorOf } from '../../../fixtures/servers/embeddings-endpoint.js';

const text = (id: string, summary: string, not: string[] = []): AbilityText => ({
  id,
  texts: { id: [id], summary: [summary] },
  not,
});
const abilities = [
  text('billing.copy', 'Make a copy of a bill.'),
  text('billing.mail', 'Mail the bill to its customer.'),
  text('news.mail', 'Mail the news.'),
  text('ops.restart', 'Restart a server.', ['staging']),
  text('ops.reboot', 'Reboot a machine at once.'),
  text('pages.flush', 'Empty the page cache.'),
];
const unit = (of: string): Float32Array => {
  const numbers = vectorOf(of);
  return Float32Array.from(numbers, (number) => number / Math.hypot(...numbers));
};
const vectors: RequestVectors = {
  embedRequest: async (request) => ({
    request: unit(request),
    abilities: abilities.map((one) => unit(meaningOf(one))),
  }),
};
const words = new WordRanker(abilities);
const hybrid = new HybridRanker(abilities, words, vectors);
const idsOf = (ranked: { id: string }[]): string[] => ranked.map(({ id }) => id);

test('if words do not fit, an ability with the same meaning in other words comes first', async () => {
  const request = 'please make a post of the invoice, or send it to its payer';
  const byWords = words.rankNow({ text: request });
  expect(idsOf(byWords).slice(0, 2)).toEqual(['billing.copy', 'billing.mail']);
  expect(byWords[0]?.score).toBeLessThan(FITS);
  const { ranked, ranker, warning } = await hybrid.rank({ text: request });
  expect(ranked[0]).toMatchObject({ id: 'billing.mail', likeness: expect.closeTo(1, 1) });
  expect([ranker, warning]).toEqual(['hybrid', undefined]);
});

test('if words fit, the ability that they rank first stays first, with its score', async () => {
  for (const request of ['restart the server', 'reboot the box', 'empty the cache']) {
    const byWords = words.rankNow({ text: request });
    const { ranked } = await hybrid.rank({ text: request });
    expect(byWords[0]?.score).toBeGreaterThanOrEqual(FITS);
    expect(ranked[0]).toMatchObject({ id: byWords[0]?.id, score: byWords[0]?.score });
    const scores = ranked.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  }
});

test('an ability that shares a word by chance, and is far in meaning, gets a lower score', async () => {
  const text = 'copy the box, the server, the machine';
  const [byWords] = words.rankNow({ text });
  const { ranked } = await hybrid.rank({ text });
  expect(byWords?.id).toBe('billing.copy');
  const strength = (score = 0): number => score / (1 - score);
  expect(strength(ranked[0]?.score)).toBeCloseTo(0.7 * strength(byWords?.score));
});

test('nothing fits by stop words alone, nor by a meaning without shared words', async () => {
  for (const request of ['the', 'to its', 'pancakes for breakfast']) {
    const { ranked } = await hybrid.rank({ text: request });
    expect(ranked.filter(({ score }) => score >= FITS)).toEqual([]);
  }
});

test('an ability with only a similar meaning is named and not offered, if no word fits', async () => {
  const { ranked } = await hybrid.rank({ text: 'bounce that box' });
  expect(idsOf(ranked).slice(0, 2).sort()).toEqual(['ops.reboot', 'ops.restart']);
  expect(ranked[0]?.score).toBeLessThan(FITS);
});

test('only the requested abilities are ranked, up to the limit', async () => {
  const among = new Set(['ops.reboot', 'pages.flush']);
  expect(idsOf((await hybrid.rank({ text: 'restart the machine', among })).ranked).sort()).toEqual([...among].sort());
  expect((await hybrid.rank({ text: 'restart the machine', limit: 1 })).ranked).toHaveLength(1);
});

test('a negative keyword counts against the meaning of an ability, too', async () => {
  const [first] = (await hybrid.rank({ text: 'bounce the server machine' })).ranked;
  const { ranked } = await hybrid.rank({ text: 'bounce the server machine in staging' });
  expect(first?.id).toBe('ops.restart');
  expect(ranked[0]?.id).not.toBe('ops.restart');
  expect(ranked.find(({ id }) => id === 'ops.restart')?.against).toEqual(['staging']);
});

test('after a fault the ranking is by words, with the reason', async () => {
  const failing = new HybridRanker(abilities, words, {
    embedRequest: () => Promise.reject(new EmbeddingsFault('h.test answered 429')),
  });
  expect(await failing.rank({ text: 'restart the server' })).toEqual({
    ...(await words.rank({ text: 'restart the server' })),
    warning: 'ranked by words alone: h.test answered 429',
  });
  const broken = new HybridRanker(abilities, words, { embedRequest: () => Promise.reject(new TypeError('a defect')) });
  await expect(broken.rank({ text: 'restart the server' })).rejects.toThrow('a defect');
});

test('requests with words removed, blank requests and empty projects are not sent', async () => {
  const silent: RequestVectors = { embedRequest: () => Promise.reject(new Error('it was sent')) };
  const ranker = new HybridRanker(abilities, words, silent);
  expect((await ranker.rank({ text: 'restart', without: new Set(['server']) })).ranker).toBe('words');
  expect((await ranker.rank({ text: '  ' })).ranked).toEqual([]);
  expect((await new HybridRanker([], new WordRanker([]), silent).rank({ text: 'restart' })).ranked).toEqual([]);
});

test('long texts are truncated, and half characters are never sent', () => {
  expect(sent('x'.repeat(5000))).toHaveLength(2000);
  expect(sent(`${'x'.repeat(1999)}😀`)).toBe(`${'x'.repeat(1999)} `);
  expect(meaningOf(text('db.write.user_row', 'Write one user row.'))).toBe('db write user row. Write one user row.');
});
