/** How late a worker is for everything else while a hundred scripts run at once. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { awaitResult, type Connection, createTask } from '../src/client/index.js';
import { BENCH } from './contenders.js';
import { cpuOf } from './processes.js';
import { type Spread, spreadOf } from './statistics.js';
import type { LoopDelay } from './watch-loop.js';

/** As many calls as a worker takes at once. */
const SCRIPTS = 100;
/** Between two looks for what the worker writes. */
const PAUSE_MS = 20;

/** A worker whose event loop can be watched. */
export interface Watched {
  connection: Connection;
  environment: string;
  pid: number;
  /** Where it writes how late it was. */
  file: string;
}

/** One task of a hundred scripts that take a second each. Milliseconds. */
export interface ScriptsAtOnce extends LoopDelay {
  taskMs: number;
  /** CPU of the worker, without that of the scripts. */
  cpuMs: number;
}

/** Runs tasks of a hundred scripts, one after the other. */
export async function measureScripts(watched: Watched, tasks: number): Promise<ScriptsAtOnce[]> {
  await runOne(watched);
  const measured: ScriptsAtOnce[] = [];
  for (let nth = 0; nth < tasks; nth += 1) measured.push(await runOne(watched));
  return measured;
}

async function runOne({ connection, environment, pid, file }: Watched): Promise<ScriptsAtOnce> {
  rmSync(file, { force: true });
  const before = cpuOf(pid);
  process.kill(pid, 'SIGUSR2');
  const began = performance.now();
  const { id } = await createTask(connection, {
    ability: 'scripts',
    environment,
    input: { items: Array.from({ length: SCRIPTS }, (_, item) => item) },
    caller: BENCH,
    run: true,
  });
  const { status, output } = await awaitResult(connection, id);
  if (status !== 'succeeded' || output !== SCRIPTS) throw new Error(`scripts gave ${status} and ${output}`);
  const taskMs = performance.now() - began;
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await wait(PAUSE_MS);
  const delay = JSON.parse(readFileSync(file, 'utf8')) as LoopDelay;
  return { ...delay, taskMs, cpuMs: cpuOf(pid) - before };
}

/** One line; none where they were not measured. */
export function scriptLinesOf(measured: readonly ScriptsAtOnce[]): string {
  if (measured.length === 0) return '';
  const of = (value: keyof ScriptsAtOnce): string => ranged(spreadOf(measured.map((one) => one[value])));
  return [
    `${SCRIPTS} scripts at once, ${measured.length} tasks: the event loop was late by ${of('p99')} ms (p99), at most by ${of('max')} ms,`,
    `and was at work for ${of('busy')} ms; worker CPU ${of('cpuMs')} ms, task ${of('taskMs')} ms.`,
  ].join('\n');
}

function ranged({ median, least, most }: Spread): string {
  return `${median.toFixed(0)} (${least.toFixed(0)}-${most.toFixed(0)})`;
}
