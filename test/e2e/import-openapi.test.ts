import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isHeld, takeLock } from '../../src/server/processes/lock.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { send, startService } from '../fixtures/servers/recording-service.js';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pets REST API v2', version: '2' },
  servers: [{ url: '/v2' }],
  security: [{ auth: [] }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        summary: 'Shows a pet.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'x' } },
      },
      delete: { operationId: 'dropPet', responses: { 204: { description: 'x' } } },
    },
    '/events': { get: { responses: { 200: { description: 'x', content: { 'text/event-stream': {} } } } } },
  },
  components: { securitySchemes: { auth: { type: 'http', scheme: 'bearer' } } },
};

let project: ProjectFolder;
let service: Awaited<ReturnType<typeof startService>>;
const json = (...args: string[]) => abilityJson(['import', 'openapi', ...args], { cwd: project.root });
const fileOf = (path: string): string => readFileSync(join(project.root, path), 'utf8');

beforeAll(async () => {
  service = await startService();
  service.on('/openapi.json', send(200, 'application/json', JSON.stringify(DOCUMENT)));
  service.on('/moved', (response) => response.writeHead(302, { location: '/openapi.json' }).end());
  service.on('/circle', (response) => response.writeHead(302, { location: '/circle' }).end());
  service.on('/missing', send(404, 'text/html', '<h1>No'));
  service.on('/page', send(200, 'text/html', '<!doctype html><p>Log in'));
  project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }', 'policy: { allowed_hosts: ["*.acme.test"] }\n') });
  project.write({ 'local.json': JSON.stringify(DOCUMENT), 'old.yaml': 'swagger: "2.0"\n' });
});
afterAll(async () => {
  await service.stop();
  project.remove();
});

describe('ability import openapi', () => {
  test('imports a document from an address, names what it excluded, and lints clean (R-000-21)', async () => {
    const planned = await json(`${service.origin}/moved`, '--dry-run');
    expect(planned.json).toMatchObject({ status: 'planned', name: 'pets' });
    expect(planned.json.new).toHaveLength(2);
    const { json: end, exitCode } = await json(`${service.origin}/openapi.json`);
    expect(exitCode).toBe(0);
    expect(end.new.map(({ key }: { key: string }) => key)).toEqual(['pets.get_pet', 'pets.drop_pet']);
    expect(end.left_out).toEqual([
      { source: 'GET /events', reason: 'its answer is a stream of events (text/event-stream)' },
    ]);
    expect(end.notes).toEqual([
      `The address of the service is guessed: the document has only the relative server /v2, so calls go to ${service.origin}/v2, on the host it came from. Set it with --server`,
      `The policy does not allow ${new URL(service.origin).host}; add it to \`policy.allowed_hosts\` in ability.yaml`,
    ]);
    expect(fileOf('registry/config/pets.yaml')).toContain('token: env:PETS_TOKEN');
    expect(fileOf('registry/config/pets.yaml')).toContain(`default: ${service.origin}/v2`);
  });

  test('keeps edits, and lints clean once the host is allowed', async () => {
    project.write({ 'ability.yaml': fileOf('ability.yaml').replace('"*.acme.test"', '"127.0.0.1:*"') });
    const file = 'registry/low-level/pets.drop_pet.yaml';
    project.write({ [file]: fileOf(file).replace('effects: destructive', 'effects: write_idempotent') });
    const { json: again } = await json(`${service.origin}/openapi.json`);
    expect(again).toMatchObject({ new: [], changed: [] });
    expect(fileOf(file)).toContain('effects: write_idempotent');
    const lint = await ability(['lint'], { cwd: project.root });
    expect(lint.stdout).toContain('No findings');
    const set = await abilityJson(['lint', '--check-env'], { cwd: project.root });
    expect(JSON.stringify(set.json)).toContain('PETS_TOKEN');
  });

  test('a file whose servers are relative needs --server', async () => {
    const refused = await json('local.json', '--name', 'shelter');
    expect(refused.json.error).toMatchObject({ code: 'import.no_server' });
    const { exitCode } = await json('local.json', '--name', 'shelter', '--server', 'http://127.0.0.1:9/v3');
    expect(exitCode).toBe(0);
    expect(fileOf('registry/config/shelter.yaml')).toContain('default: http://127.0.0.1:9/v3');
    expect(fileOf('registry/low-level/shelter.get_pet.yaml')).toMatch(
      /^# .*ability import openapi local\.json --name shelter --server http:\/\/127\.0\.0\.1:9\/v3/,
    );
  });
});

test('waits for a command that writes into the project, and Ctrl-C leaves nothing behind', async () => {
  const lock = takeLock(join(project.root, '.system/authoring.lock'));
  if (!isHeld(lock)) throw new Error('another process holds the lock');
  const args = ['import', 'openapi', 'local.json', '--name', 'waiting', '--server', 'http://127.0.0.1:9/v3'];
  const command = start(args, { cwd: project.root });
  for await (const chunk of command.stderr ?? []) if (String(chunk).includes('Waiting for process')) break;
  command.kill('SIGINT');
  expect(await command).toMatchObject({ exitCode: 130 });
  lock.release();
  expect(existsSync(join(project.root, 'registry/.imports/openapi.waiting.json'))).toBe(false);
});

describe('is refused with one sentence, exit 2, and nothing written', () => {
  test.each([
    ['a missing file', 'none.yaml', 'import.unavailable', 'There is no file none.yaml'],
    ['a folder', '.', 'import.unavailable', '. is no file'],
    ['Swagger 2.0', 'old.yaml', 'import.unsupported', 'old.yaml is Swagger 2.0, and OpenAPI 3.0 and 3.1 are read'],
    ['another protocol', 'ftp://a.test/x', 'import.unavailable', 'ftp://a.test/x is no http address'],
    ['404', '/missing', 'import.unavailable', 'ORIGIN/missing answered 404, and no document'],
    ['an HTML page', '/page', 'import.unreadable', 'ORIGIN/page is a page, and no OpenAPI document'],
    ['a redirect loop', '/circle', 'import.unavailable', 'ORIGIN/circle is redirected more than 5 times'],
  ])('%s', async (_, source, code, message) => {
    const { json: end, exitCode } = await json(source.startsWith('/') ? `${service.origin}${source}` : source);
    expect(exitCode).toBe(2);
    expect(end.error).toMatchObject({ code, message: message.replace('ORIGIN', service.origin) });
  });
});
