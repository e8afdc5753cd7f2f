import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE, temporaryProject } from '../temporary-project.js';

const GOOD = { ...SCRIPT_FILE, ...lowLevel('good', SCRIPT) };
const script = (profile: string): string =>
  `implementation: { kind: script, script: { path: scripts/any.mjs, env_profile: ${profile} } }`;

const plan = (files: Record<string, string>, ability: string) => () => resolved({ ...GOOD, ...files }, ability).plan;

describe('a broken file disables what it defines, and nothing else', () => {
  test.each([
    ['of the wrong form', 'operation_key: bad\nsumary: x\n'],
    ['that is no YAML', 'operation_key: bad\nsummary: [\n'],
    [
      'that asks for what is not supported',
      'operation_key: bad\nsummary: s\nimplementation: { kind: api, api: { auth: {} } }\n',
    ],
  ])('a file %s', (_, yaml) => {
    const registry = registryOf({ ...GOOD, 'registry/low-level/bad.yaml': yaml });
    expect(resolvePlan(registry, 'good', 'dev').plan.ability.id).toBe('good');
    const error = errorOf(() => resolvePlan(registry, 'bad', 'dev'));
    expect(error.location?.file).toBe('registry/low-level/bad.yaml');
    expect(registry.problems.map(({ code }) => code)).toContain(error.code);
  });

  test('a workflow that calls a broken ability reports the problem of that ability', () => {
    const files = {
      'registry/low-level/bad.yaml': 'operation_key: bad\nsumary: x\n',
      'registry/high-level/w.yaml': 'id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, call: bad }]\n',
    };
    expect(errorOf(plan(files, 'w')).location?.file).toBe('registry/low-level/bad.yaml');
  });

  test('a file that is too broken to show what it defines is named if an ability is not found', () => {
    const error = errorOf(plan({ 'registry/low-level/x.yaml': '{{{' }, 'missing'));
    expect(error.code).toBe('ability.not_found');
    expect(error.suggestion).toMatch(/cannot be read/);
  });

  test('a broken implementation is the reported reason if the operation has no other', () => {
    const files = {
      ...lowLevel('op', 'notes: none'),
      'registry/implementations/x.yaml': 'id: x\noperation_key: op\nkind: script\nscript: { paht: scripts/any.mjs }\n',
    };
    const error = errorOf(plan(files, 'op'));
    expect(error.code).toBe('definition.invalid');
    expect(error.location?.file).toBe('registry/implementations/x.yaml');
  });

  test('a broken default implementation is the reported reason', () => {
    const files = {
      ...lowLevel('op', SCRIPT),
      'registry/config/c.yaml': 'abilities: [{ id: op, default_implementation: x }]',
      'registry/implementations/x.yaml': 'id: x\noperation_key: op\nkind: script\nscript: { paht: s.mjs }\n',
    };
    expect(errorOf(plan(files, 'op')).location?.file).toBe('registry/implementations/x.yaml');
  });

  test('a folder that is named like a file of definitions is a folder', () => {
    const { root } = temporaryProject(GOOD);
    mkdirSync(join(root, 'registry/low-level/folder.yaml'));
    expect(loadRegistry(root).problems).toEqual([]);
  });

  test('each problem is reported once', () => {
    const yaml = 'env_profiles: { one: {}, two: { pas: [PATH] } }\nabilities: [{ id: good }]\n';
    expect(registryOf({ ...GOOD, 'registry/config/c.yaml': yaml }).problems).toHaveLength(1);
  });
});

describe('a broken configuration', () => {
  test('disables the abilities it configures', () => {
    const yaml = 'abilities:\n  - { id: op, default_implementaton: x }\n';
    const files = { ...lowLevel('op', SCRIPT), 'registry/config/c.yaml': yaml };
    expect(errorOf(plan(files, 'op')).location).toMatchObject({ file: 'registry/config/c.yaml', line: 2 });
    expect(plan(files, 'good')().ability.id).toBe('good');
  });

  test('disables every ability if it is unknown which ones it configures', () => {
    expect(errorOf(plan({ 'registry/config/c.yaml': 'abilities: [\n' }, 'good')).code).toBe('definition.syntax');
  });

  test.each([
    ['an entry without an id', 'abilities:\n  - { ability: good, hooks: { pre_call: [guard] } }\n  - { id: other }\n'],
    ['a map in place of the list', 'abilities: { good: { hooks: { pre_call: [guard] } } }\nenv_profiles: { db: {} }\n'],
    ['a mistyped key in place of the list', 'abilites: [{ id: good }]\nenv_profiles: { db: {} }\n'],
  ])('never lets an ability run without the guards it might bind: %s', (_, yaml) => {
    expect(errorOf(plan({ 'registry/config/c.yaml': yaml }, 'good')).location?.file).toBe('registry/config/c.yaml');
  });

  test.each([
    ['a.yaml', 'b.yaml'],
    ['b.yaml', 'a.yaml'],
  ])('disables a profile that another file also defines, whichever is read first (%s, %s)', (good, bad) => {
    const files = {
      ...lowLevel('op', script('db')),
      [`registry/config/${good}`]: 'env_profiles: { db: { pass: [PATH] } }',
      [`registry/config/${bad}`]: 'env_profiles: { db: { pass: [PATH], sercets: {} } }',
    };
    expect(errorOf(plan(files, 'op')).location?.file).toBe(`registry/config/${bad}`);
  });
});

