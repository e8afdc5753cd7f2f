import { stringify } from 'yaml';
import { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
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

/** The texts of all schemas by file name in `registry/schemas/`. */
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
  return withAnyJson(JSON.parse(JSON.stringify(schema)) as JsonObject);
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
