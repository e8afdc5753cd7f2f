import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/contracts/json.js';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import {
  FORMATS,
  type FormatName,
  PARTS,
  schemaFiles,
  schemaOf,
} from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';
import { temporaryProject } from '../temporary-project.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'registry/schemas');
const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }));
const validators = new Map(Object.entries(FORMATS).map(([name, format]) => [name, ajv.compile(schemaOf(format))]));

function bySchema(format: FormatName, text: string): boolean {
  return validators.get(format)?.(parse(text, { uniqueKeys: false })) === true;
}

function byLoader(format: FormatName, text: string): string[] {
  const source = readYaml('x.yaml', text);
  if (isProblem(source)) return [source.message];
  const checked = checkFormat(FORMATS[format].format, source);
  return 'problems' in checked ? checked.problems.map(({ message }) => message) : [];
}

describe('registry/schemas', () => {
  test('holds the current schemas of all formats; `npm run schemas` writes them (design, section 4)', () => {
    const files = Object.fromEntries(
      readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
    );
    expect(files).toEqual(Object.fromEntries(schemaFiles()));
  });

  test('is never read as definitions', () => {
    const files = [...schemaFiles()].map(([name, text]) => [`registry/schemas/${name}`, text]);
    const { root } = temporaryProject(Object.fromEntries(files));
    expect(loadRegistry(root).problems).toEqual([]);
  });

  test('R-002-09, R-002-10: ability_impl defines id, impl.kind and the fields of impl.script', () => {
    const accepts = ajv.compile(schemaOf(PARTS.ability_impl));
    const script = { path: 'a.py', args_template: '--input {input_file}', timeout_sec: 60, env_profile: 'default' };
    expect(accepts({ id: 'generate', impl: { kind: 'script', script } })).toBe(true);
    expect(accepts({ impl: { kind: 'script', script } })).toBe(false);
    expect(accepts({ id: 'generate', impl: { kind: 'program', script } })).toBe(false);
    expect(accepts({ id: 'generate', impl: { kind: 'script', script: { args_template: '' } } })).toBe(false);
    expect(accepts({ id: 'generate', impl: { kind: 'mcp', mcp: { server: 'logs', tool: 'search' } } })).toBe(true);
    expect(accepts({ id: 'generate', impl: { kind: 'api', api: { path: '/x' } } })).toBe(true);
  });

  test('hook_impl defines how a hook is carried out', () => {
    const accepts = ajv.compile(schemaOf(PARTS.hook_impl));
    expect(accepts({ script: { path: 'hooks/ready.mjs', timeout_sec: 10 } })).toBe(true);
    expect(accepts({ expression: { deny_if: 'true' } })).toBe(true);
    expect(accepts({ builtin: 'usage' })).toBe(true);
    expect(accepts({ expression: { reason: 'none' } })).toBe(false);
    expect(accepts({ script: {} })).toBe(false);
  });

  test('R-002-12, R-002-13: an entry of the sample configuration is valid against ability_impl', () => {
    const { abilities } = parse(readFileSync(join(ROOT, 'registry/config/abilities.yaml'), 'utf8')) as {
      abilities: JsonObject[];
    };
    expect(abilities.map((entry) => entry.id)).toEqual(['generate_example_data']);
    const accepts = ajv.compile(schemaOf(PARTS.ability_impl));
    expect(abilities.map((entry) => accepts(entry))).toEqual([true]);
  });

  test.each(Object.entries({ ...FORMATS, ...PARTS }))('describes each field of %s', (_, format) => {
    const schema = schemaOf(format);
    expect([...undescribed(schema, '', schema)]).toEqual([]);
  });
});

/** Fields without a description that an editor could show. */
function* undescribed(schema: Json, path: string, root: JsonObject): Generator<string> {
  if (Array.isArray(schema)) for (const item of schema) yield* undescribed(item, path, root);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'default' || key === 'enum') continue;
    if (key !== 'properties') yield* undescribed(value, path, root);
    else {
      for (const [name, field] of Object.entries(value as Record<string, JsonObject>)) {
        const forbidden = JSON.stringify(field.not) === '{}';
        const named = (root.definitions as Record<string, JsonObject>)[
          String(field.$ref).replace('#/definitions/', '')
        ];
        if ((field.description ?? named?.description) === undefined && !forbidden) yield `${path}.${name}`;
        yield* undescribed(field, `${path}.${name}`, root);
      }
    }
  }
}

