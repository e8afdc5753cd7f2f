import { stringify } from 'yaml';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { agent } from '../formats/agent.js';
import { cases } from '../formats/cases.js';
import { abilityConfig, config } from '../formats/config.js';
import { highLevel } from '../formats/high-level.js';
import { handler, hooks, hooksImpl } from '../formats/hooks.js';
import { implementation } from '../formats/implementation.js';
import { lowLevel } from '../formats/low-level.js';
import { moduleOverview } from '../formats/module.js';
import { project } from '../formats/project.js';
import { capabilities, packs } from '../formats/specialists.js';
import type { FileKindName } from '../registry.js';

export type FormatName = FileKindName | 'agent' | 'project' | 'cases';

interface Format {
  file: string;
  title: string;
  description: string;
  format: z.ZodType;
}

export const FORMATS: Record<FormatName, Format> = {
  project: {
    file: 'project.schema.yaml',
    title: 'Project',
    description: '`ability.yaml` marks a project and names its environments.',
    format: project,
  },
  'low-level': {
    file: 'low-level.schema.yaml',
    title: 'Low-level ability',
    description: '`registry/low-level/*.yaml`, one file per operation: its contract.',
    format: lowLevel,
  },
  'high-level': {
    file: 'high-level.schema.yaml',
    title: 'High-level ability',
    description: '`registry/high-level/*.yaml`, one file per workflow: its contract and its steps.',
    format: highLevel,
  },
  agent: {
    file: 'agent.schema.yaml',
    title: 'Agent',
    description: '`registry/high-level/*.yaml` with `type: agent`: the profile of an agent.',
    format: agent,
  },
  implementations: {
    file: 'implementation.schema.yaml',
    title: 'Implementation',
    description: '`registry/implementations/*.yaml`, one file per implementation: how an operation is carried out.',
    format: implementation,
  },
  config: {
    file: 'config.schema.yaml',
    title: 'Configuration',
    description: '`registry/config/*.yaml`: how and where abilities run, environment by environment.',
    format: config,
  },
  'hooks-impl': {
    file: 'hooks-impl.schema.yaml',
    title: 'Handlers of hooks',
    description: '`registry/config/hooks_impl.yaml`: the handlers of hooks that have none where they are defined.',
    format: hooksImpl,
  },
  modules: {
    file: 'module.schema.yaml',
    title: 'Module',
    description: '`modules/overview/*.yaml`, one file per module: what it is, and how far to rely on it.',
    format: moduleOverview,
  },
  capabilities: {
    file: 'capabilities.schema.yaml',
    title: 'Capabilities',
    description:
      '`registry/capabilities.yaml`: the capabilities that packs can have, and the words of requests that need them.',
    format: capabilities,
  },
  packs: {
    file: 'packs.schema.yaml',
    title: 'Packs',
    description: '`registry/packs.yaml`: the specialists that can be recruited for requests.',
    format: packs,
  },
  hooks: {
    file: 'hooks.schema.yaml',
    title: 'Hooks',
    description: '`registry/hooks/<Phase>.yaml`: the hooks of one phase.',
    format: hooks,
  },
  cases: {
    file: 'cases.schema.yaml',
    title: 'Test cases',
    description: '`registry/{low,high}-level/*.test.yaml`: the test cases of an ability.',
    format: cases,
  },
};

/** Parts of formats for which the sources name a schema. Source: R-002-09 to R-002-11. */
export const PARTS: Record<'ability_impl' | 'hook_impl', Format> = {
  ability_impl: {
    file: 'ability_impl.schema.yaml',
    title: 'Configuration of an ability',
    description: 'An entry of `abilities` in `registry/config/*.yaml`: an ability, and how it is executed.',
    format: abilityConfig,
  },
  hook_impl: {
    file: 'hook_impl.schema.yaml',
    title: 'Handler of a hook',
    description:
      'The `handler` of an entry of `hooks` in `registry/hooks/<Phase>.yaml`: where the hook is carried out.',
    format: handler,
  },
};

export function schemaOf({ format, title, description }: Format): JsonObject {
  const { $schema, ...schema } = jsonSchemaOf(format);
  return { $schema: $schema ?? null, title, description, ...schema };
}

const HEADER = '# Made from the formats of Ability Runtime. Changes here are lost when it is written again.\n';

/** The texts of all schemas by file name in `registry/schemas/`. Source: docs/definitions.md. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    [...Object.values(FORMATS), ...Object.values(PARTS)].map((format) => [
      format.file,
      HEADER + stringify(schemaOf(format), { lineWidth: 120, aliasDuplicateObjects: false }),
    ]),
  );
}

/** The draft that editors' language servers support best. */
const TARGET = 'draft-7';

