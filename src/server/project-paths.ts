import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The only file in the folder of seal keys that is not one of them. */
export const PROOF_KEY = 'proof';

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
  /** In the keys folder; the runtime's owner proves decisions with it. */
  proofKey: string;
  doorKey: string;
  /** The port of its page, once it was opened. */
  page: string;
  /** One file per token, with its hash. */
  tokens: string;
  /** One folder per task. */
  records: string;
  /** One folder per run, with its log; a run is a request in plain words. */
  runs: string;
  /** The last line of the audit log that this machine has written. */
  auditHead: string;
  /** Copies of scripts that were edited while tasks still need them as they were. */
  pinned: string;
  /** Process groups of running scripts, one folder a worker. */
  running: string;
  /** Files of running calls, one folder a worker. */
  calls: string;
}

/** @param system another folder for the runtime's data, such as for tests. */
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
    // No seal key has a dot in its name.
    doorKey: join(system, 'keys', 'door.key'),
    page: join(system, 'page.json'),
    tokens: join(system, 'tokens'),
    records: join(system, 'implement'),
    runs: join(system, 'runs'),
    auditHead: join(system, 'audit-head.json'),
    pinned: join(system, 'pinned'),
    running: join(system, 'running'),
    calls: join(system, 'calls'),
  };
}

/** @throws SystemError if no variable names a folder and the user has no home. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { ABILITY_CACHE: own, XDG_CACHE_HOME: xdg } = env;
  if (own) return own;
  // A relative path counts as none. Source: XDG Base Directory Specification.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'ability-runtime');
  const home = env.HOME || homedir();
  const usual = process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(usual, 'ability-runtime');
}
