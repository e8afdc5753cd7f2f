import { createHmac, timingSafeEqual } from 'node:crypto';
import { AbilityError } from '../../../contracts/problem.js';
import type { Headers } from '../webhooks/check-signature.js';

/** How far the time of a request may be from ours, either way. Source: https://docs.slack.dev/authentication/verifying-requests-from-slack. */
const TOLERANCE_MS = 5 * 60_000;

/** Requests that were taken, so that none is taken twice. */
export class TakenRequests {
  /** When a signature is no longer valid, in milliseconds since 1970; the oldest comes first. */
  private readonly ends = new Map<string, number>();

  /** Takes a request that Slack signed, once. @param now milliseconds since 1970. @throws AbilityError `door.unsigned`. */
  take(secret: string, headers: Headers, body: Buffer, now: number): void {
    const { seconds, signature } = readSignature(headers);
    const wanted = createHmac('sha256', secret).update(`v0:${seconds}:`).update(body).digest();
    if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex'))) throw unsigned('its signature does not fit it');
    if (Math.abs(now - Number(seconds) * 1000) > TOLERANCE_MS) {
      throw unsigned(`its time, ${seconds}, differs from ours by more than five minutes`);
    }
    for (const [old, end] of this.ends) {
      if (end > now) break;
      this.ends.delete(old);
    }
    if (this.ends.has(signature)) throw unsigned('it was received before');
    // One whose time is ahead of ours stays valid for longer.
    this.ends.set(signature, now + 2 * TOLERANCE_MS);
  }
}

/** Unchecked. @throws AbilityError `door.unsigned` if there is none. */
export function readSignature(headers: Headers): { seconds: string; signature: string } {
  const seconds = String(headers['x-slack-request-timestamp'] ?? '');
  const [, signature] = /^v0=([0-9a-f]{64})$/.exec(String(headers['x-slack-signature'] ?? '')) ?? [];
  if (/^\d{1,12}$/.test(seconds) && signature !== undefined) return { seconds, signature };
  throw unsigned('it has no signature of Slack');
}

function unsigned(why: string): AbilityError {
  return new AbilityError({
    code: 'door.unsigned',
    message: `The request is not accepted: ${why}`,
    suggestion: 'Compare the signing secret of the Slack app with `slack.signing_secret`, and the clocks.',
  });
}
