import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../../src/server/store/open-store.js';
import { readObject, S3Objects } from '../../../../src/server/store/s3/s3-objects.js';
import { readS3Place, s3Failure } from '../../../../src/server/store/s3/s3-place.js';
import { errorOf, errorOfAsync } from '../../error-of.js';

const PLACE = readS3Place('s3://acme-store/team/a');

describe('a place in S3', () => {
  test.each([
    ['s3://acme-store', 'acme-store', '', 's3://acme-store'],
    ['s3://acme-store/', 'acme-store', '', 's3://acme-store'],
    ['S3://acme-store//team/a/', 'acme-store', 'team/a/', 's3://acme-store/team/a'],
  ])('%s is a bucket and a prefix', (text, bucket, prefix, where) => {
    expect(readS3Place(text)).toEqual({ bucket, prefix, where });
    expect(openStore(text, null)).toMatchObject({ where, isShared: true });
  });

  test.each(['s3://', 's3:///x', 's3://a', 's3://b_/x', 's3://acme/../x', 's3://acme/x?region=y', 's3://acme/a b'])(
    '%s is refused',
    (text) => {
      expect(errorOf(() => openStore(text, null))).toMatchObject({
        code: 'config.invalid',
        message: expect.stringContaining(text),
      });
    },
  );
});

describe('a request that S3 refuses', () => {
  const refused = (name: string, httpStatusCode: number): Error =>
    Object.assign(new Error('no'), { name, $metadata: { httpStatusCode } });

  test.each([
    ['AccessDenied', 403, 'store.not_shared', /get, put, delete and list objects in acme-store/],
    ['NoSuchBucket', 404, 'store.not_shared', /bucket acme-store/],
    ['PermanentRedirect', 301, 'store.not_shared', /AWS_REGION/],
    ['SlowDown', 503, 'store.not_shared', /reached from here/],
    ['XMinioStorageFull', 507, 'store.full', /Make room/],
    ['AnyOther', 507, 'store.full', /Make room/],
  ])('with %s (%i) fails with %s, and states what to check', (name, status, code, advice) => {
    const error = s3Failure('x could not be written', PLACE, refused(name, status));
    expect(error).toMatchObject({ code, message: `x could not be written in s3://acme-store/team/a: ${name}: no` });
    expect(error.suggestion).toMatch(advice);
    expect(error.cause).toBeInstanceOf(Error);
  });
});

describe('an object whose connection breaks while it is read', () => {
  const bytes = randomBytes(1000);

  /** Returns at most this many bytes before the connection breaks. */
  class Breaking extends S3Objects {
    readonly offsets: number[] = [];

    constructor(private readonly most: number) {
      super(PLACE);
    }

    override async get(_: string, from = 0): Promise<Readable> {
      this.offsets.push(from);
      const { most } = this;
      return Readable.from(
        (async function* () {
          if (most > 0) yield bytes.subarray(from, from + most);
          if (from + most < bytes.length) throw new Error('the line broke');
        })(),
      );
    }
  }

  test('continues from the first missing byte', async () => {
    const objects = new Breaking(400);
    expect((await buffer(Readable.from(readObject(objects, 'x')))).equals(bytes)).toBe(true);
    expect(objects.offsets).toEqual([0, 400, 800]);
  });

  test('fails with store.not_shared if no more bytes arrive', async () => {
    const objects = new Breaking(0);
    const error = await errorOfAsync(() => buffer(Readable.from(readObject(objects, 'x'))));
    expect(error).toMatchObject({ code: 'store.not_shared', message: expect.stringContaining('the line broke') });
    expect(objects.offsets).toEqual([0, 0, 0]);
  });
});
