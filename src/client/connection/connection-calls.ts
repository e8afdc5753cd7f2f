import { AsyncLocalStorage } from 'node:async_hooks';
import { type Connection, makeGrpcRetryInterceptor } from '@temporalio/client';
import { type Interceptor, RetriedCall, type RetryOptions } from './retried-call.js';

/** A server that says nothing for so long does not answer; its longest polls take a third of it. */
const SILENCE_MS = 70_000;

/**
 * The calls over one connection: each of them has a deadline, hears the signal that it is made under, fired or not, and
 * ends with its connection.
 */
export class ConnectionCalls {
  private readonly underWay = new Set<RetriedCall>();
  private readonly signals = new AsyncLocalStorage<AbortSignal>();
  private isClosed = false;

  /** For the connection, in place of the Temporal client's own. */
  readonly interceptor: Interceptor;

  constructor(retry: RetryOptions) {
    // It brings the class that gRPC wants; what it passes on to does the work.
    const passOn = makeGrpcRetryInterceptor({ ...retry, retryableDecider: () => false });
    this.interceptor = (options, nextCall) => {
      const deadline = Number(options.deadline ?? Date.now() + SILENCE_MS);
      return passOn(options, () => this.begin(() => nextCall({ ...options, deadline }), retry, deadline));
    };
  }

  /** Makes the signals of a connection, and its end, count for all its calls. */
  attach(connection: Connection): Connection {
    const withAbortSignal = connection.withAbortSignal.bind(connection);
    const close = connection.close.bind(connection);
    connection.withAbortSignal = (signal, action) => this.signals.run(signal, () => withAbortSignal(signal, action));
    connection.close = async () => {
      this.isClosed = true;
      for (const call of [...this.underWay]) call.end();
      await close();
    };
    return connection;
  }

  private begin(nextCall: () => ReturnType<Parameters<Interceptor>[1]>, retry: RetryOptions, deadline: number) {
    const decide = { ...retry, retryableDecider: this.unlessClosed(retry.retryableDecider) };
    const signal = this.signals.getStore();
    const call: RetriedCall = new RetriedCall(nextCall, decide, {
      deadline,
      signal,
      onEnd: () => void this.underWay.delete(call),
    });
    this.underWay.add(call);
    return call;
  }

  private unlessClosed(decide: RetryOptions['retryableDecider']): RetryOptions['retryableDecider'] {
    return (attempt, status) => !this.isClosed && decide(attempt, status);
  }
}
