/**
 * Compares the product with the hand-written twin, beside a second copy of the twin as the noise control.
 *
 *     npm run bench -- [--short] [--gate] [--seed N] [--scenario NAME].. [--profile DIR]
 *
 * Prints tables and writes `bench/results/<date>.json`. `--gate` exits 1 when events, bytes or paired p50 are beyond
 * their limits; `--profile` writes a CPU profile of each worker.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contender } from './contenders.js';
import { type Burst, type Measured, measureBursts, measureInTurns, type Setting } from './measure.js';
import { measureWithPreflight, preflightCostOf, preflightGatesOf, preflightLinesOf } from './preflight.js';
import { gatesOf, preflightTableOf, rowsOf, tableOf, verdictOf } from './report.js';
import { CONTRACT, FULL, ONLY, SCENARIOS, SHORT } from './scenarios.js';
import { measureScripts, type ScriptsAtOnce, scriptLinesOf } from './scripts-at-once.js';
import { HOOKS, openStage, type Stage } from './stage.js';
import { randomFrom, shuffled } from './statistics.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scenario: { type: 'string', multiple: true },
    profile: { type: 'string' },
  },
});
const seed = Number(values.seed);
const extent = values.short ? SHORT : FULL;
const scenarios = SCENARIOS.filter((name) => !values.scenario || values.scenario.includes(name));
const random = randomFrom(seed);
const measured: Measured[] = [];
const bursts: Burst[] = [];
const whole: Burst[] = [];
const scripts: ScriptsAtOnce[] = [];

say(`seed ${seed}, ${extent.rounds} rounds, Node ${process.version}, ${cpus().length} CPUs, ${cpus()[0]?.model}`);
const stage = await openStage(values.profile);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stage.stop().finally(() => process.exit(130)));
}
try {
  await warmUp(stage);
  await inRounds('tasks in turns', async (setting) => {
    measured.push(...(await measureInTurns(partakers(setting.scenario), extent.tasks[setting.scenario], setting)));
  });
  // Afterwards: a worker that has run many tasks runs the next ones faster, and not all contenders run these.
  await inRounds('50 at once', async (setting) => {
    const most = extent.burst[setting.scenario];
    if (most) bursts.push(...(await measureBursts(stage.contenders.slice(0, 3), most, setting)));
  });
  await inRounds('50 at once with preflight', async (setting) => {
    const most = extent.whole[setting.scenario];
    if (most) whole.push(...(await measureWithPreflight(stage.contenders.slice(0, 3), most, setting)));
  });
  if (!values.scenario || values.scenario.includes('scripts')) {
    say('100 scripts at once');
    scripts.push(...(await measureScripts(stage.watched, extent.scripts)));
  }
} finally {
  await stage.stop();
}

const rows = rowsOf(measured, bursts);
const preflight = preflightCostOf(measured, whole);
const gates = [...gatesOf(rows), ...preflightGatesOf(preflight)];
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model, memory: totalmem() };
const file = keep({ seed, extent, machine, rows, preflight, gates, measured, bursts, whole, scripts });
process.stdout.write(
  `${tableOf(rows)}\n\n${preflightTableOf(rows)}\n\n${preflightLinesOf(preflight)}\n\n${scriptLinesOf(scripts)}\n\n${verdictOf(gates)}\n`,
);
say(`All figures are in ${file}.`);
if (values.gate && gates.some(({ hard, kept }) => hard && !kept)) process.exitCode = 1;

/** Measures each scenario once a round, in another order each time. */
async function inRounds(what: string, measure: (setting: Setting) => Promise<void>): Promise<void> {
  for (let round = 1; round <= extent.rounds; round += 1) {
    say(`${what}: round ${round} of ${extent.rounds}`);
    for (const scenario of shuffled(scenarios, random)) {
      await measure({ client: stage.client, scenario, round, random });
    }
  }
}

function partakers(scenario: (typeof SCENARIOS)[number]): Contender[] {
  return stage.contenders.filter(({ name }) => (ONLY[name] ?? scenario) === scenario);
}

/** First tasks compile code and open connections, on both sides. */
async function warmUp({ client }: Stage): Promise<void> {
  say(`warming up: ${['twin', 'control', ...Object.values(HOOKS), 'fast', CONTRACT].join(', ')}`);
  for (const scenario of scenarios) {
    await measureInTurns(partakers(scenario), 2, { client, scenario, round: 0, random });
  }
}

function keep(results: object): string {
  const folder = join(import.meta.dirname, '../../results');
  const path = join(folder, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(results, null, 1));
  return path;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
