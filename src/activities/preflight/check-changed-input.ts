import type { Context } from '@temporalio/activity';
import type {
  ModifyAnswer,
  ModifyRequest,
  RecordChangeAnswer,
  RecordChangeRequest,
} from '../../contracts/activities.js';
import { AbilityError } from '../../contracts/problem.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { refuseOtherInput, refuseOtherPlan } from '../../rules/plans/plan-digest.js';
import { defined } from '../../text/defined.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf } from '../failures.js';
import { holdFiles } from '../files/task-files.js';
import { newRecord } from '../record/new-record.js';
import { signSeal } from '../seal.js';
import { type Asking, type CreationDependencies, guardCreation, resolveWanted } from './guard-creation.js';
import { otherQueue } from './other-queue.js';

type ModifyDependencies = CreationDependencies & Pick<ActivityDependencies, 'keys' | 'plans' | 'files' | 'isServed'>;

/**
 * Preflight of a task with another input: resolves, checks, runs PreAbilityCreate, seals. Refuses with
 * `placement.no_worker` a task that the definitions moved to a queue without a worker. PreAbilityCreate hooks
 * receive the person who changes it, hooks before calls the task's owner. Source: C-37.
 */
export function createModify(dependencies: ModifyDependencies) {
  const loader = new RegistryLoader(dependencies.root);
  return activityOf((request: ModifyRequest, context) => modify(request, loader, context, dependencies), {
    beats: true,
  });
}

async function modify(
  { seal: mark, input: newInput, by, caller: changer, only }: ModifyRequest,
  loader: RegistryLoader,
  context: Context,
  dependencies: ModifyDependencies,
): Promise<ModifyAnswer> {
  const { plan: old, seal: before, user, session } = await dependencies.plans.admit(mark, context.info);
  const { task, intent, scope, run } = before;
  // A task shaped by two kinds of callers has no known caller.
  const caller = changer === before.caller ? before.caller : undefined;
  const environment = old.environment.name;
  const wanted: Asking = { environment, task, moment: Date.now(), user: by, session, scope, caller };
  const asked = { ability: old.ability.id, environment, input: newInput, task };
  const resolved = resolveWanted(asked, loader.load(), dependencies);
  const planned = { plan: resolved.plan, input: resolved.digests.input };
  refuseOtherInput(only, planned);
  refuseOtherPlan(only, planned, false);
  await otherQueue(resolved.plan, context.info.taskQueue, dependencies);
  const guarded = await guardCreation(resolved, wanted, dependencies, context.cancellationSignal);
  const { input } = resolved;
  const { plan, digests, hooks, confirmations } = guarded;
  refuseOtherPlan(only, { ...planned, plan }, true);
  await holdFiles({ plan, input }, task, dependencies.files.store);
  const said = {
    ...(session && { session }),
    ...defined({ scope, caller, intent, run }),
  };
  const seal = signSeal({ ...digests, task, user, ...said, confirmations }, dependencies.keys);
  dependencies.plans.keep(plan, digests.plan);
  return { plan, seal, input, warnings: [...new Set([...resolved.warnings, ...guarded.warnings])], hooks };
}

/** Rewrites the record of a task after its input changed. A failure to write is a warning. Source: C-13. */
export function createRecordChange({ plans, records, host }: Pick<ActivityDependencies, 'plans' | 'records' | 'host'>) {
  return activityOf(async ({ seal, ...change }: RecordChangeRequest, context): Promise<RecordChangeAnswer> => {
    const admitted = await plans.admit(seal, context.info);
    const { warnings, ...source } = change;
    try {
      const task = taskOf(context);
      const run_id = records.read(task)?.run_id;
      records.replace({ ...newRecord({ ...admitted, ...source, task, run_id, host }), warnings });
      return { warnings: [] };
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      return { warnings: [`${error.code}: ${error.message}`] };
    }
  });
}
