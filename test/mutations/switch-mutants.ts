/** Setup of each unit test file for `npm run test:mutants`: enables one mutant, or records the ones it reaches. */
import { appendFileSync } from 'node:fs';
import { afterAll, expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The enabled mutant; undefined while the map of the reached mutants is made. */
    mutant: number | undefined;
    /** Where each test file appends a line with what it reached: `{ file, reached }`. */
    mutantMap: string;
    /** Where each worker appends its process id. */
    mutantWorkers: string;
  }
}

/** More hits of one mutant than any unit test needs: more mean that it made a loop endless. */
const MAX_HITS = 2_000_000;

const active = inject('mutant');
const reached = new Set<number>();
let hits = 0;

(globalThis as { __mutant?: (id: number) => boolean }).__mutant = (id) => {
  reached.add(id);
  if (id !== active) return false;
  hits += 1;
  if (hits > MAX_HITS) throw new Error('the mutant made a loop endless');
  return true;
};

appendFileSync(inject('mutantWorkers'), `${process.pid}\n`);

afterAll(() => {
  if (active !== undefined) return;
  const line = JSON.stringify({ file: expect.getState().testPath, reached: [...reached] });
  appendFileSync(inject('mutantMap'), `${line}\n`);
});
