/**
 * Compares agents of the product with the official integration of the OpenAI Agents SDK, beside a second worker of that as the
 * noise control.
 *
 *     npm run bench:agents -- [--short] [--seed N] [--behaviour]
 *
 * Prints tables and writes `bench/results/agents-<date>.json`. `--behaviour` leaves the times out.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../statistics.js';
import { NEW_RUN_AFTER_60, type Seen, seeBehaviour } from './behaviour.js';
import { type Measured, measureAgents } from './measure.js';
import { seenOf, tableOf } from './report.js';
import { type AgentStage, openAgentStage } from './stage.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    behaviour: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const random = randomFrom(seed);
/** Tasks of each contender, by the turns that they have. */
const TASKS: Record<number, number> = values.short ? { 10: 5, 100: 2 } : { 10: 15, 100: 5 };

say(`seed ${seed}, Node ${process.version}, ${cpus().length} CPUs, ${cpus()[0]?.model}`);
const measured: Measured[] = values.behaviour ? [] : await onStage([], measureAll);
say('what each does');
const seen: Seen[] = await onStage(NEW_RUN_AFTER_60, seeBehaviour);
const folder = join(import.meta.dirname, '../../../results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `agents-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
writeFileSync(file, JSON.stringify({ seed, measured, seen }, null, 1));
process.stdout.write(`${tableOf(measured)}\n\n${seenOf(seen)}\n`);
say(`All figures are in ${file}.`);

async function measureAll(stage: AgentStage): Promise<Measured[]> {
  const all: Measured[] = [];
  say('warming up');
  for (let nth = 0; nth < 2; nth += 1) await measureAgents(stage, { turns: 10, round: 0, random });
  for (const [turns, rounds] of Object.entries(TASKS)) {
    for (let round = 1; round <= rounds; round += 1) {
      say(`${turns} turns: ${round} of ${rounds}`);
      all.push(...(await measureAgents(stage, { turns: Number(turns), round, random })));
    }
  }
  return all;
}

/** What was started is ended, also where it is interrupted. */
async function onStage<T>(settings: readonly string[], work: (stage: AgentStage) => Promise<T>): Promise<T> {
  const stage = await openAgentStage(settings);
  const interrupted = (): void => void stage.stop().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work(stage);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await stage.stop();
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
