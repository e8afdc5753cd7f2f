import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { SpillingCodec } from '../payloads/payload-codec.js';

/** A failure of Temporal's API, as far as it is read here. */
interface Failure {
  message?: string | null;
  encodedAttributes?: Payload | null;
  cause?: Failure | null;
}

/**
 * Puts the messages of failures back that a worker encrypted, in place: of events of a history, of pending calls. A failure that
 * cannot be decrypted here keeps its text, which says that it is encoded.
 */
export function openFailures<T extends object>(
  codec: Pick<SpillingCodec, 'decrypted'>,
  found: readonly T[],
): readonly T[] {
  for (const each of found) {
    for (const part of Object.values(each)) {
      if (part === null || typeof part !== 'object') continue;
      const { failure, lastFailure } = part as { failure?: Failure; lastFailure?: Failure };
      openFailure(codec, failure);
      openFailure(codec, lastFailure);
    }
    openFailure(codec, (each as { lastFailure?: Failure }).lastFailure);
  }
  return found;
}

function openFailure(codec: Pick<SpillingCodec, 'decrypted'>, failure: Failure | null | undefined): void {
  if (!failure) return;
  openFailure(codec, failure.cause);
  if (!failure.encodedAttributes) return;
  try {
    const { message } = defaultPayloadConverter.fromPayload<{ message?: string }>(
      codec.decrypted(failure.encodedAttributes),
    );
    if (message !== undefined) failure.message = message;
  } catch {
    // Shown as it is.
  }
}
