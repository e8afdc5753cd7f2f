import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Connection,
  type ConnectionOptions,
  type defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

/** A server that says nothing for so long does not answer; its longest polls take a third of it. */
const SILENCE_MS = 70_000;

/**
 * The calls over one connection: each has a deadline, obeys the abort signal of its context, fired or not, and ends with its connection.
 */
export class ConnectionCalls {
  private readonly underWay = new Set<RetriedCall>();
  private readonly signals = new AsyncLocalStorage<AbortSignal>();
  private isClosed = false;

  /** For the connection, in place of the Temporal client's own. */
  readonly interceptor: Interceptor;

  constructor(retry: RetryOptions) {
    // It supplies the class that gRPC requires; the interceptor it wraps does the work.
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

/** When a call is made again, and how long after its failure. */
export type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;
/** As the gRPC client takes it. */
type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
/** The call behind an interceptor. */
export type Call = ReturnType<Parameters<Interceptor>[1]>;
type Listener = NonNullable<Parameters<Call['start']>[1]>;
type Metadata = Parameters<Call['start']>[0];
type Status = Parameters<Parameters<typeof makeGrpcRetryInterceptor>[0]['retryableDecider']>[1];

const CANCELLED = 1;

/** Ends a running call. */
interface CallLimits {
  /** Milliseconds on the clock of `Date.now()`: after it no attempt begins. */
  deadline: number;
  signal: AbortSignal | undefined;
  /** Called once, when the call has ended. */
  onEnd(): void;
}

/**
 * A unary call that is made again when it fails.
 *
 * The interceptor of the Temporal client cancels its first attempt alone, and makes another one on a closed connection, whose error nothing
 * catches; this one ends at once, during any attempt or between two.
 */
class RetriedCall implements Call {
  private attempt = 1;
  private current: Call;
  private listener: Listener = {};
  private metadata: Metadata | undefined;
  private message: unknown;
  private answer: unknown = null;
  private waiting: { timer: NodeJS.Timeout; status: Status } | undefined;
  private isCancelled = false;

  constructor(
    private readonly nextCall: () => Call,
    private readonly retry: RetryOptions,
    private readonly limits: CallLimits,
  ) {
    this.current = nextCall();
  }

  start(metadata: Metadata, listener: Listener = {}): void {
    this.metadata = metadata;
    this.listener = listener;
    this.begin(metadata);
    const { signal } = this.limits;
    signal?.addEventListener('abort', this.end);
    // The Temporal client does not hear a signal that fired before the call.
    if (signal?.aborted) this.end();
  }

  /** Ends the call at once. */
  readonly end = (): void => this.cancelWithStatus(CANCELLED, 'Cancelled on client');

  cancelWithStatus(code: number, details: string): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    const { waiting } = this;
    if (!waiting) {
      this.current.cancelWithStatus(code, details);
      return;
    }
    clearTimeout(waiting.timer);
    this.finish({ ...waiting.status, code, details });
  }

  sendMessageWithContext(context: Parameters<Call['sendMessageWithContext']>[0], message: unknown): void {
    this.message = message;
    this.current.sendMessageWithContext(context, message);
  }

  sendMessage(message: unknown): void {
    this.message = message;
    this.current.sendMessage(message);
  }

  halfClose(): void {
    this.current.halfClose();
  }

  startRead(): void {
    this.current.startRead();
  }

  getPeer(): string {
    return this.current.getPeer();
  }

  getAuthContext(): ReturnType<Call['getAuthContext']> {
    return this.current.getAuthContext();
  }

  private begin(metadata: Metadata): void {
    this.current.start(metadata, {
      onReceiveMetadata: (received) => this.listener.onReceiveMetadata?.(received),
      onReceiveMessage: (answer) => {
        this.answer = answer;
      },
      onReceiveStatus: (status) => this.ended(status),
    });
  }

  private ended(status: Status): void {
    const delay = this.retry.delayFunction(this.attempt, status);
    const isLast = this.isCancelled || Date.now() + delay >= this.limits.deadline;
    if (isLast || !this.retry.retryableDecider(this.attempt, status)) {
      this.finish(status);
      return;
    }
    this.waiting = { status, timer: setTimeout(() => this.again(status), delay) };
  }

  private again(status: Status): void {
    this.waiting = undefined;
    this.attempt += 1;
    try {
      this.current = this.nextCall();
      if (this.metadata) this.begin(this.metadata);
      this.current.sendMessage(this.message);
      this.current.halfClose();
    } catch {
      // The connection is closed: the status of the last attempt is final.
      this.finish(status);
    }
  }

  private finish(status: Status): void {
    this.waiting = undefined;
    this.limits.signal?.removeEventListener('abort', this.end);
    this.limits.onEnd();
    this.listener.onReceiveMessage?.(this.answer);
    this.listener.onReceiveStatus?.(status);
  }
}
