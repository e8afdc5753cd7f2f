/**
 * Loaded into a worker before anything else (`node --import`): how late its event loop is.
 *
 * SIGUSR2 begins to watch; the next one ends that and writes a {@link LoopDelay} to the file `BENCH_LOOP_FILE`.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How late the event loop of a process was, beyond the resolution of the clock. Milliseconds. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
  /** How long it was at work, rather than waiting for something. */
  busy: number;
}

const RESOLUTION_MS = 10;
const file = process.env.BENCH_LOOP_FILE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let begun: ReturnType<typeof performance.eventLoopUtilization> | undefined;

if (file !== undefined) process.on('SIGUSR2', () => (begun ? end(file) : begin()));

function begin(): void {
  delay.reset();
  delay.enable();
  begun = performance.eventLoopUtilization();
}

function end(to: string): void {
  delay.disable();
  const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
  const { active: busy } = performance.eventLoopUtilization(begun);
  begun = undefined;
  const found: LoopDelay = {
    p50: late(delay.percentile(50)),
    p99: late(delay.percentile(99)),
    max: late(delay.max),
    busy,
  };
  // Whole at once, for whoever waits for the file.
  writeFileSync(`${to}.new`, JSON.stringify(found));
  renameSync(`${to}.new`, to);
}
