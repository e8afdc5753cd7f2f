import { expect } from 'vitest';
import { importDocument, openDocument } from '../../../../../src/authoring/import/openapi/import-document.js';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { loadRegistry } from '../../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../../src/planning/resolve/resolve-plan.js';
import { temporaryProject } from '../../../temporary-project.js';
import { importInto } from '../importing.js';
import { content, documentOf, operation } from './documents.js';

const MOST_SCHEMAS = 200;
const TEXT: JsonObject = { type: 'string' };

/** Up to two hundred schemas, as in large services: they refer to each other, and all are recursive. */
function schemas(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `Thing${index}`);
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        type: 'object',
        required: ['id', 'kind'],
        properties: {
          id: { type: 'integer', format: 'int64', readOnly: true },
          kind: { type: 'string', enum: ['a', 'b'], description: 'Which of the two kinds of thing this is.' },
          name: { type: 'string', nullable: true, maxLength: 100, pattern: '^[a-z]+$' },
          secret: { type: 'string', writeOnly: true },
          created_at: { type: 'string', format: 'date-time' },
          ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, default: 1 },
          parent: { nullable: true, allOf: [{ $ref: `#/components/schemas/${name}` }] },
          children: { type: 'array', items: neighbour(index, 1) },
          owner: neighbour(index, 2),
          either: {
            oneOf: [neighbour(index, 3), TEXT],
            discriminator: { propertyName: 'kind' },
          },
        },
      },
    ]),
  );
}

/** Schemas refer to each other in groups, and each group leads back to itself. */
const neighbour = (index: number, step: number): JsonObject => ref(Math.floor(index / 5) * 5 + ((index + step) % 5));

const ref = (index: number): JsonObject => ({ $ref: `#/components/schemas/Thing${index % MOST_SCHEMAS}` });
const file = { type: 'string', format: 'binary' };

/** Kinds of operations, used in rotation. */
const KINDS: ((index: number) => [string, string, JsonObject])[] = [
  (index) => ['get', '', { responses: { 200: content('application/json', { type: 'array', items: ref(index) }) } }],
  (index) => [
    'post',
    '',
    {
      requestBody: { required: true, ...content('application/json', ref(index)) },
      responses: { 201: content('application/json', ref(index)) },
    },
  ],
  (index) => [
    'get',
    '/{id}',
    { responses: { 200: content('application/json', ref(index)), 404: { description: 'x' } } },
  ],
  (index) => [
    'put',
    '/{id}',
    {
      requestBody: { ...content('application/json', ref(index)) },
      responses: { 200: content('application/json', ref(index)) },
    },
  ],
  (index) => [
    'patch',
    '/{id}',
    {
      requestBody: { required: true, ...content('application/merge-patch+json', ref(index)) },
      responses: { default: { description: 'x' } },
    },
  ],
  () => ['delete', '/{id}', { responses: { 204: { description: 'gone' } } }],
  () => [
    'post',
    '/{id}/file',
    {
      requestBody: {
        required: true,
        ...content('multipart/form-data', { type: 'object', properties: { file, note: { type: 'string' } } }),
      },
    },
  ],
  () => ['get', '/{id}/file', { responses: { 200: content('application/pdf', file) } }],
  () => [
    'post',
    '/{id}/form',
    {
      requestBody: {
        required: true,
        ...content('application/x-www-form-urlencoded', {
          type: 'object',
          properties: { a: { type: 'object' }, b: { type: 'string' } },
        }),
      },
    },
  ],
  (index) => [
    'get',
    '/{id}/search',
    { security: [{ basic: [] }], responses: { 200: content('text/csv'), 202: content('text/plain', ref(index)) } },
  ],
];

function documentWith(count: number): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (let index = 0; index < count; index += 1) {
    const kind = KINDS[index % KINDS.length];
    if (!kind) continue;
    const [method, suffix, more] = kind(index);
    const path = `/things${Math.floor(index / KINDS.length)}${suffix}`;
    const parameters: JsonObject[] = [
      ...(suffix === '' ? [] : [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]),
      { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
      { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
      { name: 'X-Trace', in: 'header', schema: { type: 'string', format: 'uuid' } },
    ];
    const described = operation({ operationId: `${method}Thing${index}`, tags: ['things'], parameters, ...more });
    paths[path] = { ...paths[path], [method]: described };
  }
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' }, basic: { type: 'http', scheme: 'basic' } };
  return documentOf(paths, {
    security: [{ token: [] }],
    components: { schemas: schemas(Math.min(count, MOST_SCHEMAS)), securitySchemes },
  });
}

/**
 * Imports a service with `count` operations, and checks that its definitions load, resolve, and do not change when
 * they are imported again.
 *
 * @returns milliseconds of processor time that the first import took, since other processes use the machine
 * as well.
 */
export async function importMany(count: number): Promise<number> {
  const project = temporaryProject();
  const text = JSON.stringify(documentWith(count));
  const before = process.cpuUsage();
  const imported = await importDocument(openDocument(text, 'api.json'), { service: 'acme', prefix: 'acme' });
  const options = {
    kind: 'openapi',
    name: 'acme',
    prefix: 'acme',
    command: 'ability import openapi api.json',
  } as const;
  const planned = importInto(project, imported, options);
  const { user, system } = process.cpuUsage(before);

  expect(planned.leftOut).toEqual([]);
  expect(planned.operations).toHaveLength(count);
  const registry = loadRegistry(project.root);
  expect(registry.problems).toEqual([]);
  expect(registry.operations.size).toBe(count);
  for (const key of registry.operations.keys()) expect(resolvePlan(registry, key, 'dev').warnings).toEqual([]);

  const again = importInto(project, imported, options);
  expect(again.operations.filter(({ status }) => status !== 'unchanged')).toEqual([]);
  return (user + system) / 1000;
}
