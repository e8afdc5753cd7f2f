import type { ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** When a call is made again, and how long after its failure. */
export type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;
/** As the gRPC client takes it. */
export type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
/** What an interceptor passes on to. */
export type Call = ReturnType<Parameters<Interceptor>[1]>;
type Listener = NonNullable<Parameters<Call['start']>[1]>;
type Metadata = Parameters<Call['start']>[0];
type Status = Parameters<Parameters<typeof makeGrpcRetryInterceptor>[0]['retryableDecider']>[1];

const CANCELLED = 1;

/** What ends a call that is under way. */
export interface CallLimits {
  /** Milliseconds on the clock of `Date.now()`: after it no attempt begins. */
  deadline: number;
  signal: AbortSignal | undefined;
  /** Told once, when the call has ended. */
  onEnd(): void;
}

/**
 * A unary call that is made again when it fails.
 *
 * The interceptor of the Temporal client cancels its first attempt alone, and makes another one on a closed connection,
 * where nothing catches what that throws; this one ends at once, whichever attempt is under way, or none.
 */
export class RetriedCall implements Call {
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

  /** Ends the call, whatever it is doing. */
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
      // The connection is closed: what the last attempt said holds.
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
