import { taskQueueOf } from '../../contracts/names.js';
import { PLACEMENTS, type Placement } from '../../contracts/placement.js';
import { AbilityError } from '../../contracts/problem.js';
import { isServed } from '../../server/temporal/is-served.js';
import type { Connection } from './connect.js';

/** The server lists new workers with a delay. */
const PATIENCE_MS = 2000;

const LOOK_MS = 100;

/** So long a worker counts as running without another query; the server lists pollers much longer. */
const SEEN_MS = 2000;

/** A placement with a worker; recently seen first, then local. @throws AbilityError `placement.no_worker`. */
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

/** @throws AbilityError `placement.no_worker` if the placement has no worker. */
export async function refuseWithoutWorker(
  connection: Connection,
  environment: string,
  placement: Placement,
): Promise<void> {
  if (wasSeen(connection, environment, placement)) return;
  if (!(await hasWorker(connection, environment, placement))) throw noWorker(connection, environment, placement);
}

/** @throws AbilityError `placement.no_worker` if no worker polls the queue within {@link PATIENCE_MS}. */
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
