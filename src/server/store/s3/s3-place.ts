import { AbilityError } from '../../../contracts/problem.js';

const NO_ROOM = new Set(['QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull', 'InsufficientStorage']);
const ABSENT = new Set(['NoSuchKey', 'NotFound']);

/** True for a missing object; a missing bucket is different. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(nameOf(error));
}

/** True if a conditional write found the name taken, or about to be. */
export function isTaken(error: unknown): boolean {
  return nameOf(error) === 'PreconditionFailed' || nameOf(error) === 'ConditionalRequestConflict';
}

/** `store.full` if there is no room, else `store.not_shared`. @param what such as `NAME could not be read`. */
export function s3Failure(what: string, { bucket, where }: S3Place, cause: unknown): AbilityError {
  if (cause instanceof AbilityError) return cause;
  const isFull = NO_ROOM.has(nameOf(cause)) || statusOf(cause) === 507;
  return new AbilityError(
    {
      code: isFull ? 'store.full' : 'store.not_shared',
      message: `${what} in ${where}: ${reasonOf(cause)}`,
      suggestion: isFull ? 'Make room there, or point ABILITY_STORE elsewhere.' : adviceFor(bucket, cause),
    },
    { cause },
  );
}

function adviceFor(bucket: string, cause: unknown): string {
  const name = nameOf(cause);
  if (name === 'NoSuchBucket')
    return `Make the bucket ${bucket}, or correct ABILITY_STORE, AWS_REGION or AWS_ENDPOINT_URL.`;
  if (name === 'CredentialsProviderError') {
    return 'Give this process AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role.';
  }
  if (name.startsWith('Region')) return 'Set AWS_REGION to the region of the bucket.';
  const status = statusOf(cause);
  if (status === 401 || status === 403) {
    return `Check the credentials, and that they may get, put, delete and list objects in ${bucket}: docs/operations.md.`;
  }
  if (status === 301 || status === 400)
    return `Check that AWS_REGION and AWS_ENDPOINT_URL are those of the bucket ${bucket}.`;
  return `Check that the store of the bucket ${bucket} is reached from here: AWS_ENDPOINT_URL, AWS_REGION, the network; then ability doctor.`;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  // When several addresses fail, Node throws one error without a message.
  const text = cause.message || code || cause.name;
  return [nameOf(cause), 'Error'].includes(text) || nameOf(cause) === 'Error' ? text : `${nameOf(cause)}: ${text}`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

export interface S3Place {
  bucket: string;
  /** Prefix of all object names: empty, or ends with `/`. */
  prefix: string;
  /** `s3://bucket/prefix`, for people. */
  where: string;
}

const PLACE = /^s3:\/\/([^/?#]*)\/?([^?#]*)$/i;
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;
const PREFIX = /^[^\\\s]*$/;

/** Reads `s3://bucket/prefix`. @throws AbilityError `config.invalid`. */
export function readS3Place(place: string): S3Place {
  const [, bucket = '', path = ''] = PLACE.exec(place) ?? [];
  const parts = path.split('/').filter((part) => part !== '');
  if (!BUCKET.test(bucket) || !PREFIX.test(path) || parts.some((part) => part === '.' || part === '..')) {
    throw new AbilityError({
      code: 'config.invalid',
      message: `ABILITY_STORE is ${place}, which names no bucket and prefix`,
      suggestion: 'Use s3://bucket or s3://bucket/prefix; region, endpoint and credentials come from AWS_* variables.',
    });
  }
  const prefix = parts.map((part) => `${part}/`).join('');
  return { bucket, prefix, where: `s3://${[bucket, ...parts].join('/')}` };
}
