import type { Readable } from 'node:stream';
import type {
  HeadObjectCommandOutput,
  ListMultipartUploadsCommandOutput,
  S3Client,
  S3ClientConfig,
} from '@aws-sdk/client-s3';
import { AbilityError } from '../../../contracts/problem.js';
import type { NamedObject } from '../store.js';
import { absent } from '../store-errors.js';
import { isAbsent, isTaken, type S3Place, s3Failure } from './s3-place.js';

/** Metadata of files, to detect objects that others put in their place. */
const SHA256 = 'ability-sha256';

/** The objects of one bucket below one prefix. Every method throws AbilityError `store.full` or `store.not_shared`. */
export class S3Objects {
  private client: Promise<S3Client> | undefined;

  /** @param make creates the client at the first use. */
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

  /** @returns false if the object exists; of several that create it at once, one succeeds. */
  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    const put = await this.unless(isTaken, `${name} could not be created`, (client, { PutObjectCommand }) =>
      client.send(new PutObjectCommand({ ...this.at(name), Body: bytes, IfNoneMatch: '*' })),
    );
    return put !== undefined;
  }

  /** The bytes of an object from an offset on; undefined if it does not exist. */
  async get(name: string, from = 0): Promise<Readable | undefined> {
    return this.unless(isAbsent, `${name} could not be read`, async (client, { GetObjectCommand }) => {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {};
      const { Body } = await client.send(new GetObjectCommand({ ...this.at(name), ...range }));
      // In Node the body is a Readable.
      return Body as Readable;
    });
  }

  /** @returns its size, its time, and the digest that it was kept under; undefined if it does not exist. */
  async look(name: string): Promise<(Omit<NamedObject, 'name'> & { sha256: string | undefined }) | undefined> {
    const found = await this.unless<HeadObjectCommandOutput>(
      isAbsent,
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

  /** Sorted by name. */
  async *list(prefix: string): AsyncIterable<NamedObject> {
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
   * Writes an object in parts, one while the next is read; it appears once all are written. @param parts each must
   * stay valid until the next but one is requested. @throws also the error of their stream.
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
        // `abortUploads` discards leftovers later.
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

  private async unless<T>(is: (error: unknown) => boolean, what: string, action: Action<T>): Promise<T | undefined> {
    return this.doing(what, (client, sdk) =>
      action(client, sdk).catch((error: unknown) => {
        if (is(error)) return undefined;
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

/** Sends parts in order. @param send a part, with its number from 1 on. @returns the results. */
async function sendParts<T>(
  parts: AsyncIterator<Buffer>,
  send: (part: Buffer, number: number) => Promise<T>,
): Promise<T[]> {
  const sent: T[] = [];
  for (let next = parts.next(); ; ) {
    const { done, value } = await next;
    if (done) return sent;
    next = parts.next();
    // Not awaited if sending fails.
    next.catch(() => {});
    sent.push(await send(value, sent.length + 1));
  }
}

const CONNECT_MS = 3000;
/** Limit without a byte in either direction. */
const IDLE_MS = 20_000;
/** Limit until a response begins: a slow line first sends a part of some megabytes. */
const ANSWER_MS = 60_000;
/** Includes the first; the pauses between them grow. */
const ATTEMPTS = 3;
const ANY_REGION = 'us-east-1';

/**
 * A client from the usual AWS variables and files: default credential chain, region, endpoint. A custom endpoint
 * gets the bucket in the path, as stores other than AWS expect. Loads the SDK only when a command uses S3.
 */
export async function makeS3Client(env: NodeJS.ProcessEnv = process.env): Promise<S3Client> {
  // `doctor` checks the Node version, so the SDK's warning is not needed.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { S3Client } = await import('@aws-sdk/client-s3');
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const config: S3ClientConfig = {
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
    followRegionRedirects: true,
    // Reads are verified by SHA-256 anyway, and not every store knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint && { endpoint, forcePathStyle: true }),
  };
  let client = new S3Client(config);
  if (!(await hasRegion(client))) {
    const region = env.AWS_DEFAULT_REGION || (endpoint ? ANY_REGION : undefined);
    if (region !== undefined) client = new S3Client({ ...config, region });
  }
  refuseForeign(client);
  return client;
}

/** What each answer of a store has, by the command; without it, a proxy or another service has answered. */
const ALWAYS: Readonly<Record<string, string>> = {
  CompleteMultipartUploadCommand: 'ETag',
  CopyObjectCommand: 'CopyObjectResult',
  CreateMultipartUploadCommand: 'UploadId',
  GetObjectCommand: 'ETag',
  HeadObjectCommand: 'ETag',
  ListObjectsV2Command: 'IsTruncated',
  PutObjectCommand: 'ETag',
  UploadPartCommand: 'ETag',
};

/** Fails attempts whose answer is damaged or none of a store, so that the SDK repeats them. */
function refuseForeign(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (given) => {
        const answer = await next(given).catch((error: unknown) => {
          const { $response: seen } = error as { $response?: { statusCode?: number } };
          throw seen?.statusCode === 200 ? foreign(error) : error;
        });
        const needed = ALWAYS[commandName ?? ''];
        if (needed === undefined || Reflect.get(answer.output, needed) !== undefined) return answer;
        if ('Body' in answer.output) (answer.output.Body as Readable | undefined)?.destroy();
        throw foreign();
      },
    { step: 'finalizeRequest', priority: 'low', name: 'refuseForeign' },
  );
}

function foreign(cause?: unknown): Error {
  return Object.assign(new Error('the answer is damaged, or not that of a store', { cause }), { $retryable: {} });
}

async function hasRegion(client: S3Client): Promise<boolean> {
  const region = await client.config.region().catch(() => '');
  return region !== '';
}

/** Maximum number of consecutive connections that break without a byte. */
const MAX_VAIN = 3;

/** Resumes where a connection broke. @throws AbilityError `store.not_shared`, also if the object is missing. */
export async function* readObject(
  objects: S3Objects,
  name: string,
  first?: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  let at = 0;
  let body = first;
  for (let vain = 0; ; ) {
    const found = body ?? (await objects.get(name, at));
    body = undefined;
    if (!found) throw absent('object', name, objects.place.where);
    const before = at;
    try {
      for await (const chunk of found) {
        at += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
      return;
    } catch (error) {
      vain = at > before ? 0 : vain + 1;
      if (error instanceof AbilityError || vain >= MAX_VAIN)
        throw s3Failure(`${name} could not be read`, objects.place, error);
    }
  }
}
