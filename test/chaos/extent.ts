/** How much the chaos tests do, and with which chance. */
import { randomInt } from 'node:crypto';

/** `npm run test:chaos` asks for everything; beside the other tests only a part is done. */
export const WHOLE = process.env.CHAOS === 'whole';

/** The one that was asked for, to see a failure again; else any. */
export const SEED = Number(process.env.CHAOS_SEED ?? randomInt(1_000_000));

/** Says what happens, also while other tests are silent. */
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

/** Waits for something to be there; looks every few milliseconds. @throws Error that says what did not come. */
export async function until<T>(what: string, look: () => T | undefined, limitMs = 20_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pause(3);
  }
}

/** Lets time pass. Milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
