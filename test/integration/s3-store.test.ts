import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { collectFiles } from '../../src/server/store/collect-files.js';
import { makeS3Client, S3Objects } from '../../src/server/store/s3/s3-objects.js';
import { readS3Place } from '../../src/server/store/s3/s3-place.js';
import { S3Store } from '../../src/server/store/s3/s3-store.js';
import { TaskFileStore } from '../../src/server/store/task-file-store.js';
import { startS3 } from '../fixtures/servers/s3-server.js';
import { describeStore } from '../fixtures/store-promises.js';
import { startRelay } from '../fixtures/tcp-relay.js';
import { errorOfAsync } from '../unit/error-of.js';

const { server, why } = await startS3();
const Bucket = `ability-${randomUUID()}`;

describe.skipIf(!server)(`an S3 store${why ? ` (skipped: ${why})` : ''}`, () => {
  let client: S3Client;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(server?.env ?? {})) vi.stubEnv(name, value);
    client = await makeS3Client();
    await client.send(new CreateBucketCommand({ Bucket }));
  });
  afterAll(async () => {
    client.destroy();
    vi.unstubAllEnvs();
    await server?.stop();
  });

  /** Names of objects and of incomplete uploads. */
  async function listAll(Prefix: string): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
    return [...Contents, ...Uploads].map(({ Key = '' }) => Key.slice(Prefix.length));
  }

  describeStore('S3', async () => {
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}/in+here`);
    return {
      store: new S3Store(place),
      other: new S3Store(place),
      damage: async (path, bytes) => {
        const [Key, Body] = [place.prefix + path, Buffer.from(bytes)];
        await client.send(new PutObjectCommand({ Bucket, Key, Body }));
      },
      list: () => listAll(place.prefix),
    };
  });

  test('repairs a file that others replaced under its own metadata, once the damage is detected', async () => {
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}`);
    const store = new S3Store(place);
    const keep = () => store.keepFile(Readable.from([Buffer.from('right')]), { maxBytes: 100 });
    const read = async () => Buffer.concat(await (await store.openFile(sha256)).toArray()).toString();
    const { sha256 } = await keep();
    const Key = `${place.prefix}files/${sha256.slice(0, 2)}/${sha256}`;
    const Metadata = { 'ability-sha256': sha256 };
    await client.send(new PutObjectCommand({ Bucket, Key, Metadata, Body: Buffer.from('wrong') }));
    await expect(read()).rejects.toThrow(/is damaged/);
    await keep();
    expect(await read()).toBe('right');
  });

  test('keeps a file while any task holds it', async () => {
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}`);
    const store = new S3Store(place);
    const files = new TaskFileStore(store, 'shop');
    const source = async () => Readable.from([Buffer.from('shared')]);
    const tasks = ['one', 'direct:two'];
    const [kept] = await Promise.all(tasks.map((task) => files.keep(source, task, 100)));
    const { sha256 } = kept as { sha256: string };
    expect((await files.holds.holdingTasks()).map(({ task }) => task).sort()).toEqual([...tasks].sort());
    expect(await files.release('one')).toBe(0);
    expect(await store.sizeOfFile(sha256)).toBeGreaterThan(0);
    const now = new Date(Date.now() + 31 * 24 * 60 * 60_000);
    const collection = { holds: files.holds, store, endOf: async () => new Date(), keepMs: 30 * 24 * 60 * 60_000, now };
    expect(await collectFiles(collection)).toEqual({ tasks: 1, files: 1 });
    expect(await listAll(place.prefix)).toEqual([]);
  });

  test('sends one part at a time, and leaves nothing of an upload whose source fails', async () => {
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}`);
    let [underWay, most] = [0, 0];
    const counted = await makeS3Client();
    counted.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isPart = commandName === 'UploadPartCommand';
          if (isPart) most = Math.max(most, ++underWay);
          return next(args).finally(() => isPart && underWay--);
        },
      { step: 'initialize' },
    );
    const store = new S3Store(place, new S3Objects(place, async () => counted));
    const parts = Array.from({ length: 4 }, () => Buffer.alloc(5 * 1024 * 1024, 'x'));
    const { bytes } = await store.keepFile(Readable.from(parts), { maxBytes: 1e9 });
    expect([bytes, most]).toEqual([20 * 1024 * 1024, 1]);
    const before = await listAll(place.prefix);
    const broken = new Error('the source broke');
    const source = Readable.from(
      (function* () {
        yield* parts;
        throw broken;
      })(),
    );
    await expect(store.keepFile(source, { maxBytes: 1e9 })).rejects.toBe(broken);
    expect(await listAll(place.prefix)).toEqual(before);
    counted.destroy();
  });

  test('removes the uploads of killed processes', async () => {
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}`);
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `${place.prefix}new/x` }));
    const store = new S3Store(place);
    // This server reports 2010 as the start of every upload.
    await store.removeHalfWritten(new Date('2001-01-01'));
    expect(await listAll(place.prefix)).toEqual(['new/x']);
    await store.removeHalfWritten(new Date());
    expect(await listAll(place.prefix)).toEqual([]);
  });

  test('reports a bucket that does not exist', async () => {
    const store = new S3Store(readS3Place('s3://not-there-at-all/x'));
    for (const action of [
      () => store.put(Buffer.from('x')),
      () => store.getNamed('tasks/x'),
      () => store.listNamed('tasks/'),
    ]) {
      expect(await errorOfAsync(action)).toMatchObject({
        code: 'store.not_shared',
        message: expect.stringContaining('s3://not-there-at-all/x'),
        suggestion: expect.stringContaining('not-there-at-all'),
      });
    }
  });

  test('reports when it can no longer be reached, with the cause', async () => {
    const relay = await startRelay(new URL(server?.endpoint ?? '').host);
    const env = { ...process.env, AWS_ENDPOINT_URL: `http://${relay.address}` };
    const place = readS3Place(`s3://${Bucket}/${randomUUID()}`);
    const store = new S3Store(place, new S3Objects(place, () => makeS3Client(env)));
    const digest = await store.put(Buffer.from('x'));
    relay.end('kill');
    const error = await errorOfAsync(() => store.get(digest));
    relay.stop();
    expect(error).toMatchObject({
      code: 'store.not_shared',
      message: expect.stringContaining(place.where),
      suggestion: expect.stringContaining('AWS_ENDPOINT_URL'),
    });
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('reports which credentials it looks for if it has none', async () => {
    const none = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'];
    const before = Object.fromEntries(none.map((name) => [name, process.env[name]]));
    for (const name of none) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    const store = new S3Store(readS3Place(`s3://${Bucket}`));
    expect(await errorOfAsync(() => store.put(Buffer.from('x')))).toMatchObject({
      code: 'store.not_shared',
      suggestion: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    });
    for (const [name, value] of Object.entries(before)) vi.stubEnv(name, value);
  });
});
