import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importArazzo, openArazzo } from '../../src/authoring/import/arazzo/import-arazzo.js';
import { importDocument, openDocument } from '../../src/authoring/import/openapi/import-document.js';
import { isJsonObject, type JsonObject } from '../../src/contracts/json.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { readImport } from '../../src/definitions/read-imports.js';
import { resolvePlan } from '../../src/planning/resolve/resolve-plan.js';
import { SHOP, SHOPPING } from '../fixtures/arazzo-shop.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { json, type RecordingService, startService } from '../fixtures/servers/recording-service.js';
import { importInto } from '../unit/authoring/import/importing.js';

let service: RecordingService;
let project: RunningProject;

beforeAll(async () => {
  service = await startService();
  project = await runProject({ '.env': 'SHOP_TOKEN=the-token\n' });
  const wanted = { service: 'shop', prefix: 'shop', server: `${service.origin}/v1` };
  const imported = await importDocument(openDocument(JSON.stringify(SHOP), 'shop.json'), wanted);
  importInto(project, imported, { kind: 'openapi', name: 'shop', prefix: 'shop' });
  const definitions = new Map(imported.operations.map(({ key, definition }) => [key, definition]));
  const state = readImport(project.root, 'openapi', 'shop');
  const workflows = importArazzo(openArazzo(SHOPPING, 'shopping.arazzo.yaml'), {
    prefix: 'shopping',
    sources: [{ name: 'shop', url: './shop.json', type: 'openapi', state }],
    definitionOf: (key) => definitions.get(key),
    whyUnguarded: () => undefined,
  });
  expect(workflows.leftOut).toEqual([]);
  importInto(project, workflows, { kind: 'arazzo', name: 'shopping', prefix: 'shopping' });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

const token = json({ access_token: 'abc', expires_in: 60 });
const BUY = { item: 'i7', client: 'me' };

/** Runs the purchase against a shop with this answer for the item, and counts the requests of each path. */
async function buy(look: Parameters<RecordingService['on']>[1], input: JsonObject = BUY) {
  service.on('/v1/login', token);
  service.on('/v1/items/i7', look);
  service.on('/v1/orders', json({ id: 5 }, 201));
  service.on('/v1/waiting', json({ place: 3 }));
  const before = (path: string): number => service.requestsOf(path).length;
  const counts = { looks: before('/v1/items/i7'), orders: before('/v1/orders'), waits: before('/v1/waiting') };
  const result = await project.run('shopping.buy', input);
  return {
    result,
    looks: before('/v1/items/i7') - counts.looks,
    orders: before('/v1/orders') - counts.orders,
    waits: before('/v1/waiting') - counts.waits,
  };
}

test('every workflow loads without a problem, and resolves without a warning', () => {
  const registry = loadRegistry(project.root);
  expect(registry.problems).toEqual([]);
  expect([...registry.workflows.keys()]).toEqual(['shopping.buy', 'shopping.client-credentials-flow']);
  for (const key of registry.workflows.keys()) expect(resolvePlan(registry, key, 'dev').warnings).toEqual([]);
});

describe('a translated workflow does what its document says', () => {
  test('a token by client credentials, as a form, with its criteria', async () => {
    service.on('/v1/login', token);
    const result = await project.run('shopping.client-credentials-flow', { client_id: 'me', client_secret: 's' });
    expect(result).toMatchObject({ status: 'succeeded', output: { access_token: 'abc' } });
    const { body, headers } = service.requestsOf('/v1/login').at(-1) ?? { body: '', headers: {} };
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ client_id: 'me', client_secret: 's', grant_type: 'client_credentials' },
    });
    expect(headers).not.toHaveProperty('authorization');
  });

  test('unmet criteria fail it, although the call succeeded', async () => {
    service.on('/v1/login', json({ expires_in: 1 }));
    const result = await project.run('shopping.client-credentials-flow', { client_id: 'me' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'criteria.not_met', step: 'get_token_check' } });
    service.on('/v1/login', json({ access_token: 'abc' }, 201));
    expect((await project.run('shopping.client-credentials-flow', { client_id: 'me' })).status).toBe('failed');
  });

  test('a child, a header of the answer, a body from a template, a default and an end', async () => {
    const { result, looks, orders, waits } = await buy(json({ state: 'there' }, 200, { 'x-rate-limit': '9' }));
    expect(result).toMatchObject({ status: 'succeeded', output: { order: 5, rate: '9' } });
    expect(isJsonObject(result.output) && Object.hasOwn(result.output, 'place')).toBe(false);
    expect({ looks, orders, waits }).toEqual({ looks: 1, orders: 1, waits: 0 });
    expect(JSON.parse(service.requestsOf('/v1/orders').at(-1)?.body ?? '')).toEqual({ item: 'item i7', count: 2 });
    expect(service.requestsOf('/v1/items/i7').at(-1)?.headers).toMatchObject({
      ...{ 'x-trace': 'trace-i7', authorization: 'Bearer the-token' },
    });
  });

  test('goto on success skips the steps between', async () => {
    const { result, orders, waits } = await buy(json({ state: 'there', tags: ['sold-out'] }));
    expect(result).toMatchObject({ status: 'succeeded', output: { place: 3 } });
    expect({ orders, waits }).toEqual({ orders: 0, waits: 1 });
  });

  test('end on success ends it with the output so far, and texts are compared without case', async () => {
    const { result, orders, waits } = await buy(json({ state: 'hidden' }, 200, { 'x-rate-limit': '1' }));
    expect(result).toMatchObject({ status: 'succeeded', output: { rate: '1' } });
    expect({ orders, waits }).toEqual({ orders: 0, waits: 0 });
  });

  test('retry on failure tries as often as its limit allows', async () => {
    const first = service.requestsOf('/v1/items/i7').length;
    const { result, looks, orders } = await buy((response, request, nth) =>
      json({ state: 'there' }, nth - first < 3 ? 503 : 200)(response, request, nth),
    );
    expect(result.status).toBe('succeeded');
    expect({ looks, orders }).toEqual({ looks: 3, orders: 1 });
    const closed = await buy(json({}, 503));
    expect(closed.result).toMatchObject({ status: 'failed', error: { code: 'http.503' } });
    expect(closed.looks).toBe(3);
  });

  test('goto on failure continues elsewhere; any other failure fails the task', async () => {
    const missing = await buy(json({}, 404));
    expect(missing.result).toMatchObject({ status: 'succeeded', output: { place: 3 } });
    expect({ ...missing, result: null }).toEqual({ result: null, looks: 1, orders: 0, waits: 1 });
    const gone = await buy(json({ state: 'gone' }));
    expect(gone.result).toMatchObject({ status: 'failed', error: { code: 'criteria.not_met' } });
    expect(gone.orders).toBe(0);
  });
});
