import type { ListedTask } from '../../../../client/index.js';
import type { Registry } from '../../../../definitions/registry.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { readLivingRuntime } from '../../../../server/runtime/runtime-file.js';
import { type Context, withSession } from '../../program/context.js';

/** So many are listed, the newest. */
const MOST = 5000;
/** A server that does not answer is not waited for. */
const PATIENCE_MS = 5000;

/** Tasks that Temporal lists, and why they may not be all. */
export interface KnownTasks {
  /** Undefined: Temporal was not asked, or did not answer. */
  tasks: ListedTask[] | undefined;
  warnings: string[];
}

/** The tasks of a project where a Temporal server is named or its own runtime is up; nothing is started for it. Never fails. */
export async function listKnownTasks(context: Context, registry: Registry): Promise<KnownTasks> {
  if (!isServed(context, registry)) return { tasks: undefined, warnings: [] };
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('it does not answer')), PATIENCE_MS);
  try {
    const { listTasks } = await import('../../../../client/index.js');
    const tasks = await withSession(
      context,
      registry,
      (connection) => listTasks(connection, { called: true, limit: MOST }),
      patience.signal,
    );
    const warnings = tasks.length < MOST ? [] : [`Only the newest ${MOST} tasks of Temporal were looked at.`];
    return { tasks, warnings };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      tasks: undefined,
      warnings: [`The tasks in Temporal could not be listed, so they are not counted: ${reason}`],
    };
  } finally {
    clearTimeout(timer);
  }
}

function isServed({ flags, env, within }: Context, { root }: Registry): boolean {
  if (within?.loader.root === root) return true;
  const isNamed = [flags.address, flags.profile, env.TEMPORAL_ADDRESS, env.TEMPORAL_PROFILE].some(Boolean);
  return isNamed || readLivingRuntime(pathsOf(root)) !== undefined;
}
