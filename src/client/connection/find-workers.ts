import { PLACEMENTS, type Placement, taskQueueOf } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { isServed } from '../../server/temporal/is-served.js';
import { unlessRefused } from '../../text/attempt.js';
import type { Connection } from './connect.js';

/** The server lists new workers with a delay. */
const PATIENCE_MS = 2000;

const LOOK_MS = 100;

/** So long a worker counts as running without another query; the server lists pollers much longer. */
const SEEN_MS = 2000;

/**
 * A queue with a worker: that of the placement or, if it is not known here, the one seen last, then the local one; a
 * task that belongs elsewhere moves there by itself. @throws AbilityError `placement.no_worker`.
 */
export async function queueWithWorker(
  connection: Connection,
  environment: string,
  placement?: Placement,
): Promise<string> {
  const found = placement ?? (await placementWithWorker(connection, environment));
  if (placement !== undefined) await untilServed(connection, environment, placement);
  return taskQueueOf(connection.project, environment, found);
}

/** The placements of the project, as far as they are known here. */
export function placementsHere({ definitions }: Pick<Connection, 'definitions'>): readonly Placement[] {
  return (definitions && unlessRefused(() => definitions.placements())) ?? PLACEMENTS;
}

/** A placement with a worker; recently seen first, then local. @throws AbilityError `placement.no_worker`. */
export async function placementWithWorker(connection: Connection, environment: string): Promise<Placement> {
  const placements = placementsHere(connection);
  const seen = placements.find((placement) => wasSeen(connection, environment, placement));
  return seen ?? (await findServed(connection, environment, placements));
}

async function untilServed(connection: Connection, environment: string, placement: Placement): Promise<void> {
  if (!wasSeen(connection, environment, placement)) await findServed(connection, environment, [placement]);
}

/** The first of these placements that has a worker, or gets one soon. */
async function findServed(
  connection: Connection,
  environment: string,
  placements: readonly Placement[],
): Promise<Placement> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const served = await Promise.all(placements.map((placement) => hasWorker(connection, environment, placement)));
    const found = placements.find((_, index) => served[index]);
    if (found) return found;
    if (Date.now() > deadline) throw noWorker(connection, environment, placements);
    await pause();
  }
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

function noWorker(connection: Connection, environment: string, placements: readonly Placement[]): AbilityError {
  const queues = placements.map((placement) => taskQueueOf(connection.project, environment, placement));
  const only = placements.length === 1 ? ` --placement ${placements[0]}` : '';
  return new AbilityError({
    code: 'placement.no_worker',
    message: `No worker serves ${queues.join(' nor ')} on Temporal at ${connection.address}`,
    suggestion: `Start one: ability worker --env ${environment}${only}.`,
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
