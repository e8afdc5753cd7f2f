import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abilityJson } from '../fixtures/called-command.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import {
  type RecordedRequest,
  type RecordingService,
  send,
  startService,
} from '../fixtures/servers/recording-service.js';

const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Hidden', version: '1' },
  servers: [{ url: 'https://api.test' }],
  paths: { '/items/search': { post: { responses: { 204: { description: 'x' } } } } },
});
const AUTHORIZATION = ['--header', 'Authorization: Bearer env:DOCS_TOKEN'];

let service: RecordingService;
let other: RecordingService;
let project: ProjectFolder;

beforeAll(async () => {
  [service, other] = await Promise.all([startService(), startService()]);
  const answer = (response: Parameters<ReturnType<typeof send>>[0], request: RecordedRequest, nth: number): void => {
    if (request.headers.authorization === 'Bearer tok-3n')
      send(200, 'application/json', DOCUMENT)(response, request, nth);
    else send(401, 'text/plain', 'no')(response, request, nth);
  };
  service.on('/openapi.json', answer);
  service.on('/here', (response) => response.writeHead(302, { location: '/openapi.json' }).end());
  service.on('/away', (response) => response.writeHead(302, { location: `${other.origin}/back` }).end());
  other.on('/back', (response) => response.writeHead(302, { location: `${service.origin}/open` }).end());
  service.on('/open', send(200, 'application/json', DOCUMENT));
  project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }'), '.env': 'DOCS_TOKEN=tok-3n\n' });
});
afterAll(async () => {
  await Promise.all([service.stop(), other.stop()]);
  project.remove();
});

const json = (...args: string[]) => abilityJson(['import', 'openapi', ...args], { cwd: project.root });

function allText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.env')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('a document behind a login', () => {
  test('is fetched with a header whose secret is a reference, and no file contains the secret', async () => {
    expect((await json(`${service.origin}/openapi.json`)).json.error.code).toBe('import.unavailable');
    const { json: end } = await json(`${service.origin}/here`, ...AUTHORIZATION);
    expect(end).toMatchObject({
      status: 'imported',
      undecided: [{ key: 'hidden.post.items.search', named_like: 'read' }],
    });
    expect(allText(project.root)).not.toContain('tok-3n');
    expect(allText(project.root)).not.toContain('DOCS_TOKEN');
  });

  test('that redirects to another host sends it no secret, nor to where that host redirects', async () => {
    await json(`${service.origin}/away`, ...AUTHORIZATION);
    expect(service.requestsOf('/away')[0]?.headers.authorization).toBe('Bearer tok-3n');
    expect(other.requestsOf('/back')[0]?.headers).not.toHaveProperty('authorization');
    expect(service.requestsOf('/open')[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each<[string, string[], string]>([
    ['a secret on the command line', ['--header', 'Authorization: Bearer tok-3n'], 'usage.invalid'],
    ['a reference that leads nowhere', ['--header', 'X-Token: env:NOT_SET'], 'config.missing_credential'],
  ])('%s is refused before anything is sent', async (_, args, code) => {
    const before = service.requestsOf('/openapi.json').length;
    const { json: end, stdout } = await json(`${service.origin}/openapi.json`, ...args);
    expect(end.error.code).toBe(code);
    expect(stdout).not.toContain('tok-3n');
    expect(service.requestsOf('/openapi.json')).toHaveLength(before);
  });

  test('in a file takes no headers', async () => {
    expect((await json('x.json', ...AUTHORIZATION)).json.error.code).toBe('usage.invalid');
  });
});
