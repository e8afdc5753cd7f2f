/**
 * Loaded into a door before anything else (`node --expose-gc --import`): what it keeps.
 *
 * SIGUSR2 collects garbage and writes a {@link Kept} to the file `BENCH_HEAP_FILE`.
 */
import { renameSync, writeFileSync } from 'node:fs';

/** What a process has in use once its garbage is collected. MiB. */
export interface Kept {
  heap: number;
  /** Of buffers, outside of the heap. */
  external: number;
  /** What the process has of the machine, which Node gives back later or never. */
  rss: number;
}

const MIB = 1024 * 1024;
const file = process.env.BENCH_HEAP_FILE;

if (file !== undefined) process.on('SIGUSR2', () => write(file));

function write(to: string): void {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const kept: Kept = { heap: heapUsed / MIB, external: external / MIB, rss: rss / MIB };
  // Whole at once, for whoever waits for the file.
  writeFileSync(`${to}.new`, JSON.stringify(kept));
  renameSync(`${to}.new`, to);
}