describe('the same id twice disables both', () => {
  test.each([
    ['two operations', { 'registry/low-level/again.yaml': `operation_key: op\nsummary: s\n${SCRIPT}` }],
    [
      'an operation and a workflow',
      {
        'registry/high-level/op.yaml':
          'id: op\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, call: good }]\n',
      },
    ],
  ])('%s', (_, again) => {
    const error = errorOf(plan({ ...lowLevel('op', SCRIPT), ...again }, 'op'));
    expect(error.code).toBe('definition.duplicate');
    expect(error.message).toMatch(/registry\/low-level\/.*:1:1 and registry\//);
  });

  test('so do three files', () => {
    const again = `operation_key: op\nsummary: s\n${SCRIPT}`;
    const files = { ...lowLevel('op', SCRIPT), 'registry/low-level/x.yaml': again, 'registry/low-level/y.yaml': again };
    expect(errorOf(plan(files, 'op')).code).toBe('definition.duplicate');
  });

  test.each([
    ['configurations', lowLevel('op', SCRIPT), 'abilities: [{ id: op }]'],
    ['profiles', lowLevel('op', script('db')), 'env_profiles: { db: {} }'],
    [
      'MCP servers',
      lowLevel('op', 'implementation: { kind: mcp, mcp: { server: logs, tool: t } }'),
      'mcp_servers: { logs: { command: node } }',
    ],
  ])('%s', (_, operation, yaml) => {
    const files = { ...operation, 'registry/config/a.yaml': yaml, 'registry/config/b.yaml': yaml };
    expect(errorOf(plan(files, 'op')).code).toBe('definition.duplicate');
  });

  test('implementations', () => {
    const yaml = 'id: x\noperation_key: op\nkind: script\nscript: { path: scripts/any.mjs }\n';
    const files = {
      ...lowLevel('op', SCRIPT),
      'registry/implementations/a.yaml': yaml,
      'registry/implementations/b.yaml': yaml,
      'registry/config/c.yaml': 'abilities: [{ id: op, default_implementation: x }]',
    };
    expect(errorOf(plan(files, 'op')).code).toBe('definition.duplicate');
  });

  test('an inline implementation is allowed next to documents for the same operation', () => {
    const document = 'id: x\noperation_key: op\nkind: script\nscript: { path: scripts/any.mjs }\n';
    const files = { ...lowLevel('op', SCRIPT), 'registry/implementations/x.yaml': document };
    expect(plan(files, 'op')().ability.implementation).toBe('op');
  });
});

describe('a guard that cannot be read is not skipped', () => {
  const guarded = (files: Record<string, string>) => errorOf(plan(files, 'good'));

  test.each([
    ['no YAML', 'hooks: [\n', 'definition.syntax'],
    ['the wrong form', 'hooks: [{ id: g, handlr: {} }]\n', 'definition.invalid'],
    [
      'calls that it must deny, and none of them',
      'hooks: [{ id: g, must_deny: [], handler: { script: { path: x } } }]\n',
      'definition.invalid',
    ],
    [
      'two hooks of one id',
      'hooks:\n  - { id: g, handler: { expression: { deny_if: "true" } } }\n  - { id: g, handler: { expression: { deny_if: "true" } } }\n',
      'definition.duplicate',
    ],
  ])('%s', (_, yaml, code) => {
    expect(guarded({ 'registry/hooks/PreAbilityCall.yaml': yaml }).code).toBe(code);
  });

  test('a file that is not named after a phase', () => {
    const error = guarded({ 'registry/hooks/PreAbilityCal.yaml': 'hooks: []\n' });
    expect(error.code).toBe('definition.invalid');
    expect(error.suggestion).toMatch(/PreAbilityCall\.yaml/);
  });

  test.each([
    ['leads out of the project', '/etc/hostname'],
    ['leads nowhere', '/nowhere/at-all.yaml'],
    ['leads to a folder', '../../scripts'],
  ])('a link that %s', (_, target) => {
    const { root } = temporaryProject(GOOD);
    mkdirSync(join(root, 'registry/hooks'));
    symlinkSync(target, join(root, 'registry/hooks/PreAbilityCall.yaml'));
    const error = errorOf(() => resolvePlan(loadRegistry(root), 'good', 'dev'));
    expect(error.location?.file).toBe('registry/hooks/PreAbilityCall.yaml');
  });
});

describe('links', () => {
  const linked = (target: string) => {
    const { root } = temporaryProject(GOOD);
    symlinkSync(target, join(root, 'registry/low-level/linked.yaml'));
    return loadRegistry(root);
  };

  test('one that leads out of the project is a problem, not a definition', () => {
    const outside = temporaryProject({ 'op.yaml': `operation_key: op\nsummary: s\n${SCRIPT}` });
    const registry = linked(join(outside.root, 'op.yaml'));
    expect([...registry.operations.keys()]).toEqual(['good']);
    expect(registry.problems[0]?.message).toMatch(/leads out of the project/);
  });

  test('one that leads to a folder disables nothing else', () => {
    expect([...linked('../../scripts').operations.keys()]).toEqual(['good']);
  });

  test('one inside the project is followed', () => {
    const { root } = temporaryProject({ ...GOOD, 'shared/op.yaml': `operation_key: op\nsummary: s\n${SCRIPT}` });
    symlinkSync(join(root, 'shared/op.yaml'), join(root, 'registry/low-level/linked.yaml'));
    expect([...loadRegistry(root).operations.keys()]).toEqual(['good', 'op']);
  });
});
