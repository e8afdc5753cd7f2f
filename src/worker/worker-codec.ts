import { ApplicationFailure, type Payload, type PayloadCodec } from '@temporalio/common';
import { AbilityError } from '../contracts/problem.js';
import type { SpillingCodec } from '../server/payloads/payload-codec.js';

/**
 * Turns the codec's failures into Temporal's, with the code as type and the problem as details. Only the codec
 * can: the worker decodes inputs before any of our code runs. Retryable: another worker may see the store.
 */
export class WorkerCodec implements PayloadCodec {
  constructor(private readonly inner: PayloadCodec & Pick<SpillingCodec, 'keys'>) {}

  /** Whether it encrypts; then failures are encoded, too. */
  get encrypts(): boolean {
    return this.inner.keys !== null;
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    return this.inner.encode(payloads).catch(failAs);
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    return this.inner.decode(payloads).catch(failAs);
  }
}

function failAs(error: unknown): never {
  if (!(error instanceof AbilityError)) throw error;
  const { code: type, message } = error;
  throw ApplicationFailure.create({ type, message, details: [error.toProblem()], nonRetryable: false });
}
