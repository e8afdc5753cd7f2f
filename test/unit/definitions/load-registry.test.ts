import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadRegistry, RegistryLoader } from '../../../src/definitions/load-registry.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, SCRIPT, temporaryProject } from '../temporary-project.js';

const WORKFLOW = 'id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, call: db.read }]\n';
const HOOKS = 'hooks: [{ id: guard, blocking: true, match: {}, handler: { expression: { deny_if: "false" } } }]\n';
const CONFIG = [
  'abilities: [{ id: db.read, default_implementation: db.read }]',
  'env_profiles: { database: { pass: [PATH] } }',
  'mcp_servers: { logs: { command: node } }',
].join('\n');
const DOCUMENT = 'id: db.fast\noperation_key: db.read\nkind: script\nscript: { path: s.mjs }\n';

describe('R-000-25: each kind of file has its format and its folder', () => {
  test.each([
    ['registry', 'registry/hooks'],
    ['.system/registry', '.system/hooks'],
  ])('under %s and %s', (registry, hooks) => {
    const loaded = registryOf({
      [`${registry}/low-level/db.read.yaml`]: `operation_key: db.read\nsummary: s\n${SCRIPT}`,
      [`${registry}/high-level/w.yaml`]: WORKFLOW,
      [`${registry}/implementations/db.fast.yaml`]: DOCUMENT,
      [`${registry}/config/abilities.yaml`]: CONFIG,
      [`${hooks}/PreAbilityCall.yaml`]: HOOKS,
    });
    expect(loaded.problems).toEqual([]);
    expect([...loaded.operations.keys()]).toEqual(['db.read']);
    expect([...loaded.workflows.keys()]).toEqual(['w']);
    expect([...loaded.implementations.keys()]).toEqual(['db.fast']);
    expect([...loaded.configs.keys()]).toEqual(['db.read']);
    expect([...loaded.envProfiles.keys()]).toEqual(['database']);
    expect([...loaded.mcpServers.keys()]).toEqual(['logs']);
    expect(loaded.hooks.get('PreAbilityCall')?.map(({ value }) => value.id)).toEqual(['guard']);
  });

  test('files may be in subfolders, and end in .yml', () => {
    const loaded = registryOf({
      'registry/low-level/db/read.yml': `operation_key: db.read\nsummary: s\n${SCRIPT}`,
      'registry/low-level/.draft/x.yaml': 'operation_key: draft\nsummary: s\n',
      'registry/low-level/notes.txt': 'no definition',
    });
    expect([...loaded.operations.keys()]).toEqual(['db.read']);
    expect(loaded.problems).toEqual([]);
  });

  test('the id comes from the content of a file, never from its name', () => {
    const loaded = registryOf({ 'registry/high-level/signup_e2e.yaml': WORKFLOW });
    expect([...loaded.workflows.keys()]).toEqual(['w']);
  });

  test.each(['PreAbilityCall.yaml', 'pre_ability_call.yaml', 'pre-ability-call.yml'])(
    'hooks of a phase are read from %s',
    (name) => {
      expect(registryOf({ [`registry/hooks/${name}`]: HOOKS }).hooks.get('PreAbilityCall')).toHaveLength(1);
    },
  );

  test('a project without definitions is empty, not broken', () => {
    const loaded = registryOf({});
    expect([loaded.operations.size, loaded.workflows.size, loaded.problems.length]).toEqual([0, 0, 0]);
  });
});

test.each([
  ['script', 'script: { path: s.mjs }'],
  ['mcp', 'mcp: { server: logs, tool: search }'],
  ['api', 'api: { method: POST, path: /charge }'],
])('R-000-21: an operation may be of kind %s', (kind, section) => {
  const loaded = registryOf(lowLevel('op', `implementation: { kind: ${kind}, ${section} }`));
  expect(loaded.problems).toEqual([]);
  expect(loaded.operations.get('op')?.value.implementation?.kind).toBe(kind);
});

test('R-000-27: an operation has a summary, use cases and notes about what it changes', () => {
  const yaml = [
    'summary: Writes a row.',
    'use_cases: [seed a user]',
    'effects: write_idempotent',
    'notes: Twice is once.',
  ];
  const loaded = registryOf(lowLevel('db.write', ...yaml, SCRIPT));
  expect(loaded.operations.get('db.write')?.value).toMatchObject({
    summary: 'Writes a row.',
    use_cases: ['seed a user'],
    effects: 'write_idempotent',
    notes: 'Twice is once.',
  });
});

