/**
 * Compares our ranker with plain BM25 and minisearch on sets of labelled requests.
 *
 *     npm run eval:routing -- [--data DIR] [--tune] [--json] [--embeddings URL --model NAME] [--routers]
 *
 * Without `--data`: on the small set of our own, `bench/routing/own`. Reports on one half of each set; `--tune` looks for better weights on
 * the other half first, and reports on them. `--embeddings` also ranks with an OpenAI-compatible endpoint, such as
 * `http://127.0.0.1:8080/v1` (embeddings-server.mjs), with OPENAI_API_KEY where it is set. `--routers`
 * decides about the requests instead: by rules, and by two models on a loopback endpoint.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FITS, WEIGHTS } from '../../src/choosing/ranker.js';
import { minisearch, ours, plainBm25 } from './contenders.js';
import { endpointAt, hybrids, timeHybrid } from './hybrid.js';
import { measureLong } from './long-texts.js';
import { readSets } from './read-sets.js';
import { macroOf, reportOn, tablesOf, thresholdOf } from './report.js';
import { measureRouters, tableOfRouters } from './routers.js';
import { measureSpeed } from './speed.js';
import { tune } from './tune.js';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    tune: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    embeddings: { type: 'string' },
    model: { type: 'string' },
    routers: { type: 'boolean', default: false },
  },
});
const OWN = fileURLToPath(new URL('../../../../bench/routing/own', import.meta.url));
const sets = readSets(values.data ?? OWN);
if (values.routers) {
  for (const effects of ['read', 'write_idempotent'] as const)
    process.stdout.write(`Tools that ${effects}:\n\n${tableOfRouters(await measureRouters(sets, effects))}\n\n`);
  process.exit();
}
const weights = values.tune ? await tune(sets, (line) => process.stderr.write(`${line}\n`)) : WEIGHTS;
if (values.tune) process.stderr.write(`${JSON.stringify(weights, null, 2)}\n`);

// Nothing was tuned on the set of our own.
const half = values.data === undefined ? undefined : 'report';
const { embeddings, model } = values;
if ((embeddings === undefined) !== (model === undefined)) throw new Error('--embeddings and --model belong together');
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const embed = embeddings === undefined || model === undefined ? undefined : endpointAt(embeddings, model, process.env);
const more = embed ? await hybrids(sets, embed, half, say) : [];
const contenders = [ours(weights), ...more, plainBm25, minisearch];
const names = contenders.map(({ name }) => name);
const reports = await reportOn(sets, contenders, { ...(half && { half }) });
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
  for (const name of embed ? ['ours', 'hybrid'] : ['ours'])
    for (const { set, figures } of reports) {
      const found = figures.get(name);
      if (!found || Number.isNaN(found.auroc)) continue;
      const { offered, abstained } = thresholdOf(found, FITS);
      const [of, not, first] = [offered, abstained, found.right].map((share) => `${(share * 100).toFixed(0)} %`);
      const right = Number.isNaN(found.right) ? '' : ` Of what is offered first, ${first} is right.`;
      process.stdout.write(
        `${name} on ${set}: where a tool fits, one is offered in ${of}; where none does, none in ${not}.${right}\n`,
      );
    }
  const { abilities, index, p50, p95 } = await measureSpeed(sets);
  process.stdout.write(
    `\n${abilities} abilities: indexed in ${index.toFixed(0)} ms; a request takes ${p50.toFixed(2)} ms, 95 % of them at most ${p95.toFixed(2)} ms.\n\n`,
  );
  process.stdout.write(
    '| Set | Position of the request | request alone | ours | BM25 |\n| --- | --- | --- | --- | --- |\n',
  );
  for (const set of sets)
    for (const { kind, alone, own, bm25 } of await measureLong(set, ours(weights))) {
      const cells = [alone, own, bm25].map((value) => value.toFixed(4));
      process.stdout.write(`| ${[set.name, kind, ...cells].join(' | ')} |\n`);
    }
}
if (embed) {
  const folder = mkdtempSync(join(tmpdir(), 'ability-vectors-'));
  try {
    for (const [at, set] of sets.entries()) {
      const p95 = await timeHybrid(set, embed, join(folder, `${at}.bin`));
      say(`${set.name}: with the endpoint 95 % of the requests take at most ${p95.toFixed(0)} ms.`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
