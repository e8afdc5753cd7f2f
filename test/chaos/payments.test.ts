import { afterAll, beforeAll, expect, test } from 'vitest';
import { retryTask, waitForTask } from '../../src/client/index.js';
import { AbilityError } from '../../src/contracts/problem.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import {
  MANNERS,
  type Manner,
  type PaymentService,
  paymentProject,
  startPayments,
} from '../fixtures/servers/payment-service.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';
import { chance, pause, SEED, say, WHOLE } from './extent.js';
import { type Lane, openLane } from './lane.js';

/** Each task pays this many orders: a result lists as many failures of a loop. */
const ORDERS = WHOLE ? 20 : 7;
const TASKS = WHOLE ? 25 : 2;
const CALLS = ORDERS * TASKS;
const LIMIT_MS = WHOLE ? 40 * 60_000 : 4 * 60_000;
/** Long enough that kills hit calls that were paid for and not answered. */
const ANSWER_MS = 700;
/** Requests to pay between two kills, at least and at most. */
const BETWEEN = WHOLE ? ([20, 60] as const) : ([2, 4] as const);
/** A busy machine needs its time for the calls as well. */
const MAX_KILLS = WHOLE ? 200 : 3;

let server: TestServer;
let service: PaymentService;
let lane: Lane;

const paying = (call: string): string => `
steps:
  - id: all
    foreach: input.orders
    as: order
    max_parallel: ${WHOLE ? 2 : 7}
    on_failure: finish
    steps: [{ id: pay, call: ${call}, with: { order: "\${{ order.name }}", manner: "\${{ order.manner }}" } }]
`;

beforeAll(async () => {
  server = await startTemporal();
  service = await startPayments(ANSWER_MS);
  lane = await openLane(server.address, service as never, {
    'ability.yaml': projectFile('{ dev: {} }', 'policy: { allowed_hosts: ["127.0.0.1:*"] }\n'),
    ...paymentProject(service.origin),
    ...workflow('asks', paying('pay.make')),
    ...workflow('blind', paying('pay.blind')),
  });
});
afterAll(async () => {
  await lane?.stop();
  await service?.stop();
  await server?.stop();
});

interface Order {
  name: string;
  manner: Manner;
}

/** A task that has paid some orders, or has not. */
interface Paid {
  orders: Order[];
  result: TaskResult;
}

/** A worker that is killed again and again may seem stuck to who waits. */
const ended = async (key: string, left = 20): Promise<TaskResult> => {
  try {
    const end = await waitForTask(lane.connection, key, { timeoutMs: LIMIT_MS });
    if (end.kind !== 'ended') throw new Error(`${key}: ${end.kind}`);
    // One that expired has paid nothing.
    expect(end.result.steps.find(({ path }) => path === 'all')?.items?.total).toBe(ORDERS);
    return end.result;
  } catch (error) {
    if (!(error instanceof AbilityError) || left === 0) throw error;
    await pause(5000);
    return ended(key, left - 1);
  }
};

/** Orders of every manner, by one task after the other. */
function ordersOf(ability: string, task: number): Order[] {
  return Array.from({ length: ORDERS }, (_, n) => {
    const at = task * ORDERS + n;
    return { name: `${ability}-${at}`, manner: MANNERS[at % MANNERS.length] as Manner };
  });
}

