import { taskQueueOf } from '../../contracts/names.js';
import { PLACEMENTS, type Placement } from '../../contracts/placement.js';
import { AbilityError } from '../../contracts/problem.js';
import { isServed } from '../../server/temporal/is-served.js';
import type { Connection } from './connect.js';

/** Workers that have just started are listed a moment later. */
const PATIENCE_MS = 2000;

/** Between two looks. */
const LOOK_MS = 100;

/** A worker seen a moment ago is not looked up again: pollers are listed much longer than that. */
const SEEN_MS = 2000;

/** The placement whose queue has a worker, local first; a just seen one comes before all. @throws AbilityError `placement.no_worker`. */
export async function placementWithWorker(connection: Connection, environment: string): Promise<Placement> {
  const [...order] = PLACEMENTS;
  const seen = order.find((placement) => wasSeen(connection, environment, placement));
  if (seen) return seen;
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const served = await Promise.all(order.map((placement) => hasWorker(connection, environment, placement)));
    const found = order.find((_, index) => served[index]);
    if (found) return found;
    if (Date.now() > deadline) throw noWorker(connection, environment);
    await pause();
  }
}

/** @throws AbilityError `placement.no_worker` when no worker serves the queue of a placement. */
export async function refuseWithoutWorker(
  connection: Connection,
  environment: string,
  placement: Placement,
): Promise<void> {
  if (wasSeen(connection, environment, placement)) return;
  if (!(await hasWorker(connection, environment, placement))) throw noWorker(connection, environment, placement);
}

/** @throws AbilityError `placement.no_worker` when no worker serves a queue, nor takes it up within a moment. */
export async function refuseUnserved(connection: Connection, queue: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isServed(connection.temporal, connection.namespace, queue))) {
    if (Date.now() > deadline) throw unserved(connection, queue);
    await pause();
  }
}

function unserved({ address }: Connection, queue: string): AbilityError {
  return new AbilityError({
    code: 'placement.no_worker',
    message: `No worker serves ${queue} on Temporal at ${address}`,
    suggestion: 'Start one: ability worker --env NAME.',
  });
}

/** Whether a worker polls the queue of a placement. */
export async function hasWorker(connection: Connection, environment: string, placement: Placement): Promise<boolean> {
  const queue = taskQueueOf(connection.project, environment, placement);
  const isThere = await isServed(connection.temporal, connection.namespace, queue);
  if (isThere) connection.served?.set(queue, performance.now() + SEEN_MS);
  return isThere;
}

function wasSeen({ served, project }: Connection, environment: string, placement: Placement): boolean {
  return performance.now() < (served?.get(taskQueueOf(project, environment, placement)) ?? 0);
}

function noWorker(connection: Connection, environment: string, placement?: Placement): AbilityError {
  const queue = taskQueueOf(connection.project, environment, placement ?? 'local');
  const others = placement ? '' : ` nor ${taskQueueOf(connection.project, environment, 'cloud')}`;
  return new AbilityError({
    code: 'placement.no_worker',
    message: `No worker serves ${queue}${others} on Temporal at ${connection.address}`,
    suggestion: `Start one: ability worker --env ${environment}${placement ? ` --placement ${placement}` : ''}.`,
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
