import type { ScriptHookDependencies } from '../activities/hooks/ask-script.js';
import {
  checkGuards,
  type GuardCheck,
  type MustDenyReport,
  reportMustDeny,
} from '../activities/hooks/claude-code/check-guards.js';
import { ASKS, saidTo } from '../activities/hooks/claude-code/proven-guards.js';
import { PinnedScripts } from '../activities/processes/pinned-scripts.js';
import type { MustDeny } from '../contracts/foreign-hooks.js';
import type { Registry } from '../definitions/registry.js';
import type { ForeignHandler, HookEnvironment } from '../planning/hooks/foreign-guards.js';
import { payloadKeysOf } from '../server/payloads/payload-keys.js';
import { pathsOf } from '../server/project-paths.js';
import { openStore } from '../server/store/open-store.js';
import type { Store } from '../server/store/store.js';
import { RunningGroups } from './running-groups.js';
import { openWorkerSecrets } from './worker-secrets.js';

/** For `lint --check-hooks`. */
export function proveGuardsHere(registry: Registry, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<GuardCheck> {
  return outsideWorker(registry.root, env, (dependencies) => checkGuards(registry, dependencies, signal));
}

/** Works with the scripts of hooks, and ends their processes afterwards. */
async function outsideWorker<T>(
  root: string,
  env: NodeJS.ProcessEnv,
  work: (dependencies: ScriptHookDependencies) => Promise<T>,
): Promise<T> {
  const dependencies = hookDependenciesOf(root, env);
  try {
    return await work(dependencies);
  } finally {
    dependencies.close();
  }
}

/** @throws AbilityError `config.*` for a store that cannot be opened. */
export function hookDependenciesOf(
  root: string,
  env: NodeJS.ProcessEnv,
): ScriptHookDependencies & { groups: RunningGroups; store: Store; close(): void } {
  const paths = pathsOf(root);
  const store = openStore(env.ABILITY_STORE ?? paths.store, payloadKeysOf(env), paths);
  const groups = new RunningGroups(paths.running);
  const { secrets, close } = openWorkerSecrets(root, groups, env);
  return {
    root,
    store,
    groups,
    scripts: new PinnedScripts(root, paths.pinned, store),
    secrets,
    close() {
      close();
      groups.close();
    },
  };
}

/** Indexes of calls that a guard did not allow. */
export interface Answered {
  denied: number[];
  /** Calls that need a person's approval. */
  asked: number[];
}

/** Which of the calls a guard denies, at most `max`; executes none. */
export async function findDenied(
  { root, env, environment }: { root: string; env: NodeJS.ProcessEnv; environment: HookEnvironment },
  id: string,
  handler: ForeignHandler,
  calls: readonly MustDeny[],
  max: number,
  signal: AbortSignal,
): Promise<Answered> {
  const answered: Answered = { denied: [], asked: [] };
  await outsideWorker(root, env, async (dependencies) => {
    for (const [index, call] of calls.entries()) {
      if (answered.denied.length >= max || signal.aborted) break;
      const said = await saidTo(call, dependencies, id, handler, environment, signal);
      if (said === undefined) answered.denied.push(index);
      else if (said === ASKS) answered.asked.push(index);
    }
  });
  return answered;
}

/** Tests guards of other tools with their `must_deny` cases, without a worker: for `ability hooks test`. */
export function tryMustDeny(
  registry: Registry,
  env: NodeJS.ProcessEnv,
  only?: Parameters<typeof reportMustDeny>[2],
): Promise<MustDenyReport[]> {
  return outsideWorker(registry.root, env, (dependencies) => reportMustDeny(registry, dependencies, only));
}
