// Which mutants a run tries: a sample of each room, the same for the same seed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMutants } from './find-mutants.mjs';

/** The rooms whose mutants are counted, by their folders. */
export const ROOMS = ['src/rules', 'src/planning/resolve', 'src/workflows/calls', 'src/activities'];
/** Fewer would say little of a small room. */
const MIN_OF_ROOM = 20;

/** All mutants of a room, with `room`, `file` and `text`, the line they are in. */
export function mutantsOf(root, room) {
  const files = readdirSync(join(root, room), { recursive: true })
    .map((name) => join(room, name))
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const lines = source.split('\n');
    return findMutants(source).map((mutant) => ({ room, file, text: lines[mutant.line - 1].trim(), ...mutant }));
  });
}

/** About `size` mutants: of each room its share, at least 20, chosen by `seed`. Without a size all of them. */
export function sampleMutants(rooms, size, seed) {
  const total = rooms.flat().length;
  return rooms.flatMap((mutants) => {
    if (size === undefined) return mutants;
    const share = Math.max(MIN_OF_ROOM, Math.round((size * mutants.length) / total));
    const random = randomFrom(seed);
    return mutants
      .map((mutant) => ({ mutant, rank: random() }))
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, share)
      .map(({ mutant }) => mutant);
  });
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
