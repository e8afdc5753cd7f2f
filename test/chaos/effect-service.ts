/** The outside world: an HTTP service that accepts effects and counts them, outside of the worker's process. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached the service. */
export interface Delivery {
  /** Name of the effect, from the path. */
  name: string;
  key: string;
  body: string;
  /** Time of arrival, in milliseconds since the epoch. */
  at: number;
  /** Whether the caller was gone before it received the answer. */
  isCut: boolean;
}

/** A request that has had its effect and waits for its answer. */
export interface Waiting extends Delivery {
  answer(): void;
}

/** A service that carries out each effect once per key. */
export interface EffectService {
  origin: string;
  /** Every request, in the order of arrival. */
  deliveries: Delivery[];
  /** Key to the number assigned when its effect took place; every answer repeats it. */
  effects: Map<string, number>;
  /** Holds back the answers to the calls of a task until they are released. */
  hold(task: string): void;
  /** Calls of a task that wait for their answer. */
  waiting(task: string): Waiting[];
  /** Sends all answers that were held back, and from now on answers at once. */
  release(task: string): void;
  stop(): Promise<void>;
}

/**
 * `POST /refuse` is refused; on any other path the effect takes place at once, the answer `answerAfterMs` later.
 */
export async function startEffects(answerAfterMs: () => number = () => 0): Promise<EffectService> {
  const deliveries: Delivery[] = [];
  const effects = new Map<string, number>();
  const held = new Map<string, Waiting[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const key = String(request.headers['idempotency-key']);
      const body = Buffer.concat(chunks).toString('utf8');
      const delivery = { name: String(request.url).slice(1), key, body, at: Date.now(), isCut: false };
      deliveries.push(delivery);
      response.on('close', () => (delivery.isCut = !response.writableFinished));
      const isRefused = delivery.name === 'refuse';
      if (!isRefused && !effects.has(key)) effects.set(key, effects.size + 1);
      answerLater(delivery, response, isRefused);
    });
  });

  function answerLater(delivery: Delivery, response: ServerResponse, isRefused: boolean): void {
    const waiting = held.get(delivery.key.replace(/\/.*$/, ''));
    const answer = (): void => {
      waiting?.splice(waiting.indexOf(entry), 1);
      response.writeHead(isRefused ? 422 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRefused ? { no: true } : { effect: effects.get(delivery.key) }));
    };
    const entry = { ...delivery, answer };
    if (!waiting) {
      const delay = answerAfterMs();
      if (delay > 0) setTimeout(answer, delay);
      else answer();
      return;
    }
    waiting.push(entry);
    response.on('close', () => {
      if (waiting.includes(entry)) waiting.splice(waiting.indexOf(entry), 1);
    });
  }

  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    effects,
    hold: (task) => void held.set(task, []),
    waiting: (task) => held.get(task) ?? [],
    release: (task) => {
      const waiting = [...(held.get(task) ?? [])];
      held.delete(task);
      for (const { answer } of waiting) answer();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
