import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeAgents } from '../../../../../src/activities/connections/guarded-connections.js';
import type { CallFiles } from '../../../../../src/activities/files/call-files.js';
import { ANSWER_FILE, type FileValue } from '../../../../../src/contracts/files.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { callFiles, MemoryFiles } from '../../../../fixtures/memory-files.js';
import {
  type Answer,
  type RecordingService,
  send,
  startService,
} from '../../../../fixtures/servers/recording-service.js';
import { callService } from './called-api.js';

const CONTENT = Buffer.from([0, 255, 13, 10, 65]);

let service: RecordingService;
let store: MemoryFiles;
let file: FileValue;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await closeAgents();
  await service.stop();
});
beforeEach(async () => {
  store = new MemoryFiles();
  file = await callFiles({}, store).keep(async () => Readable.from([CONTENT]), {
    name: 'a.bin',
    mediaType: 'image/png',
  });
});

describe('a file of the task is sent', () => {
  const upload = async (body: JsonObject, value: Json, path: string) => {
    const files = callFiles({ files: [file.$file] }, store);
    try {
      await callService(service, { method: 'POST', path, body }, { input: { v: value }, files });
    } finally {
      await files.close();
    }
    return service.requestsOf(path).at(-1);
  };

  test('as the whole body, with its type and its length', async () => {
    const sent = await upload({ type: 'binary', value: '${{ input.v }}' }, file as unknown as Json, '/whole');
    expect(sent?.bytes).toEqual(CONTENT);
    expect(sent?.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '5' });
    expect(sent?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('under the content type of the definition instead of its own', async () => {
    const body = { type: 'binary', content_type: 'x/y', value: '${{ input.v }}' };
    expect((await upload(body, file as unknown as Json, '/typed'))?.headers['content-type']).toBe('x/y');
  });

  test('as one part among others, and the stated length is that of all parts', async () => {
    const sent = await upload({ type: 'multipart' }, [file as unknown as Json, 'text'], '/parts');
    expect(sent?.headers['content-length']).toBe(String(sent?.bytes.length));
    const type = { 'content-type': sent?.headers['content-type'] ?? '' };
    const parsed = await new Response(new Uint8Array(sent?.bytes ?? []), { headers: type }).formData();
    const [part, text] = parsed.getAll('v') as [File, string];
    expect([part.name, part.type, text]).toEqual(['a.bin', 'image/png', 'text']);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(CONTENT);
  });

  test('again after a redirect that keeps the body', async () => {
    service.on('/moved', send(307, 'text/plain', '', { location: '/there' }));
    await upload({ type: 'binary', value: '${{ input.v }}' }, file as unknown as Json, '/moved');
    for (const path of ['/moved', '/there']) expect(service.requestsOf(path)[0]?.bytes).toEqual(CONTENT);
  });

  test('only if it belongs to the task: otherwise nothing is sent', async () => {
    const refused = callService(
      service,
      { method: 'POST', path: '/foreign', body: { type: 'binary', value: '${{ input.v }}' } },
      { input: { v: file as unknown as Json }, files: callFiles({}, store) },
    );
    await expect(refused).rejects.toMatchObject({ code: 'file.not_of_task' });
    expect(service.requestsOf('/foreign')).toEqual([]);
  });
});

describe('an answer as a file', () => {
  const asFile = async (answer: Answer, response: JsonObject = {}, files: CallFiles = callFiles({}, store)) => {
    service.on('/file', answer);
    const call = callService(service, { path: '/file', response: { as: 'file', ...response } }, { files });
    return { output: await call.finally(() => files.close()), files };
  };

  test('is stored, and the output names it', async () => {
    const { output, files } = await asFile(
      send(200, 'text/csv', 'a,b', { 'content-disposition': 'x; filename=t.csv' }),
    );
    expect(output).toMatchObject({ name: 't.csv', bytes: 3, media_type: 'text/csv' });
    expect(files.made[ANSWER_FILE]).toEqual(output);
    expect(String(store.kept.get((output as { $file: string }).$file))).toBe('a,b');
  });

  test('has the type of its name if the service states none', async () => {
    const { output } = await asFile((response) =>
      response.writeHead(200, { 'content-disposition': 'x; filename=t.csv' }).end('x'),
    );
    expect(output).toMatchObject({ name: 't.csv', media_type: 'text/csv' });
  });

  test('is added to the status and the headers that the definition requests', async () => {
    const answer = send(201, 'text/csv', 'a', { 'x-left': '3' });
    expect((await asFile(answer, { status: true, headers: ['x-left'] })).output).toMatchObject({
      status: 201,
      body: { bytes: 1 },
      headers: { 'x-left': '3' },
    });
  });

  test.each([300, 404])('with the status %i is a failure, not a file', async (status) => {
    await expect(asFile(send(status, 'text/csv', 'why'))).rejects.toMatchObject({ code: `http.${status}` });
    expect([...store.kept.values()]).toEqual([CONTENT]);
  });

  test('that breaks off leaves the effect unclear', async () => {
    const half: Answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.resetAndDestroy());
    };
    await expect(asFile(half)).rejects.toMatchObject({ code: 'unavailable.connection', unclear: true });
  });

  test('that exceeds the size limit of a file keeps its own code', async () => {
    const files = callFiles({ limits: { file_bytes: 2 } as never }, store);
    await expect(asFile(send(200, 'text/csv', 'abc'), {}, files)).rejects.toMatchObject({ code: 'file.too_large' });
  });
});
