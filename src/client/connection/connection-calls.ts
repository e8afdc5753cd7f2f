import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Connection,
  type ConnectionOptions,
  type defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

/** The default deadline of a call; the longest polls of a server take a third of it. */
const SILENCE_MS = 70_000;

/** Each has a deadline, obeys its abort signal, even one fired before, and ends with the connection. */
export class ConnectionCalls {
  private readonly underWay = new Set<RetriedCall>();
  private readonly signals = new AsyncLocalStorage<AbortSignal>();
  private isClosed = false;

  readonly interceptor: Interceptor;

  constructor(retry: RetryOptions) {
    // Only supplies the class that gRPC requires; `RetriedCall` retries.
    const passOn = makeGrpcRetryInterceptor({ ...retry, retryableDecider: () => false });
    this.interceptor = (options, nextCall) => {
      const deadline = Number(options.deadline ?? Date.now() + SILENCE_MS);
      return passOn(options, () => this.begin(() => nextCall({ ...options, deadline }), retry, deadline));
    };
  }

  /** Applies the connection's abort signals and its closing to all its calls. */
  attach(connection: Connection): Connection {
    const close = connection.close.bind(connection);
    // Not also the SDK's own way, which adds a listener for each call and never removes one.
    connection.withAbortSignal = async (signal, action) => this.signals.run(signal, action);
    connection.close = async () => {
      this.isClosed = true;
      for (const call of [...this.underWay]) call.end();
      // Node 20 visits each storage that is in use whenever a promise is made.
      this.signals.disable();
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

/** Which failures are retried, and after which delay. */
export type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;
type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;
type Listener = NonNullable<Parameters<Call['start']>[1]>;
type Metadata = Parameters<Call['start']>[0];
type Status = Parameters<Parameters<typeof makeGrpcRetryInterceptor>[0]['retryableDecider']>[1];

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
/** How much earlier than here a deadline may be over at the server. */
const AHEAD_MS = 500;

interface CallLimits {
  /** No attempt begins after it. Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal | undefined;
  onEnd(): void;
}

/**
 * A unary call with retries that a cancellation ends at once, during an attempt or between two. The Temporal
 * client's interceptor cancels only its first attempt and retries on a closed connection, with an uncaught error.
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
    // The Temporal client ignores a signal that fired before the call.
    if (signal?.aborted) this.end();
  }

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

  private ended(given: Status): void {
    // A server resets the stream of a call whose deadline is over, which gRPC reads as a cancellation.
    const isLate = given.code === CANCELLED && !this.isCancelled && Date.now() > this.limits.deadline - AHEAD_MS;
    const status = isLate ? { ...given, code: DEADLINE_EXCEEDED } : given;
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
      // The connection is closed; report the last attempt's status.
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