describe('each definition of this repository', () => {
  const files = [
    'ability.yaml',
    ...readdirSync(join(ROOT, 'registry'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.yaml') && !path.startsWith('schemas'))
      .map((path) => join('registry', path)),
  ];

  test.each(files)('%s names its schema in its first line, and is valid against it', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
    const schema = resolve(ROOT, dirname(path), named);
    expect(existsSync(schema)).toBe(true);
    const found = Object.entries(FORMATS).find(([, { file }]) => file === basename(schema));
    const [format] = found as [FormatName, unknown];
    expect([bySchema(format, text), byLoader(format, text)]).toEqual([true, []]);
  });
});

const LOW = 'operation_key: op\nsummary: s\n';
const HIGH = 'id: w\ntype: workflow\nversion: 1\nsummary: s\n';
const STEP = `${HIGH}steps:\n`;
const IMPLEMENTATION = 'id: i\noperation_key: op\n';
const PROJECT = 'format: 1\nproject: p\nenvironments: { dev: {} }\n';

test.each<[FormatName, string]>([
  ['project', PROJECT],
  ['project', 'format: 1\nproject: p\nenvironments: { dev: }\npolicy: { max_timeout: 1h }\n'],
  ['low-level', LOW],
  ['low-level', `${LOW}version: "2.1.0"\neffects: read\ninput_schema: { anything: [1, { deep: null }] }\n`],
  ['low-level', `${LOW}implementation: { kind: script, script: { path: a.sh, interpreter: [sh, -e] } }`],
  ['high-level', `${STEP}  - { id: a, call: op, retry: { first: "\${{ input.wait }}" } }`],
  ['high-level', `${STEP}  - { id: a, foreach: [1], as: x, steps: [{ id: b, steps: [{ id: c, wait: 1s }] }] }`],
  ['high-level', `${STEP}  - { id: a, parallel: { x: { call: op }, y: { end: } } }\n  - { id: d, if: true, let: {} }`],
  ['implementations', `${IMPLEMENTATION}kind: mcp\nmcp: {}\nfail_if: output.isError\n`],
  ['config', 'abilities: [{ id: op, environments: { dev: { endpoints: { default: "env:URL" } } } }]'],
  ['config', 'mcp_servers: { a: { command: node }, b: { url: "https://x.test/mcp" } }'],
  ['hooks', 'hooks: [{ id: h, handler: { builtin: { name: usage } } }]'],
  ['project', 'format: 1\nproject: p\nenvironments: { dev: { network: false } }\n'],
  ['capabilities', 'capabilities: { web: { description: d, keywords: [the web], needs: network } }'],
  ['packs', 'specialists: { data: { description: d, workflow: w, capabilities: [web], builder: "a.b:c" } }'],
  [
    'cases',
    'ability: op\ncases: [{ name: n, hooks: { h: allow }, approvals: { a: approve, b: [{ decision: deny }] } }]',
  ],
])('a valid text is valid for the schema and the loader: %s, %j', (format, text) => {
  expect([bySchema(format, text), byLoader(format, text)]).toEqual([true, []]);
});

test.each<[FormatName, string]>([
  ['project', 'project: p\nenvironments: { dev: {} }\n'],
  ['project', `${PROJECT}polices: {}\n`],
  ['project', 'format: 1\nproject: P\nenvironments: { dev: {} }\n'],
  ['project', 'format: 1\nproject: p\nenvironments: {}\n'],
  ['project', 'format: 1\nproject: p\nenvironments: { Dev: {} }\n'],
  ['project', `${PROJECT}policy: { max_timeout: PT1H }\n`],
  ['project', 'format: 1\nproject: p\nenvironments: { dev: { quorum: 0 } }\n'],
  ['project', 'format: 1\nproject: p\nenvironments: { dev: { protected: yes } }\n'],
  ['low-level', 'summary: s\n'],
  ['low-level', 'operation_key: Op\nsummary: s\n'],
  ['low-level', 'operation_key: constructor\nsummary: s\n'],
  ['low-level', `${LOW}effects: write\n`],
  ['low-level', `${LOW}scope: { envs: [dev] }\n`],
  ['low-level', `${LOW}input_schema: [type]\n`],
  ['low-level', `${LOW}version: 1.5\n`],
  ['low-level', `${LOW}implementation: { kind: script, mcp: { server: s } }`],
  ['low-level', `${LOW}implementation: { kind: script, script: { path: a.sh, timeout_sec: 0 } }`],
  ['low-level', `${LOW}implementation: { kind: rpc, script: { path: a.sh } }`],
  ['high-level', `${HIGH}steps: []`],
  ['high-level', `${HIGH}steps: [{ id: a, call: op }]\nexamples: [{ output: 1 }]`],
  ['high-level', `${HIGH}steps: [{ id: a, call: op }]\nconstraints: { runtime: 5 }`],
  ['high-level', `${STEP}  - { id: a-b, call: op }`],
  ['high-level', `${STEP}  - { id: true, call: op }`],
  ['high-level', `${STEP}  - { id: in, call: op }`],
  ['high-level', `${STEP}  - { call: op }`],
  ['high-level', `${STEP}  - { id: a, call: op, wait: 1s }`],
  ['high-level', `${STEP}  - { id: a, call: op, timeout-minutes: 5 }`],
  ['high-level', `${STEP}  - { id: a, wait: 30 seconds }`],
  ['high-level', `${STEP}  - { id: a, wait: { signal: approve } }`],
  ['high-level', `${STEP}  - { id: a, foreach: [1], steps: [{ id: b, call: op }] }`],
  ['high-level', `${STEP}  - { id: a, repeat: { until: "true", max: 0 }, steps: [{ id: b, call: op }] }`],
  ['high-level', `${STEP}  - { id: a, parallel: { x-y: { call: op } } }`],
  ['high-level', `${STEP}  - { id: a, call: op, retry: { attempts: 101 } }`],
  ['high-level', `${STEP}  - { id: a, fail: { code: Wrong, message: m } }`],
  ['high-level', `${HIGH}steps: [{ id: a, call: op }]\nconcurrency: { key: k, limit: 0 }`],
  ['implementations', 'operation_key: op\nkind: script\nscript: { path: a.sh }\n'],
  ['implementations', `${IMPLEMENTATION}kind: script\nscript: { path: a.sh }\ntags: [not a name]\n`],
  ['implementations', `${IMPLEMENTATION}kind: api\napi: { method: FETCH }\n`],
  ['implementations', `${IMPLEMENTATION}kind: script\nscript: { path: a.sh }\noverridable: { a: true }\n`],
  ['config', 'abilities: { op: {} }'],
  ['config', 'abilities: [{ id: op, environments: { dev: { credentials: { token: s3cret } } } }]'],
  ['config', 'abilities: [{ id: op, environments: { dev: { endpoints: { default: "ftp://x.test" } } } }]'],
  ['config', 'env_profiles: { p: { secrets: { A: abc } } }'],
  ['config', 'env_profiles: { p: { set: { A: 1 } } }'],
  ['config', 'mcp_servers: { a: { command: node, url: "https://x.test" } }'],
  ['config', 'hooks_impl: [{ id: h, script: a.sh }]'],
  ['hooks', 'hooks: { h: {} }'],
  ['hooks-impl', 'hooks: [{ id: h }]'],
  ['hooks-impl', 'hooks: [{ id: h, impl: { kind: ability, script: { path: a.sh } } }]'],
  ['modules', 'id: users\nsummary: s\nstatus: old\npath: users\n'],
  ['modules', 'id: users\nsummary: s\nstatus: stable\nreplaced_by: accounts\npath: users\n'],
  ['capabilities', 'capabilities: { web: { description: d, keywords: [] } }'],
  ['capabilities', 'capabilities: { web: { description: d, keywords: [" "] } }'],
  ['capabilities', 'capabilities: { web: { description: d, keywords: [w], needs: gpu } }'],
  ['packs', 'specialists: { data: { description: d } }'],
  ['packs', 'specialists: { data: { description: d, workflow: w, model: big } }'],
  ['packs', 'packs: {}'],
  ['low-level', 'operation_key: op\nsummary: s\nreplaced_by: other\n'],
  ['high-level', 'id: w\ntype: workflow\nsummary: s\noutput: 1\n'],
  ['hooks', 'hooks: [{ id: h, handler: { builtin: nothing } }]'],
  ['hooks', 'hooks: [{ id: h, handler: { expression: { reason: r } } }]'],
  ['hooks', 'hooks: [{ id: h, match: { effects: [write] }, handler: { builtin: usage } }]'],
  ['cases', 'ability: op\ncases: []'],
  ['cases', 'ability: op\ncases: [{ name: n, expect: { status: done } }]'],
  ['cases', 'ability: op\ncases: [{ name: n, mocks: { op: { outputs: 1 } } }]'],
])('an invalid text is invalid for the schema and the loader: %s, %j', (format, text) => {
  expect(bySchema(format, text)).toBe(false);
  expect(byLoader(format, text)).not.toEqual([]);
});

test.each<[string, FormatName, string]>([
  ['a key twice', 'low-level', `${LOW}notes: a\nnotes: b\n`],
  ['a path with a query', 'implementations', `${IMPLEMENTATION}kind: api\napi: { path: "/a?b=c" }\n`],
  ['waits that end before they begin', 'high-level', `${STEP}  - { id: a, call: op, retry: { first: 9s, max: 1s } }`],
  [
    'choices of another type',
    'high-level',
    `${STEP}  - { id: a, approval: { title: t, fields: { f: { type: integer, enum: [x] } } } }`,
  ],
  ['more than ten years', 'high-level', `${STEP}  - { id: a, wait: 9999d }`],
  ['__proto__ in data', 'low-level', `${LOW}input_schema: { "__proto__": {} }\n`],
])('what no schema can express is reported by the loader: %s', (_, format, text) => {
  expect(bySchema(format, text)).toBe(true);
  expect(byLoader(format, text)).not.toEqual([]);
});