test('R-000-24: a registry file is YAML with contract, scope, use, constraints, hooks and implementation', () => {
  const low = [
    'use_cases: [seed a user]',
    'notes: Never in prod.',
    'scope: { modules: [users.api], environments: [dev] }',
    'input_schema: { type: object, required: [user_id] }',
    'output_schema: { type: object, required: [status] }',
    'hooks: { pre_call: [guard] }',
  ];
  const high = [
    'scenarios: [Seed two users.]',
    'scope: { modules: [users.api], environments: [dev] }',
    'input_schema: { type: object }',
    'output_schema: { type: object }',
    'constraints: { max_runtime: 1h, cost: low }',
    'operations: [db.write]',
    'hooks: { pre_call: [guard] }',
    'steps: [{ id: a, call: db.write }]',
  ];
  const files = {
    ...lowLevel('db.write', ...low, SCRIPT),
    'registry/high-level/seed.yaml': `id: seed\ntype: workflow\nversion: 1\nsummary: s\n${high.join('\n')}\n`,
    'registry/hooks/PreAbilityCall.yaml': HOOKS,
  };
  const loaded = registryOf(files);
  expect(loaded.problems).toEqual([]);
  expect(loaded.operations.get('db.write')?.value).toMatchObject(parse(`${low.join('\n')}\n${SCRIPT}`));
  expect(loaded.workflows.get('seed')?.value).toMatchObject(parse(high.join('\n')));
});

describe('R-000-45, R-000-47: an operation and its implementation are separate', () => {
  test.each([
    ['script', 'script: { path: scripts/any.mjs, timeout_sec: 7 }'],
    ['mcp', 'mcp: { server: logs, tool: search }'],
    ['api', 'api: { method: POST, path: /charge, endpoint: main }'],
  ])('of kind %s', (kind, section) => {
    const document = `id: one.way\noperation_key: op\nkind: ${kind}\n${section}\ntags: [fast]\nlimitations: Slow.\n`;
    const files = (more: ProjectFiles = {}) =>
      registryOf({ ...contract(), 'registry/implementations/x.yaml': document, ...more });
    const contract = (...more: string[]) => lowLevel('op', 'input_schema: { type: object, required: [n] }', ...more);
    const loaded = files();
    expect(loaded.problems).toEqual([]);
    expect(loaded.operations.get('op')?.value).toEqual(registryOf(contract()).operations.get('op')?.value);
    expect(loaded.implementations.get('one.way')?.value).toMatchObject(parse(document));
    for (const key of ['tags: [fast]', 'limitations: Slow.', section]) {
      expect(files(contract(key)).problems).toMatchObject([{ code: 'definition.invalid' }]);
    }
    for (const key of ['input_schema: {}', 'effects: read', 'scope: {}', 'use_cases: []']) {
      const mixed = { 'registry/implementations/x.yaml': `${document}${key}\n` };
      expect(files(mixed).problems).toMatchObject([{ code: 'definition.invalid' }]);
    }
  });
});

test('an operation that does not state its effects counts as destructive', () => {
  const loaded = registryOf({ 'registry/low-level/x.yaml': `operation_key: x\nsummary: s\n${SCRIPT}` });
  expect(loaded.operations.get('x')?.value.effects).toBe('destructive');
});

test('R-000-39: a workflow may carry hints and the three lists of hooks', () => {
  const more = 'routing_hints: { keywords: [k] }\nhooks: { pre_create: [a], pre_call: [b], post_call: [c] }\n';
  const loaded = registryOf({ 'registry/high-level/w.yaml': WORKFLOW + more });
  expect(loaded.workflows.get('w')?.value).toMatchObject({
    routing_hints: { keywords: ['k'] },
    hooks: { pre_create: ['a'], pre_call: ['b'], post_call: ['c'] },
  });
});

test('a definition knows the locations of its parts', () => {
  const loaded = registryOf({ 'registry/high-level/w.yaml': WORKFLOW });
  const workflow = loaded.workflows.get('w');
  expect(workflow?.locate(['steps', 0, 'call'])).toEqual({ file: 'registry/high-level/w.yaml', line: 5, column: 24 });
  expect(workflow?.locate(['steps', 0, 'call'], 'key')).toMatchObject({ line: 5, column: 18 });
  expect(workflow?.locate(['steps', 7, 'call'])).toMatchObject({ line: 5, column: 8 });
});

