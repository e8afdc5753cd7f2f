/**
 * Compares our ranker with plain BM25 and minisearch on sets of labelled requests.
 *
 *     npm run eval:routing -- [--data DIR] [--tune] [--json]
 *
 * Without `--data`: on the small set of our own, `bench/routing/own`. Reports on one half of each set; `--tune` looks for better weights on
 * the other half first, and reports on them.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FITS } from '../../src/choosing/ranker.js';
import { WEIGHTS } from '../../src/choosing/weights.js';
import { minisearch, ours, plainBm25 } from './contenders.js';
import { measureLong } from './long-texts.js';
import { readSets } from './read-sets.js';
import { macroOf, reportOn, tablesOf, thresholdOf } from './report.js';
import { measureSpeed } from './speed.js';
import { tune } from './tune.js';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    tune: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const OWN = fileURLToPath(new URL('../../../../bench/routing/own', import.meta.url));
const sets = readSets(values.data ?? OWN);
const weights = values.tune ? tune(sets, (line) => process.stderr.write(`${line}\n`)) : WEIGHTS;
if (values.tune) process.stderr.write(`${JSON.stringify(weights, null, 2)}\n`);

const contenders = [ours(weights), plainBm25, minisearch];
const names = contenders.map(({ name }) => name);
// Nothing was tuned on the set of our own.
const reports = reportOn(sets, contenders, values.data === undefined ? {} : { half: 'report' });
if (values.json) {
  const told = reports.map(({ set, figures }) => ({
    set,
    contenders: Object.fromEntries([...figures].map(([name, { fitting: _, unfitting: __, ...rest }]) => [name, rest])),
  }));
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
} else {
  const gain = macroOf(reports, 'ours', 'ndcg') / macroOf(reports, 'BM25', 'ndcg') - 1;
  process.stdout.write(
    `${tablesOf(reports, names)}\n\nNDCG@5 against BM25: ${(gain * 100).toFixed(1)} % in the mean of sets.\n\n`,
  );
  for (const { set, figures } of reports) {
    const found = figures.get('ours');
    if (!found || Number.isNaN(found.auroc)) continue;
    const { offered, abstained } = thresholdOf(found, FITS);
    const [of, not] = [offered, abstained].map((share) => `${(share * 100).toFixed(0)} %`);
    process.stdout.write(`${set}: where a tool fits, one is offered in ${of}; where none does, none in ${not}.\n`);
  }
  const { abilities, index, p50, p95 } = measureSpeed(sets);
  process.stdout.write(
    `\n${abilities} abilities: indexed in ${index.toFixed(0)} ms; a request takes ${p50.toFixed(2)} ms, 95 % of them at most ${p95.toFixed(2)} ms.\n\n`,
  );
  process.stdout.write(
    '| Set | The request stands | alone | whole text | what asks |\n| --- | --- | --- | --- | --- |\n',
  );
  for (const set of sets)
    for (const { kind, alone, whole, request } of measureLong(set, ours(weights))) {
      const cells = [alone, whole, request].map((value) => value.toFixed(4));
      process.stdout.write(`| ${[set.name, kind, ...cells].join(' | ')} |\n`);
    }
}
