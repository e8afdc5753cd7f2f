import { ApplicationFailure, type Payload, type PayloadCodec } from '@temporalio/common';
import { AbilityError } from '../contracts/problem.js';

/**
 * A codec whose failures Temporal carries as problems of ours: with the code as type, and the problem as details.
 *
 * The worker decodes the input of a workflow or a call before any code of ours runs, so only the codec can do this.
 * Another worker may have the store that this one does not see, so the call may be retried.
 */
export class WorkerCodec implements PayloadCodec {
  constructor(private readonly inner: PayloadCodec) {}

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
