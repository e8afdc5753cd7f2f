import { setTimeout as sleep } from 'node:timers/promises';
import { taskQueueOf } from '../../contracts/names.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { ActivityDependencies } from '../dependencies.js';

/** As for a client: a server that has just begun again lists its workers with a delay. */
const PATIENCE_MS = 2000;
const LOOK_MS = 100;

/**
 * The queue on which a task goes on, as its definitions now place it; undefined: where it is. @param from its queue.
 * @throws AbilityError `placement.no_worker`: without a worker there it would never run.
 */
export async function otherQueue(
  { ability, placement, environment, project }: Plan,
  from: string,
  { isServed }: Pick<ActivityDependencies, 'isServed'>,
): Promise<string | undefined> {
  const queue = taskQueueOf(project, environment.name, placement);
  if (queue === from) return undefined;
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(LOOK_MS)) {
    if (await isServed(queue)) return queue;
    if (performance.now() > deadline) break;
  }
  throw new AbilityError({
    code: 'placement.no_worker',
    message: `No worker serves ${queue}, where the definitions place ${ability.id}`,
    suggestion: `Start one: ability worker --env ${environment.name} --placement ${placement}.`,
  });
}
