import { AbilityError } from '../../../contracts/problem.js';

/** Where a store is in an object store. */
export interface S3Place {
  bucket: string;
  /** Before the names of all objects: empty, or ends with `/`. */
  prefix: string;
  /** As it is shown to people: `s3://bucket/prefix`. */
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
      suggestion:
        'Write s3://bucket or s3://bucket/prefix; region, endpoint and credentials come from AWS_* variables.',
    });
  }
  const prefix = parts.map((part) => `${part}/`).join('');
  return { bucket, prefix, where: `s3://${[bucket, ...parts].join('/')}` };
}
