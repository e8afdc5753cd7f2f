import { homedir } from 'node:os';
import { join } from 'node:path';

/** Name of the one file among the keys that is not a seal key. */
export const PROOF_KEY = 'proof';

/** The files the runtime keeps in a project. */
export interface ProjectPaths {
  root: string;
  system: string;
  runtimeFile: string;
  runtimeLock: string;
  /** Touched by every command; its age shows whether the runtime is needed. */
  touchFile: string;
  /** While it exists the runtime keeps running, needed or not. */
  stayFile: string;
  /** Names the runtime that `ability down` stopped last. */
  downFile: string;
  runtimeLog: string;
  serverLog: string;
  database: string;
  store: string;
  /** The known stores in shared folders, one file per store. */
  sharedStores: string;
  keys: string;
  /** In the folder of the seal keys, but not one of them: with it the owner of the runtime proves decisions. */
  proofKey: string;
  /** A file a token, with its hash. */
  tokens: string;
  /** One folder a task: its record. */
  records: string;
  /** One folder a run, which is a request in plain words: its log. */
  runs: string;
  /** Copies of scripts that were edited while tasks still need them as they were. */
  pinned: string;
  /** Process groups of running scripts, one folder a worker. */
  running: string;
  /** Files of running calls, one folder a worker. */
  calls: string;
}

/**
 * Paths under a project root.
 *
 * @param system another folder for the runtime's data, as for tests, which leave nothing in the project.
 */
export function pathsOf(root: string, system = join(root, '.system')): ProjectPaths {
  return {
    root,
    system,
    runtimeFile: join(system, 'runtime.json'),
    runtimeLock: join(system, 'runtime.lock'),
    touchFile: join(system, 'runtime.touch'),
    stayFile: join(system, 'runtime.stay'),
    downFile: join(system, 'runtime.down'),
    runtimeLog: join(system, 'runtime.log'),
    serverLog: join(system, 'temporal', 'server.log'),
    database: join(system, 'temporal', 'temporal.db'),
    store: join(system, 'store'),
    sharedStores: join(system, 'shared-stores'),
    keys: join(system, 'keys'),
    proofKey: join(system, 'keys', PROOF_KEY),
    tokens: join(system, 'tokens'),
    records: join(system, 'implement'),
    runs: join(system, 'runs'),
    pinned: join(system, 'pinned'),
    running: join(system, 'running'),
    calls: join(system, 'calls'),
  };
}

/** The user's cache folder for this product. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: xdg, ABILITY_CACHE: own, HOME: home = homedir() } = env;
  if (own) return own;
  const base = xdg ?? (process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache'));
  return join(base, 'ability-runtime');
}