/**
 * The JSON Schema of a format as authors write it, before defaults and transformations. Rules that it can express
 * are in the `meta` of the formats; the loader checks all others.
 */
function jsonSchemaOf(format: z.ZodType): JsonObject {
  const schema = z.toJSONSchema(format, {
    io: 'input',
    target: TARGET,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A key of another variant; otherwise it would pass with any value.
      if (zodSchema._zod.def.type === 'undefined') jsonSchema.not = {};
    },
  });
  return describeApi(withAnyJson(JSON.parse(JSON.stringify(schema)) as JsonObject));
}

/** Names "any JSON": written out, it refers to itself, and editors show it as six choices. */
function withAnyJson(spelt: JsonObject): JsonObject {
  const named = (spelt.definitions ?? {}) as JsonObject;
  const recursive = /"#\/definitions\/(\w+)"/.exec(JSON.stringify(named.json ?? null))?.[1];
  if (recursive === undefined) return spelt;
  const text = JSON.stringify(spelt).replaceAll(`"#/definitions/${recursive}"`, '"#/definitions/json"');
  const { definitions, ...schema } = JSON.parse(text) as JsonObject;
  const { [recursive]: _, ...kept } = definitions as JsonObject;
  return { ...schema, definitions: { ...kept, json: { description: 'Any JSON value.' } } };
}

/** Descriptions of the fields of an HTTP call, by their path in the `api` section. */
const API_FIELDS: Record<string, string> = {
  method: 'The HTTP method.',
  path: 'The path, with {name} for the input of that name, and {+name} to keep its slashes.',
  endpoint: 'Which of `endpoints` in the configuration is the base URL.',
  params: 'Where inputs are sent, by input; only needed if it differs from the default.',
  'params.in': 'The place: query, header, path and so on.',
  'params.name': 'Its name in the API; without it, the name of the input.',
  'params.style': 'How a list or map is written.',
  'params.explode': 'Whether each item is a parameter of its own.',
  'params.allow_reserved': 'Keeps reserved characters as they are.',
  query: 'Parameters of the query, with ${{ }}.',
  headers: 'Headers, with ${{ }}; may contain {credential:NAME}.',
  body: 'The body; without it, the input that nothing else uses.',
  'body.type': 'How the body is written.',
  'body.content_type': 'The media type that is sent.',
  'body.value': 'The body as a template, with ${{ }}.',
  'body.required': 'Sends the body even if none of its fields is set, as `{}`.',
  auth: 'How the call authenticates, if a header is not enough.',
  'auth.basic': 'User and password, sent as the Authorization header.',
  'auth.basic.user': 'The user, such as {credential:user}.',
  'auth.basic.password': 'The password, such as {credential:password}.',
  'auth.query': 'Parameters of the query that hold credentials; masked in logs.',
  response: 'How the answer is read.',
  'response.as': 'As json, text or base64; without it, json or else text.',
  'response.headers': 'Headers that are part of the output, which is then { body, headers }.',
  'response.status': 'Makes the status part of the output, as { status, body }. From 300 on the call still fails.',
  'response.big_integers': '`text` returns integers beyond 2^53 - 1 as text; without it, they are refused.',
  rate_limit: 'The maximum number of calls that a worker makes.',
  'rate_limit.per_minute': 'Per minute.',
  'rate_limit.per_day': 'Per day.',
  timeout_sec: 'How long a call may take; 60 without it.',
};

function describeApi(schema: JsonObject): JsonObject {
  for (const section of apiSectionsIn(schema)) describeFields(section, '');
  return schema;
}

function* apiSectionsIn(schema: Json): Generator<JsonObject> {
  if (!isJsonObject(schema)) {
    if (Array.isArray(schema)) for (const item of schema) yield* apiSectionsIn(item);
    return;
  }
  const { properties } = schema;
  if (isJsonObject(properties) && ['method', 'path', 'endpoint'].every((key) => Object.hasOwn(properties, key)))
    yield schema;
  else for (const item of Object.values(schema)) yield* apiSectionsIn(item);
}

function describeFields(schema: JsonObject, path: string): void {
  if (isJsonObject(schema.properties)) {
    for (const [key, field] of Object.entries(schema.properties)) {
      if (!isJsonObject(field)) continue;
      const at = path === '' ? key : `${path}.${key}`;
      const text = API_FIELDS[at];
      if (text !== undefined) field.description ??= text;
      describeFields(field, at);
    }
  } else if (isJsonObject(schema.additionalProperties)) describeFields(schema.additionalProperties, path);
}
