import { createHmac, timingSafeEqual } from 'node:crypto';
import { AbilityError } from '../../../contracts/problem.js';
import { standardKey, standardMac } from '../../../planning/triggers/standard-webhooks.js';

export type Headers = Record<string, string | string[] | undefined>;

/** How a delivery was signed, and the sender's id for it. */
export interface Signed {
  scheme: 'github' | 'standard';
  /** Not signed by GitHub; undefined if it was not sent. */
  delivery: string | undefined;
}

/** How far a message of Standard Webhooks may be from now, by its specification. */
const TOLERANCE_SECONDS = 5 * 60;

/** A sender has fewer keys; further signatures are not tried. */
const MAX_SIGNATURES = 10;

/**
 * Before reading the body; a request without a signature does not learn which webhooks exist. @throws AbilityError
 * `door.unsigned`.
 */
export function refuseUnsigned(headers: Headers): void {
  if (headers['x-hub-signature-256'] !== undefined || headers['webhook-signature'] !== undefined) return;
  const isOld = headers['x-hub-signature'] !== undefined;
  throw unsigned(isOld ? 'It is signed with SHA-1 alone' : 'It has no signature');
}

/**
 * Checks the bytes received; signatures of both kinds must both be good. @param secret of GitHub any text, of
 * Standard Webhooks `whsec_` and base64. @param now milliseconds since 1970. @throws AbilityError `door.unsigned`.
 */
export function checkSignature(secret: string, headers: Headers, body: Buffer, now: number): Signed {
  refuseUnsigned(headers);
  const isStandard = headers['webhook-signature'] !== undefined;
  const isGithub = headers['x-hub-signature-256'] !== undefined;
  if (isGithub && !isSignedByGithub(secret, headers, body)) throw notFitting();
  if (!isStandard) return { scheme: 'github', delivery: textOf(headers['x-github-delivery']) };
  const id = checkStandard(secret, headers, body, now);
  return { scheme: 'standard', delivery: id };
}

function isSignedByGithub(secret: string, headers: Headers, body: Buffer): boolean {
  const [, digits] = /^sha256=([0-9a-f]{64})$/.exec(textOf(headers['x-hub-signature-256']) ?? '') ?? [];
  if (digits === undefined) return false;
  const wanted = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(digits, 'hex'));
}

/** @returns the message's id, which the signature covers. */
function checkStandard(secret: string, headers: Headers, body: Buffer, now: number): string {
  const id = textOf(headers['webhook-id']);
  const seconds = textOf(headers['webhook-timestamp']);
  const signatures = textOf(headers['webhook-signature'])?.split(' ') ?? [];
  // Full stops separate the signed parts, so an id with one could be read as another message.
  if (id === undefined || id === '' || id.includes('.') || !/^\d{1,12}$/.test(seconds ?? '')) throw notFitting();
  const key = standardKey(secret);
  if (!key) throw notFitting();
  const wanted = Buffer.from(standardMac(key, id, seconds as string, body));
  const isGood = signatures.slice(0, MAX_SIGNATURES).some((signature) => {
    const given = Buffer.from(signature.startsWith('v1,') ? signature.slice('v1,'.length) : '');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  if (!isGood) throw notFitting();
  if (Math.abs(now / 1000 - Number(seconds)) <= TOLERANCE_SECONDS) return id;
  throw unsigned(`Its timestamp, ${seconds}, differs from ours by more than ${TOLERANCE_SECONDS / 60} minutes`);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function notFitting(): AbilityError {
  return unsigned('The signature does not fit the body and the secret');
}

function unsigned(why: string): AbilityError {
  return new AbilityError({
    code: 'door.unsigned',
    message: `The webhook is not accepted: ${why.charAt(0).toLowerCase()}${why.slice(1)}`,
    suggestion:
      'Sign it as GitHub does (`X-Hub-Signature-256`) or as Standard Webhooks specifies (`webhook-signature`).',
  });
}
