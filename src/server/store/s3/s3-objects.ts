import type { Readable } from 'node:stream';
import type { HeadObjectCommandOutput, ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { makeS3Client } from './s3-client.js';
import { isAbsent, s3Failure } from './s3-errors.js';
import type { S3Place } from './s3-place.js';

/** What an object store says of an object. */
export interface S3Object {
  /** Without the prefix of the store. */
  name: string;
  bytes: number;
  modified: Date;
}

/** The metadata that files carry, so that what others put in their place is seen. */
const SHA256 = 'ability-sha256';

/** The objects of one bucket below one prefix. Every method throws AbilityError `store.full` or `store.not_shared`. */
export class S3Objects {
  private client: Promise<S3Client> | undefined;

  /** @param make a client, once it is needed. */
  constructor(
    readonly place: S3Place,
    private readonly make: () => Promise<S3Client> = makeS3Client,
  ) {}

  /** @param sha256 of the bytes, where the object is a file. */
  async put(name: string, bytes: Uint8Array, sha256?: string): Promise<void> {
    await this.doing(`${name} could not be written`, async (client, { PutObjectCommand }) => {
      const metadata = sha256 === undefined ? {} : { Metadata: { [SHA256]: sha256 } };
      await client.send(new PutObjectCommand({ ...this.at(name), Body: bytes, ...metadata }));
    });
  }

  /** The bytes of an object from one of them on; undefined where there is none. */
  async get(name: string, from = 0): Promise<Readable | undefined> {
    return this.unlessAbsent(`${name} could not be read`, async (client, { GetObjectCommand }) => {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {};
      const { Body } = await client.send(new GetObjectCommand({ ...this.at(name), ...range }));
      // In Node it is one.
      return Body as Readable;
    });
  }

  /** @returns its size, its moment, and the digest that it was kept under; undefined where there is none. */
  async look(name: string): Promise<(Omit<S3Object, 'name'> & { sha256: string | undefined }) | undefined> {
    const found = await this.unlessAbsent<HeadObjectCommandOutput>(
      `${name} could not be looked at`,
      async (client, { HeadObjectCommand }) => client.send(new HeadObjectCommand(this.at(name))),
    );
    if (!found) return undefined;
    const { ContentLength: bytes = 0, LastModified: modified = new Date(0), Metadata } = found;
    return { bytes, modified, sha256: Metadata?.[SHA256] };
  }

  async remove(name: string): Promise<void> {
    await this.doing(`${name} could not be removed`, async (client, { DeleteObjectCommand }) => {
      await client.send(new DeleteObjectCommand(this.at(name)));
    });
  }

  /** Objects whose names begin so, sorted by name. */
  async *list(prefix: string): AsyncIterable<S3Object> {
    let after: string | undefined;
    do {
      const page = await this.doing(`${prefix} could not be listed`, async (client, { ListObjectsV2Command }) =>
        client.send(
          new ListObjectsV2Command({
            Bucket: this.place.bucket,
            Prefix: this.place.prefix + prefix,
            ContinuationToken: after,
          }),
        ),
      );
      for (const { Key = '', Size: bytes = 0, LastModified: modified = new Date(0) } of page.Contents ?? []) {
        yield { name: Key.slice(this.place.prefix.length), bytes, modified };
      }
      after = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (after !== undefined);
  }

  /**
   * Writes an object in parts, one at a time while the next is read; the object is there once all of them are.
   *
   * @param parts in order; each must hold its bytes until the next but one is asked for. @throws also the error of their stream.
   */
  async upload(name: string, parts: AsyncIterator<Buffer>, sha256?: string): Promise<void> {
    await this.doing(`${name} could not be written`, async (client, sdk) => {
      const at = this.at(name);
      const metadata = sha256 === undefined ? {} : { Metadata: { [SHA256]: sha256 } };
      const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ ...at, ...metadata }));
      try {
        const Parts = await sendParts(parts, async (part, number) => {
          const sent = new sdk.UploadPartCommand({ ...at, UploadId, PartNumber: number, Body: part });
          const { ETag } = await client.send(sent);
          return { ETag, PartNumber: number };
        });
        await client.send(new sdk.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
      } catch (error) {
        // What stays is given up later, see abortUploads.
        await client.send(new sdk.AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => {});
        throw error;
      }
    });
  }

  /** Gives an object of at most 5 GiB another name, under which it is a file. */
  async move(from: string, to: string, sha256: string): Promise<void> {
    await this.doing(`${to} could not be written`, async (client, { CopyObjectCommand }) => {
      const { Bucket, Key } = this.at(from);
      const source = [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/');
      const metadata = { MetadataDirective: 'REPLACE' as const, Metadata: { [SHA256]: sha256 } };
      await client.send(new CopyObjectCommand({ ...this.at(to), CopySource: source, ...metadata }));
    });
    await this.remove(from);
  }

  /** Gives up what was uploaded of objects that were begun before a moment and are not complete. */
  async abortUploads(before: Date): Promise<void> {
    await this.doing('Uploads could not be given up', async (client, sdk) => {
      const { bucket: Bucket, prefix: Prefix } = this.place;
      let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
      while (next) {
        const page: ListMultipartUploadsCommandOutput = await client.send(
          new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...next }),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (!Initiated || Initiated >= before) continue;
          await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
        }
        const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        next = IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
      }
    });
  }

  private at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.place.bucket, Key: this.place.prefix + name };
  }

  private async unlessAbsent<T>(what: string, action: Action<T>): Promise<T | undefined> {
    return this.doing(what, (client, sdk) =>
      action(client, sdk).catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      }),
    );
  }

  private async doing<T>(what: string, action: Action<T>): Promise<T> {
    try {
      this.client ??= this.make();
      return await action(await this.client, await import('@aws-sdk/client-s3'));
    } catch (error) {
      throw s3Failure(what, this.place, error);
    }
  }
}

type Action<T> = (client: S3Client, sdk: typeof import('@aws-sdk/client-s3')) => Promise<T>;

/** Sends parts in order. @param send a part, with its number from 1 on. @returns what each of them gave. */
async function sendParts<T>(
  parts: AsyncIterator<Buffer>,
  send: (part: Buffer, number: number) => Promise<T>,
): Promise<T[]> {
  const sent: T[] = [];
  for (let next = parts.next(); ; ) {
    const { done, value } = await next;
    if (done) return sent;
    next = parts.next();
    // Where sending fails it is not waited for.
    next.catch(() => {});
    sent.push(await send(value, sent.length + 1));
  }
}
