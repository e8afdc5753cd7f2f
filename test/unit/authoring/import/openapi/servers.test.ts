import { describe, expect, test } from 'vitest';
import type { Imported } from '../../../../../src/authoring/import/imported.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { errorOf } from '../../../error-of.js';
import { documentOf, importOf, operation } from './documents.js';

function endpointsIn({ config }: Imported): Json | undefined {
  return (config as { services: { acme: { endpoints: Json } } }).services.acme.endpoints;
}

const withServers = (servers: JsonObject[], more: Parameters<typeof importOf>[1] = {}): Promise<Imported> =>
  importOf(documentOf({ '/a': { get: operation() } }, { servers }), more);

describe('the address of a service', () => {
  test('is the first of its servers with the defaults of its variables; both are reported', async () => {
    const url = 'https://{region}.api.test/{base}/';
    const variables = { region: { default: 'eu', enum: ['eu', 'us'] }, base: { default: 'v2' } };
    const imported = await withServers([{ url, variables }, { url: 'https://sandbox.test' }]);
    expect(endpointsIn(imported)).toEqual({ default: 'https://eu.api.test/v2' });
    expect(imported.notes.join('\n')).toContain('region=eu, base=v2');
    expect(imported.notes.join('\n')).toContain('https://sandbox.test');
  });

  test('that is relative is resolved against the document', async () => {
    const documentUrl = 'https://docs.test/specs/api.json';
    expect(endpointsIn(await withServers([{ url: '../v1' }], { documentUrl }))).toEqual({
      default: 'https://docs.test/v1',
    });
    expect(endpointsIn(await withServers([], { documentUrl }))).toEqual({ default: 'https://docs.test' });
  });

  test.each<[string, JsonObject[], RegExp]>([
    ['without servers', [], /guessed: the document names no server, so calls go to https:\/\/docs\.test,/],
    ['with a relative server', [{ url: '/v1' }], /guessed: the document has only the relative server \/v1, so/],
  ])('that is guessed is reported: %s', async (_, servers, note) => {
    const { notes } = await withServers(servers, { documentUrl: 'https://docs.test/api.json' });
    expect(notes).toContainEqual(expect.stringMatching(note));
    expect(notes.join()).toContain('--server');
  });

  test('that the document has in full is not a guess, nor is a chosen one', async () => {
    const variables = { base: { default: 'https://api.test' } };
    const full = await withServers([{ url: '{base}/v1', variables }], { documentUrl: 'https://docs.test/api.json' });
    const chosen = await withServers([], { server: 'https://api.test' });
    expect([...full.notes, ...chosen.notes].join()).not.toContain('guessed');
  });

  test('can be chosen', async () => {
    const imported = await withServers([{ url: '/v1' }], { server: 'http://127.0.0.1:8080/x' });
    expect(endpointsIn(imported)).toEqual({ default: 'http://127.0.0.1:8080/x' });
  });

  test.each<[string, JsonObject[], Parameters<typeof importOf>[1], string]>([
    ['that is not specified', [], {}, 'import.no_server'],
    ['that is relative to a file', [{ url: '/v1' }], {}, 'import.no_server'],
    ['with a variable without default', [{ url: 'https://{x}.test' }], {}, 'import.no_server'],
    ['that is not HTTP', [{ url: 'wss://a.test' }], {}, 'import.no_server'],
    ['with a password', [{ url: 'https://a:b@a.test' }], {}, 'import.no_server'],
    ['with a query', [{ url: 'https://a.test?x=1' }], {}, 'import.no_server'],
    ['that is chosen and invalid', [], { server: 'nonsense' }, 'usage.invalid'],
  ])('%s is refused', async (_, servers, more, code) => {
    const error = await withServers(servers, more).catch((caught: unknown) => caught);
    expect(
      errorOf(() => {
        throw error;
      }),
    ).toMatchObject({ code });
  });
});

test('servers of paths and operations are separate endpoints, named after their address', async () => {
  const uploads = [{ url: 'https://uploads.test/v1' }];
  const paths = {
    '/a': { get: operation(), put: operation({ servers: uploads }) },
    '/b': { servers: [{ url: 'https://api.test/v1' }], get: operation() },
    '/c': { get: operation({ servers: [{ url: 'ftp://files.test' }] }) },
  };
  const imported = await importOf(documentOf(paths));
  expect(endpointsIn(imported)).toEqual({ default: 'https://api.test/v1', uploads_test_v1: 'https://uploads.test/v1' });
  const endpoints = imported.operations.map(
    ({ definition }) => (definition.implementation as { api: JsonObject }).api.endpoint,
  );
  expect(endpoints).toEqual([undefined, 'uploads_test_v1', undefined]);
  expect(imported.leftOut).toEqual([
    { source: 'GET /c', reason: 'its own server ftp://files.test is no http address' },
  ]);
});
