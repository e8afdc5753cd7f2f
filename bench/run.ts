/**
 * Compares the product with the hand-written twin, beside a second copy of the twin as the noise control.
 *
 *     npm run bench -- [--short] [--gate] [--seed N] [--scenario NAME].. [--profile DIR]
 *     npm run bench -- --doors [--short] [--gate] [--seed N]
 *
 * Prints tables and writes `bench/results/<date>.json`. `--gate` exits 1 when events, bytes or paired p50 are beyond
 * their limits; `--profile` writes a CPU profile of each worker. `--doors` measures the HTTP door instead.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contender } from './contenders.js';
import {
  doorGatesOf,
  doorLinesOf,
  FULL_DOORS,
  measureListeners,
  measureMemory,
  measureRuns,
  SHORT_DOORS,
} from './doors.js';
import { type Burst, type Measured, measureBursts, measureInTurns, type Setting } from './measure.js';
import { type Gate, gatesOf, rowsOf, tableOf, verdictOf } from './report.js';
import { FULL, ONLY, SCENARIOS, SHORT } from './scenarios.js';
import { measureScripts, type ScriptsAtOnce, scriptLinesOf } from './scripts-at-once.js';
import { openDoorStage, openStage, type Stage } from './stage.js';
import { randomFrom, shuffled } from './statistics.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    doors: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scenario: { type: 'string', multiple: true },
    profile: { type: 'string' },
  },
});
const seed = Number(values.seed);
const extent = values.short ? SHORT : FULL;
const scenarios = SCENARIOS.filter((name) => !values.scenario || values.scenario.includes(name));
const random = randomFrom(seed);
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model, memory: totalmem() };

say(`seed ${seed}, ${extent.rounds} rounds, Node ${process.version}, ${cpus().length} CPUs, ${cpus()[0]?.model}`);
if (values.doors) await measureDoors();
else await compare();

/** The product beside the twin. */
async function compare(): Promise<void> {
  const measured: Measured[] = [];
  const bursts: Burst[] = [];
  const scripts: ScriptsAtOnce[] = [];
  const stage = stoppedBySignals(await openStage(values.profile));
  try {
    await warmUp(stage);
    await inRounds(stage, 'tasks in turns', async (setting) => {
      measured.push(
        ...(await measureInTurns(partakers(stage, setting.scenario), extent.tasks[setting.scenario], setting)),
      );
    });
    // Afterwards: a worker that has run many tasks runs the next ones faster, and not all contenders run these.
    await inRounds(stage, '50 at once', async (setting) => {
      const most = extent.burst[setting.scenario];
      if (most) bursts.push(...(await measureBursts(stage.contenders.slice(0, 3), most, setting)));
    });
    if (!values.scenario || values.scenario.includes('scripts')) {
      say('100 scripts at once');
      scripts.push(...(await measureScripts(stage.watched, extent.scripts)));
    }
  } finally {
    await stage.stop();
  }

  const rows = rowsOf(measured, bursts);
  const gates = gatesOf(rows);
  const file = keep({ seed, extent, machine, rows, gates, measured, bursts, scripts });
  process.stdout.write(`${tableOf(rows)}\n\n${scriptLinesOf(scripts)}\n\n${verdictOf(gates)}\n`);
  finish(file, gates);
}

/** The HTTP door beside the client library. */
async function measureDoors(): Promise<void> {
  const doors = values.short ? SHORT_DOORS : FULL_DOORS;
  const stage = stoppedBySignals(await openDoorStage());
  try {
    say('noops over HTTP and through the client library');
    const runs = await measureRuns(stage, doors, random);
    say(`${doors.listeners} listeners`);
    const heard = await measureListeners(stage, doors);
    say(`${doors.requests} requests`);
    const memory = await measureMemory(stage, doors);
    const gates = doorGatesOf(memory);
    const file = keep({ seed, extent: doors, machine, runs, heard, memory, gates });
    process.stdout.write(`${doorLinesOf(runs, heard, memory)}\n\n${verdictOf(gates)}\n`);
    finish(file, gates);
  } finally {
    await stage.stop();
  }
}

function finish(file: string, gates: readonly Gate[]): void {
  say(`All figures are in ${file}.`);
  if (values.gate && gates.some(({ hard, kept }) => hard && !kept)) process.exitCode = 1;
}

/** What was started is ended where it is interrupted. */
function stoppedBySignals<T extends { stop(): Promise<void> }>(stage: T): T {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stage.stop().finally(() => process.exit(130)));
  }
  return stage;
}

/** Measures each scenario once a round, in another order each time. */
async function inRounds(
  { client, server }: Pick<Stage, 'client' | 'server'>,
  what: string,
  measure: (setting: Setting) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= extent.rounds; round += 1) {
    say(`${what}: round ${round} of ${extent.rounds}`);
    for (const scenario of shuffled(scenarios, random)) {
      await measure({ client, server, scenario, round, random });
    }
  }
}

function partakers({ contenders }: Stage, scenario: (typeof SCENARIOS)[number]): Contender[] {
  return contenders.filter(({ name }) => (ONLY[name] ?? scenario) === scenario);
}

/** First tasks compile code and open connections, on both sides. */
async function warmUp(stage: Stage): Promise<void> {
  const { client, server, contenders } = stage;
  say(`warming up: ${contenders.map(({ name }) => name).join(', ')}`);
  for (const scenario of scenarios) {
    await measureInTurns(partakers(stage, scenario), 2, { client, server, scenario, round: 0, random });
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
