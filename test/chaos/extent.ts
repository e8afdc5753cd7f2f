/** How much of the chaos tests runs, and with which random numbers. */
import { randomInt } from 'node:crypto';

/** `npm run test:chaos` runs everything; next to the other tests only a part runs. */
export const WHOLE = process.env.CHAOS === 'whole';

/** The requested seed, to reproduce a failure; otherwise a random one. */
export const SEED = Number(process.env.CHAOS_SEED ?? randomInt(1_000_000));

/** Prints what happens, even while the output of other tests is hidden. */
export function say(line: string): void {
  process.stderr.write(`chaos: ${line}\n`);
}

/** Numbers from 0 to 1 that depend on nothing but the seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Waits until something exists, checking every few milliseconds. @throws Error that names what did not appear. */
export async function until<T>(what: string, look: () => T | undefined, limitMs = 20_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pause(3);
  }
}

/** Waits for a number of milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
