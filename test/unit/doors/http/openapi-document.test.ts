import { validate } from '@readme/openapi-parser';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../../src/doors/http/openapi-document.js';
import { ROUTES } from '../../../../src/doors/http/routes/all.js';

// biome-ignore lint/suspicious/noExplicitAny: it is looked into at many places
const document = openApiDocument(ROUTES, '1.2.3') as any;

describe('the description of the door', () => {
  test('is an OpenAPI 3.1 document', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await validate(structuredClone(document))).toMatchObject({ valid: true });
  });

  test('has every route, each with a unique name and all parameters of its path', () => {
    const names = ROUTES.map(({ method, path }) => document.paths[path][method.toLowerCase()].operationId);
    expect(new Set(names).size).toBe(ROUTES.length);
    for (const { method, path } of ROUTES) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const { parameters } = document.paths[path][method.toLowerCase()];
      const documented = parameters
        .filter((one: { in: string }) => one.in === 'path')
        .map((one: { name: string }) => one.name);
      expect(documented).toEqual(inPath);
    }
  });

  test('describes what the door checks in a body', () => {
    const schemaOf = (path: string) => document.paths[path].post.requestBody.content['application/json'].schema;
    expect(schemaOf('/v1/tasks')).toMatchObject({ type: 'object', required: ['ability'], additionalProperties: false });
    const runs = schemaOf('/v1/runs');
    expect(runs).toMatchObject({ type: 'object', additionalProperties: false });
    expect(Object.keys(runs.properties)).toEqual(expect.arrayContaining(['ability', 'prompt', 'pack', 'wait']));
  });

  test('names the right that each route requires, except for public routes', () => {
    const open = ROUTES.filter(({ right }) => right === null).map(({ path }) => path);
    expect(open).toEqual([
      '/v1/webhooks/{name}',
      '/v1/slack/interactions',
      '/v1/login/device',
      '/v1/login/token',
      '/v1/health',
    ]);
    const decides = ROUTES.filter(({ right }) => right === 'approve').map(({ path }) => path);
    expect(decides).toEqual(['/v1/tasks/{key}/approvals/{approval}', '/v1/grants/{id}/revoke']);
    const changing = ROUTES.filter(({ method, right }) => method !== 'GET' && right === 'read').map(({ path }) => path);
    expect(changing).toEqual([
      '/v1/abilities/{id}/plan',
      '/v1/route',
      '/codec/decode',
      '/v1/login/confirm',
      '/v1/logout',
    ]);
  });
});
