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

/** What the headers of Standard Webhooks begin with; Svix signs in the same way under its own names. */
const STANDARD = ['webhook', 'svix'] as const;

/** Headers by which senders sign in a way of their own; the word in them is the name of the sender. */
const OTHER =
  /^(?:x-)?(buildkite|calendly|circleci|docusign|dropbox|gitlab|heroku|hubspot|linear|paddle|pagerduty|paypal|sentry|shopify|slack|square|stripe|twilio|typeform|vercel|xero|zendesk)-.*(?:sig|token|hmac)/;

/**
 * Before reading the body; a request without a signature does not learn which webhooks exist. @throws AbilityError
 * `door.unsigned`.
 */
export function refuseUnsigned(headers: Headers): void {
  if (headers['x-hub-signature-256'] !== undefined || schemesIn(headers).length > 0) return;
  const old = textOf(headers['x-hub-signature']);
  const [header, sender] = Object.keys(headers).flatMap((name) => OTHER.exec(name) ?? []);
  if (sender) throw unsigned(`the way of ${sender} to sign (\`${header}..\`) is not supported`);
  if (old === undefined) throw unsigned('it has no signature');
  throw unsigned(
    old.startsWith('sha256=') ? 'the way of bitbucket to sign is not supported' : 'it is signed with SHA-1 alone',
  );
}

function schemesIn(headers: Headers): (typeof STANDARD)[number][] {
  return STANDARD.filter((prefix) => headers[`${prefix}-signature`] !== undefined);
}

/**
 * Checks the bytes received; signatures of several kinds must all be good. @param secret of GitHub any text, of
 * Standard Webhooks `whsec_` and base64. @param now milliseconds since 1970. @throws AbilityError `door.unsigned`.
 */
export function checkSignature(secret: string, headers: Headers, body: Buffer, now: number): Signed {
  refuseUnsigned(headers);
  const isGithub = headers['x-hub-signature-256'] !== undefined;
  if (isGithub && !isSignedByGithub(secret, headers, body)) throw notFitting();
  const [id] = schemesIn(headers).map((prefix) => checkStandard(prefix, secret, headers, body, now));
  if (id === undefined) return { scheme: 'github', delivery: textOf(headers['x-github-delivery']) };
  return { scheme: 'standard', delivery: id };
}

function isSignedByGithub(secret: string, headers: Headers, body: Buffer): boolean {
  const [, digits] = /^sha256=([0-9a-f]{64})$/.exec(textOf(headers['x-hub-signature-256']) ?? '') ?? [];
  if (digits === undefined) return false;
  const wanted = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(digits, 'hex'));
}

/** @returns the message's id, which the signature covers. */
function checkStandard(prefix: string, secret: string, headers: Headers, body: Buffer, now: number): string {
  const id = textOf(headers[`${prefix}-id`]);
  const seconds = textOf(headers[`${prefix}-timestamp`]);
  const signatures = textOf(headers[`${prefix}-signature`])?.split(' ') ?? [];
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
  throw unsigned(`its timestamp, ${seconds}, differs from ours by more than ${TOLERANCE_SECONDS / 60} minutes`);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function notFitting(): AbilityError {
  return unsigned('the signature does not fit the body and the secret');
}

function unsigned(why: string): AbilityError {
  return new AbilityError({
    code: 'door.unsigned',
    message: `The webhook is not accepted: ${why}`,
    suggestion:
      'Sign it as GitHub does (`X-Hub-Signature-256`), or as Standard Webhooks and Svix do (`webhook-signature`, `svix-signature`).',
  });
}
