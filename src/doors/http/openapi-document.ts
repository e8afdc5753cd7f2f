import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { FILE_TYPE, FORM_TYPE, type Route } from './route.js';

const problemAnswer = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().describe('Stable; docs/errors.md lists them.'),
  suggestion: z.string().nullable(),
  location: z.unknown().nullable(),
  details: z.unknown().optional(),
});

const FAILURES: Record<string, string> = {
  400: 'The request, or what it asks for, is not valid.',
  401: 'A token or a signature is required, or the one that was sent is not valid.',
  403: 'A right is missing, or a guard or an approver denies it.',
  404: 'There is no such thing.',
  409: 'It cannot be done in the present state.',
  422: 'It is unavailable: preflight refuses it.',
  429: 'Too many requests of one caller; `retry-after` states when to ask again.',
  503: 'Temporal, a worker or the engine is unavailable.',
};

/** OpenAPI 3.1, made from the formats that check requests. @param version of the package. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const known = paths[route.path] ?? {};
    paths[route.path] = { ...known, [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ability Runtime',
      version,
      description:
        'Runs the operations of a project durably. Failures are problem+json with the codes of docs/errors.md.',
    },
    paths,
    components: {
      schemas: { Problem: schemaOf(problemAnswer, 'output') },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token that `ability token create` made.' },
      },
    },
  };
}

function operationOf(route: Route): JsonObject {
  const { summary, right, body, answers, takes } = route;
  const given = Object.entries(answers).map(([status, { means, schema, type = 'application/json' }]) => {
    const content = schema && { [type]: { schema: schemaOf(schema, 'output') } };
    return [status, { description: means, ...(content && { content }) }] as const;
  });
  const failed = Object.entries(FAILURES)
    .filter(([status]) => !Object.hasOwn(answers, status) && (right !== null || takes || status === '429'))
    .map(([status, description]) => {
      const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
      return [status, { description, content }] as const;
    });
  return {
    operationId: route.name,
    summary,
    ...(right !== null && { description: rightText(right), security: [{ token: [] }, {}] }),
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { [typeTaken(takes)]: { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: Object.fromEntries([...given, ...failed]),
  };
}

function typeTaken(takes: Route['takes']): string {
  if (takes === 'stream') return FILE_TYPE;
  return takes === 'form' ? FORM_TYPE : 'application/json';
}

function rightText(right: NonNullable<Route['right']>): string {
  return `Requires the right ${typeof right === 'function' ? 'of the operation' : `\`${right}\``}.`;
}

function parametersOf({ params, query, headers = {} }: Route): JsonObject[] {
  const named = (place: 'path' | 'query', format: z.ZodObject): JsonObject[] => {
    const { properties = {}, required = [] } = schemaOf(format, 'input');
    return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => {
      const description = isJsonObject(schema) ? schema.description : undefined;
      const isRequired = Array.isArray(required) && required.includes(name);
      return { name, in: place, required: isRequired, ...(description !== undefined && { description }), schema };
    });
  };
  const read = Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
  return [...named('path', params), ...named('query', query), ...read];
}

function schemaOf(format: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(format, { io, target: 'draft-2020-12' });
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
