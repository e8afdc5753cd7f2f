import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ListedMarks } from '../../../../src/server/marks/listed-marks.js';
import { readS3Place } from '../../../../src/server/store/s3/s3-place.js';
import { S3Store } from '../../../../src/server/store/s3/s3-store.js';
import { errorOfAsync } from '../../error-of.js';

/** Answers in place of the store, each once. */
const instead: ((response: ServerResponse) => void)[] = [];
const objects = new Map<string, Buffer>();
let requests = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests += 1;
    const other = instead.shift();
    if (other) return other(response);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const key = pathname.slice('/bucket/'.length);
    if (request.method === 'PUT') {
      objects.set(key, Buffer.concat(chunks));
      return response.writeHead(200, { etag: '"e"' }).end();
    }
    if (searchParams.has('list-type')) {
      const found = [...objects].filter(([name]) => name.startsWith(searchParams.get('prefix') ?? ''));
      const list = found.map(([name, { length }]) => `<Contents><Key>${name}</Key><Size>${length}</Size></Contents>`);
      return response.end(
        `<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>${list.join('')}</ListBucketResult>`,
      );
    }
    const body = objects.get(key);
    if (body) response.writeHead(200, { etag: '"e"' }).end(body);
    else response.writeHead(404).end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>');
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});
beforeEach(() => {
  instead.length = 0;
  requests = 0;
  objects.clear();
});

const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Sign in<br></body></html>');
const wrong = (body: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
const FOREIGN: Record<string, (response: ServerResponse) => void> = {
  'a page that says 200': page(200),
  'a page that says 503': page(503),
  'a page with an ETag': (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag: '"x"' }).end('<html></html>'),
  'XML of something else': wrong('<?xml version="1.0"?><feed><title>News</title></feed>'),
  'XML that is cut off': wrong('<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><Cont'),
  'an empty body': wrong(''),
};
const CALL = { project: 'p', environment: 'dev', call: 'k/a', groups: [] };
const store = () => new S3Store(readS3Place('s3://bucket/x'));

describe.each(Object.entries(FOREIGN))('%s', (_, answer) => {
  test('is asked for again, so that a call leaves its mark, and later ones find it', async () => {
    const marks = new ListedMarks(store());
    instead.push(answer);
    expect(await marks.make(CALL, { run: 'r', activity: '1' })).toBe('made');
    expect(objects.size).toBe(1);
    instead.push(answer);
    expect(await marks.make(CALL, { run: 'other', activity: '1' })).toEqual({ run: 'r', activity: '1' });
  });

  test('again and again is named, and the call was not started', async () => {
    const marks = new ListedMarks(store());
    for (let count = 0; count < 20; count += 1) instead.push(answer);
    const error = await errorOfAsync(() => marks.make(CALL, { run: 'r', activity: '1' }));
    expect(error).toMatchObject({ code: 'store.not_shared', message: expect.stringMatching(/was not started.*s3:/) });
    expect(requests).toBe(3);
    expect(objects.size).toBe(0);
  });
});

test('a mark that was cut off on its way is not taken for that of another start', async () => {
  const marks = new ListedMarks(store());
  await marks.make(CALL, { run: 'r', activity: '1' });
  const list = new ListedMarks(store());
  const cut = (response: ServerResponse) => response.writeHead(200, { etag: '"e"' }).end('{"run": "r", "act');
  const real = [...objects.entries()][0] as [string, Buffer];
  const listing = wrong(
    `<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated><Contents><Key>${real[0]}</Key><Size>${real[1].length}</Size></Contents></ListBucketResult>`,
  );
  instead.push(listing, cut);
  expect(await list.make(CALL, { run: 'r', activity: '1' })).toEqual({ run: 'r', activity: '1' });
  instead.push(listing, cut, cut, cut);
  const damaged = expect.stringMatching(/^of the mark .* which cannot be read$/);
  expect(await list.make(CALL, { run: 'r', activity: '1' })).toEqual({ run: damaged, activity: damaged });
});