/** Pays with an ability while its worker is killed again and again. */
async function payUnderKills(ability: 'asks' | 'blind'): Promise<Paid[]> {
  const random = chance(SEED);
  const requests = service.requests();
  let isOver = false;
  let kills = 0;
  const kill = async (): Promise<void> => {
    while (kills < MAX_KILLS) {
      const until = service.requests() + BETWEEN[0] + random() * (BETWEEN[1] - BETWEEN[0]);
      while (!isOver && service.requests() < until) await pause(50);
      if (isOver) return;
      await lane.killWorker();
      kills += 1;
      await lane.startWorker();
    }
  };
  const pay = async (task: number): Promise<Paid> => {
    const orders = ordersOf(ability, task);
    const key = await lane.create({
      ability,
      key: `${ability}-${task}`,
      input: { orders: orders as never },
      leaves: true,
    });
    return { orders, result: await ended(key) };
  };
  // The first tasks are formed before the first kill: what is to be hit is their calls.
  const killing = kill();
  const paid = await Promise.all(Array.from({ length: TASKS }, (_, task) => pay(task)));
  isOver = true;
  await killing;
  expect(kills).toBeGreaterThan(WHOLE ? 5 : 0);
  say(`${ability}: ${CALLS} calls, ${kills} kills, ${service.requests() - requests} requests to pay (seed ${SEED})`);
  return paid;
}

/** How the call for each order ended. */
function endsOf(paid: readonly Paid[]): { order: Order; status: string; times: number }[] {
  return paid.flatMap(({ orders, result }) => {
    const { failures = [], failures_left_out: left = 0 } = result.steps.find(({ path }) => path === 'all') ?? {};
    expect(left).toBe(0);
    return orders.map((order, item) => {
      const failure = failures.find((one) => one.item === item);
      // The last attempt may have been lost with its worker.
      const status = failure?.status === 'timed_out' ? 'failed' : (failure?.status ?? 'succeeded');
      return { order, status, times: service.paid(order.name) };
    });
  });
}

type Ends = ReturnType<typeof endsOf>;

function count(ends: Ends, status: string, manner?: Manner): number {
  return ends.filter((one) => one.status === status && (manner ?? one.order.manner) === one.order.manner).length;
}

function sum(ends: Ends): string {
  return `${count(ends, 'succeeded')} succeeded, ${count(ends, 'failed')} failed, ${count(ends, 'unknown')} unknown`;
}

/** None may be paid twice, and what is said of it must be so. */
function wrongIn(ends: Ends): Ends {
  return ends.filter(({ status, times }) => {
    if (status === 'unknown') return times > 1;
    return times !== (status === 'succeeded' ? 1 : 0);
  });
}

test(`${CALLS} payments under kill -9 of the worker: none is paid twice, and only what nobody can tell is unknown`, {
  ...LONG,
  timeout: LIMIT_MS,
}, async () => {
  const paid = await payUnderKills('asks');
  const ends = endsOf(paid);
  say(`asks: ${sum(ends)}`);
  expect(wrongIn(ends)).toEqual([]);
  // Where kills let no request through, the service says so, and that is no lie.
  const isLiedAbout = ({ name, manner }: Order): boolean => manner === 'lies' && service.received(name);
  expect(ends.filter(({ order, status }) => (status === 'unknown') !== isLiedAbout(order))).toEqual([]);
  // Others fail where kills took all their attempts: that they were not paid is checked above.
  expect(ends.filter(({ order, status }) => order.manner === 'breaks' && status !== 'failed')).toEqual([]);
  service.becomeHonest();
  const settled = await Promise.all(
    paid.map(async ({ orders, result }) => {
      const again = { ...retryBy(), run: true, reconcile: true } as const;
      const { id } = await retryTask(lane.connection, result.task_key as string, again);
      return { orders, result: await ended(id) };
    }),
  );
  say(`reconciled: ${sum(endsOf(settled))}`);
  expect(wrongIn(endsOf(settled))).toEqual([]);
  expect(count(endsOf(settled), 'unknown')).toBe(0);
});

test('without `unknown` they are unknown wherever the answer was lost', { ...LONG, timeout: LIMIT_MS }, async () => {
  const ends = endsOf(await payUnderKills('blind'));
  say(`blind: ${sum(ends)}`);
  expect(wrongIn(ends)).toEqual([]);
  expect(ends.filter(({ order, status }) => order.manner !== 'fine' && status !== 'unknown')).toEqual([]);
});