describe('ability.yaml', () => {
  test('without a value an environment has its defaults', () => {
    const { project } = registryOf({
      'ability.yaml': 'format: 1\nproject: p\nenvironments:\n  dev:\n  prod: { protected: true }\n',
    });
    expect(project.environments.dev).toMatchObject({ protected: false, approve: [], quorum: 1, proof: 'claimed' });
    expect(project.environments.prod).toMatchObject({ protected: true });
  });

  test('a broken file is an error, because nothing can run without it', () => {
    const { root } = temporaryProject({ 'ability.yaml': 'format: 1\nproject: p\nenviroments: { dev: {} }\n' });
    const error = errorOf(() => loadRegistry(root));
    expect(error.code).toBe('definition.invalid');
    expect(error.location?.file).toBe('ability.yaml');
  });

  test('a default environment that does not exist is an error with its location', () => {
    const { root } = temporaryProject({
      'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\ndefault_environment: prod\n',
    });
    const error = errorOf(() => loadRegistry(root));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.location).toEqual({ file: 'ability.yaml', line: 4, column: 22 });
  });
});

describe('loading again', () => {
  const files = lowLevel('db.read', 'summary: First.', SCRIPT);
  const path = Object.keys(files)[0] as string;

  test('a file that changed is read again, and the digest of the registry changes with it', () => {
    const project = temporaryProject(files);
    const loader = new RegistryLoader(project.root);
    const before = loader.load();
    project.write(lowLevel('db.read', 'summary: Changed and longer.', SCRIPT));
    const after = loader.load();
    expect(after.operations.get('db.read')?.value.summary).toBe('Changed and longer.');
    expect(after.digest).not.toBe(before.digest);
  });

  test('a change that keeps the size is detected by the time of the file', () => {
    const project = temporaryProject(files);
    const loader = new RegistryLoader(project.root);
    loader.load();
    project.write(lowLevel('db.read', 'summary: Fresh.', SCRIPT));
    utimesSync(join(project.root, path), new Date(), new Date(Date.now() + 5000));
    expect(loader.load().operations.get('db.read')?.value.summary).toBe('Fresh.');
  });

  test('a file whose time and size did not change is not read again', () => {
    const project = temporaryProject(files);
    const loader = new RegistryLoader(project.root);
    const when = new Date('2026-01-01T00:00:00Z');
    utimesSync(join(project.root, path), when, when);
    loader.load();
    writeFileSync(join(project.root, path), 'x'.repeat(lengthOf(files[path])));
    utimesSync(join(project.root, path), when, when);
    expect(loader.load().operations.get('db.read')?.value.summary).toBe('First.');
  });

  test('a file that was added or removed is noticed', () => {
    const project = temporaryProject(files);
    const loader = new RegistryLoader(project.root);
    loader.load();
    project.write(lowLevel('db.write', SCRIPT));
    expect([...loader.load().operations.keys()]).toEqual(['db.read', 'db.write']);
  });

  test('if no file changed, the definitions are the same in a new registry, and others as soon as anything differs', () => {
    const project = temporaryProject(files);
    const loader = new RegistryLoader(project.root);
    const first = loader.load();
    const again = loader.load();
    expect(again.operations).toBe(first.operations);
    // The contents of scripts are cached for each registry object.
    expect(again).not.toBe(first);
    project.write({ 'registry/high-levle/x.yaml': 'id: x\n' });
    const second = loader.load();
    expect(second.operations).not.toBe(first.operations);
    expect(second.problems).toHaveLength(first.problems.length + 1);
    rmSync(join(project.root, 'registry/high-levle'), { recursive: true });
    expect(loader.load().problems).toEqual(first.problems);
    rmSync(join(project.root, path));
    expect([...loader.load().operations.keys()]).toEqual([]);
  });

  test('the same files have the same digest wherever they are', () => {
    const more = { ...files, 'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\n' };
    expect(registryOf(more).digest).toBe(registryOf(more).digest);
  });
});

function lengthOf(text: string | undefined): number {
  return text?.length ?? 0;
}
