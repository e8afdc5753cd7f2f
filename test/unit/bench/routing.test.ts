import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { minisearch, ours, plainBm25 } from '../../../bench/routing/contenders.js';
import { halfOf } from '../../../bench/routing/evaluate.js';
import { auroc, ndcgAt, quantile, recallAt } from '../../../bench/routing/measures.js';
import { readSets } from '../../../bench/routing/read-sets.js';
import { macroOf, reportOn, thresholdOf } from '../../../bench/routing/report.js';
import { FITS } from '../../../src/choosing/ranker.js';

const OWN = fileURLToPath(new URL('../../../bench/routing/own', import.meta.url));

test('on our own requests our ranker is ahead of plain BM25 and of minisearch, and abstains if nothing fits', async () => {
  const reports = await reportOn(readSets(OWN), [ours(), plainBm25, minisearch], {});
  const [own, bm25, library] = ['ours', 'BM25', 'minisearch'].map((name) => macroOf(reports, name, 'ndcg'));
  expect(own).toBeGreaterThan(bm25 ?? 1);
  expect(own).toBeGreaterThan(library ?? 1);
  expect(macroOf(reports, 'ours', 'recall')).toBeGreaterThan(0.97);
  const figures = reports[0]?.figures.get('ours');
  if (!figures) throw new Error('ours was not measured');
  expect(figures.auroc).toBeGreaterThan(0.97);
  const { offered, abstained } = thresholdOf(figures, FITS);
  expect(offered).toBeGreaterThan(0.85);
  expect(abstained).toBeGreaterThan(0.95);
});

test('measures are computed as defined', () => {
  expect(ndcgAt(5, ['a', 'b'], ['a'])).toBe(1);
  expect(ndcgAt(5, ['b', 'a'], ['a'])).toBeCloseTo(1 / Math.log2(3));
  expect(ndcgAt(5, ['a', 'x', 'b'], ['a', 'b'])).toBeCloseTo((1 + 0.5) / (1 + 1 / Math.log2(3)));
  expect(ndcgAt(5, [], ['a'])).toBe(0);
  expect(recallAt(2, ['x', 'a', 'b'], ['a', 'b'])).toBe(0.5);
  expect(auroc([2, 3], [0, 1])).toBe(1);
  expect(auroc([1], [1])).toBe(0.5);
  expect(auroc([0, 3], [1, 2])).toBe(0.5);
  expect(quantile([3, 1, 2], 0.95)).toBe(3);
});

test('the half to which a request belongs depends only on its id', () => {
  const halves = Array.from({ length: 400 }, (_, at) => halfOf({ id: `q-${at}` }));
  const tuned = halves.filter((half) => half === 'tune').length;
  expect(tuned).toBeGreaterThan(150);
  expect(tuned).toBeLessThan(250);
  expect(halfOf({ id: 'q-1' })).toBe(halves[1]);
});
