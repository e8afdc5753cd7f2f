import { randomUUID } from 'node:crypto';
import type { CheckResult } from '../../contracts/check.js';
import { AbilityError } from '../../contracts/problem.js';
import { payloadKeysOf } from '../payloads/payload-keys.js';
import type { ProjectPaths } from '../project-paths.js';
import { openStore } from '../store/open-store.js';
import type { Store } from '../store/store.js';
import { checkDisk } from './check-machine.js';

const NAME = 'store';
/** A store that is slower than this keeps tasks waiting. */
const SLOW_MS = 2000;

/** Writes, lists, reads and removes an object. @param place as in `ABILITY_STORE`. */
export async function checkStore(place: string, env: NodeJS.ProcessEnv, paths?: ProjectPaths): Promise<CheckResult> {
  try {
    const store = openStore(place, payloadKeysOf(env), paths);
    const disk = store.folder === null ? undefined : checkDisk(store.folder, NAME);
    if (disk && disk.status !== 'ok') return disk;
    const began = performance.now();
    await tryOut(store);
    const took = Math.round(performance.now() - began);
    if (took > SLOW_MS) {
      const message = `${store.where} can be used, and took ${took} ms for a small object`;
      return { name: NAME, status: 'warning', message, advice: 'Use a store that is nearer to the workers.' };
    }
    return { name: NAME, status: 'ok', message: disk?.message ?? `${store.where} can be written, read and listed` };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const { message, suggestion } = error;
    return { name: NAME, status: 'failed', message, ...(suggestion !== undefined && { advice: suggestion }) };
  }
}

async function tryOut(store: Store): Promise<void> {
  const prefix = 'doctor/';
  const name = prefix + randomUUID();
  await store.putNamed(name, Buffer.from(name));
  try {
    const listed = await store.listNamed(prefix);
    const read = await store.getNamed(name);
    const isThere = listed.some((object) => object.name === name) && Buffer.from(read ?? '').toString() === name;
    if (!isThere) throw forgetful(store);
  } finally {
    await store.removeNamed(name);
  }
  if (await store.getNamed(name)) throw forgetful(store);
}

/** Call marks and records need a store that reads its own writes. */
function forgetful({ where }: Store): AbilityError {
  return new AbilityError({
    code: 'store.not_shared',
    message: `${where} does not show what was just written or removed`,
    suggestion: 'Use a store whose reads and listings see every write before them.',
  });
}
