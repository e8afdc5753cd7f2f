import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileValue } from '../../src/contracts/files.js';
import { workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { type RecordingService, send, startService } from '../fixtures/servers/recording-service.js';

const FILE = { input_schema: { type: 'object', properties: { file: { type: 'object', format: 'file' } } } };
/** Larger than an output may be. */
const LARGE = Buffer.alloc(9 * 1024 * 1024, 'ability ');

let project: RunningProject;
let service: RecordingService;

beforeAll(async () => {
  service = await startService();
  service.on('/large', (response) => {
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename*=UTF-8''a%20b.zip`,
    });
    response.end(LARGE);
  });
  service.on('/again', send(307, 'text/plain', '', { location: '/upload' }));
  const raw = (content: unknown[]) => ({
    command: process.execPath,
    args: [
      MCP_PROGRAMS.raw,
      JSON.stringify([{ name: 'do', inputSchema: { type: 'object' } }]),
      JSON.stringify({ result: { content } }),
    ],
  });
  project = await runProject({
    ...apiAbility('get.large', service.origin, { method: 'GET', path: '/large', response: { as: 'file' } }),
    ...apiAbility(
      'put.binary',
      service.origin,
      { method: 'POST', path: '/again', body: { type: 'binary', value: '${{ input.file }}' } },
      { more: FILE },
    ),
    ...apiAbility(
      'put.parts',
      service.origin,
      { method: 'POST', path: '/parts', body: { type: 'multipart' } },
      { more: FILE },
    ),
    ...config('servers', {
      mcp_servers: {
        shots: raw([
          { type: 'text', text: 'two' },
          { type: 'image', data: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'file:///out/page%201.html', mimeType: 'text/html', text: '<p>' } },
        ]),
      },
    }),
    ...mcpAbility(
      'shot',
      { server: 'shots', tool: 'do' },
      { more: { output_files: { image: '*.png', pages: { glob: '*.html', many: true } } } },
    ),
    ...mcpAbility('no_shot', { server: 'shots', tool: 'do' }, { more: { output_files: { film: '*.mp4' } } }),
    ...workflow(
      'pass_on',
      `
steps:
  - { id: get, call: get.large }
  - { id: binary, call: put.binary, with: { file: "\${{ steps.get.output }}" } }
  - { id: parts, call: put.parts, with: { file: "\${{ steps.get.files.response }}", note: hello } }
output: "\${{ steps.get.output }}"`,
    ),
    ...workflow(
      'forged',
      `steps: [{ id: put, call: put.parts, with: { file: { $file: ${'a'.repeat(64)}, name: a, bytes: 1, media_type: text/plain } } }]`,
    ),
  });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('an HTTP call', () => {
  test('returns its answer as a file, and sends files as bodies and as parts', async () => {
    const result = await project.run('pass_on');
    expect(result).toMatchObject({
      status: 'succeeded',
      output: { $file: sha256(LARGE), name: 'a b.zip', bytes: LARGE.length, media_type: 'application/zip' },
    });
    const [upload] = service.requestsOf('/upload');
    expect(upload?.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(LARGE.length),
    });
    expect(sha256(upload?.bytes as Buffer)).toBe(sha256(LARGE));
    const [parts] = service.requestsOf('/parts');
    const form = await new Response(new Uint8Array(parts?.bytes ?? []), {
      headers: { 'content-type': String(parts?.headers['content-type']) },
    }).formData();
    const file = form.get('file') as File;
    expect([file.name, file.type, form.get('note')]).toEqual(['a b.zip', 'application/zip', 'hello']);
    expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(sha256(LARGE));
  });

  test('sends no file that the task does not have, nor anything else', async () => {
    const before = service.requestsOf('/parts').length;
    expect(await project.run('forged')).toMatchObject({ error: { code: 'file.not_of_task' } });
    expect(service.requestsOf('/parts')).toHaveLength(before);
  });
});

describe('a tool of an MCP server', () => {
  test('returns images and resources as files if its contract names them', async () => {
    const result = await project.run('shot');
    const image: FileValue = {
      $file: sha256('pixels'),
      name: 'image-1.png',
      bytes: 6,
      media_type: 'image/png',
    };
    const page: FileValue = { $file: sha256('<p>'), name: 'page 1.html', bytes: 3, media_type: 'text/html' };
    expect(result.files).toEqual([
      { step: 'run', name: 'image', file: image },
      { step: 'run', name: 'pages', file: page },
    ]);
    expect(result.output).toEqual({
      text: 'two',
      content: [
        { type: 'text', text: 'two' },
        { type: 'image', mimeType: 'image/png', file: image },
        { type: 'resource', resource: { uri: 'file:///out/page%201.html', mimeType: 'text/html', file: page } },
      ],
    });
  });

  test('fails if one is missing, and lists the existing ones', async () => {
    const { error } = await project.run('no_shot');
    expect(error).toMatchObject({ code: 'file.missing' });
    expect(error?.message).toContain('The folder contains image-1.png, page 1.html');
  });
});
