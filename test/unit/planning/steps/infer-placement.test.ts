import { describe, expect, test } from 'vitest';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { inferPlacement } from '../../../../src/planning/steps/placement.js';
import { type ProjectFiles, workflow } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const WEB: ProjectFiles = {
  ...lowLevel('web.op', 'implementation: { kind: api, api: { method: GET, path: /x, endpoint: main } }'),
  'registry/config/web.yaml':
    'abilities: [{ id: web.op, environments: { dev: { endpoints: { main: "http://127.0.0.1:1" } } } }]\n',
};
const FILES = { ...SCRIPT_FILE, ...WEB, ...lowLevel('local.op', SCRIPT) };

describe('C-32: a workflow inherits from everything it may call', () => {
  test('from its whole whitelist, not only from what its steps call', () => {
    const registry = registryOf({
      ...FILES,
      ...workflow('w', 'operations: [web.op, local.op]\nsteps: [{ id: a, call: web.op }]'),
      ...workflow('narrow', 'operations: [web.op]\nsteps: [{ id: a, call: web.op }]'),
    });
    expect(inferPlacement(registry, 'w', 'dev')).toEqual({
      placement: 'local',
      explicit: null,
      inferred: 'local',
      demands: [
        { ability: 'web.op', tool: 'http:web.op', placement: 'cloud' },
        { ability: 'local.op', tool: 'shell:local.op', placement: 'local' },
      ],
    });
    expect(resolvePlan(registry, 'w', 'dev').plan.placement).toBe('local');
    expect(resolvePlan(registry, 'narrow', 'dev').plan.placement).toBe('cloud');
  });

  test('R-001-22: from everything that it calls, including handlers, branches, loops, undo and clean-ups', () => {
    const at = (yaml: string) => inferPlacement(registryOf({ ...FILES, ...workflow('w', yaml) }), 'w', 'dev').placement;
    expect(at('steps: [{ id: a, call: web.op, undo: { call: local.op } }]')).toBe('local');
    expect(at('steps: [{ id: a, call: web.op, on_error: [{ steps: [{ id: b, call: local.op }] }] }]')).toBe('local');
    expect(at('steps: [{ id: a, parallel: { x: { call: web.op }, y: { call: local.op } } }]')).toBe('local');
    expect(at('steps: [{ id: a, switch: [{ if: "true", steps: [{ id: b, call: local.op }] }] }]')).toBe('local');
    expect(at('steps: [{ id: a, foreach: [1], as: i, steps: [{ id: b, call: local.op }] }]')).toBe('local');
    expect(at('steps: [{ id: a, call: web.op }]\nfinally: [{ id: b, call: local.op }]')).toBe('local');
    expect(at('steps: [{ id: a, call: web.op }]\non_error: [{ steps: [{ id: b, call: local.op }] }]')).toBe('local');
    expect(at('steps: [{ id: a, call: web.op, with: { call: local.op } }]')).toBe('cloud');
  });

  test('from the workflows it calls, and one of those that is placed locally keeps it local', () => {
    const registry = registryOf({
      ...FILES,
      ...workflow('inner', 'steps: [{ id: a, call: local.op }]'),
      ...workflow('outer', 'steps: [{ id: a, call: inner }]'),
      ...workflow('bound', 'placement: local\nsteps: [{ id: a, call: web.op }]'),
      ...workflow('caller', 'steps: [{ id: a, call: bound }]'),
    });
    expect(inferPlacement(registry, 'outer', 'dev').placement).toBe('local');
    const { placement, demands } = inferPlacement(registry, 'caller', 'dev');
    expect(placement).toBe('local');
    expect(demands).toContainEqual({ ability: 'bound', tool: null, placement: 'local' });
    expect(resolvePlan(registry, 'caller', 'dev').plan.placement).toBe('local');
  });

  test('R-001-21: only a list counts as what it may call; anything else is refused, and local', () => {
    for (const operations of ['web.op', '{ web.op: true }', '7']) {
      const files = { ...FILES, ...workflow('w', `operations: ${operations}\nsteps: [{ id: a, call: web.op }]`) };
      const registry = registryOf(files);
      expect(registry.problems).toMatchObject([{ code: 'definition.invalid' }]);
      expect(inferPlacement(registry, 'w', 'dev').placement).toBe('local');
    }
  });

  test('C-28: a whitelist entry that cannot be resolved is local', () => {
    const files = { ...FILES, ...workflow('w', 'operations: [web.op, gone.op]\nsteps: [{ id: a, call: web.op }]') };
    expect(inferPlacement(registryOf(files), 'w', 'dev').demands).toContainEqual({
      ability: 'gone.op',
      tool: null,
      placement: 'local',
    });
  });
});

test('C-32: a tool is placed with the server that the environment names', () => {
  const registry = registryOf({
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\n',
    ...lowLevel('m', 'implementation: { kind: mcp, mcp: { server: memory, tool: t } }'),
    'registry/config/m.yaml': [
      'mcp_servers: { memory: { command: node }, disk: { command: node } }',
      'abilities: [{ id: m, environments: { prod: { mcp_server: disk } } }]',
    ].join('\n'),
  });
  const at = (environment?: string) => inferPlacement(registry, 'm', environment);
  expect(at('dev').demands).toEqual([{ ability: 'm', tool: 'memory:t', placement: 'cloud' }]);
  expect(at('prod')).toMatchObject({ placement: 'local', demands: [{ tool: 'disk:t' }] });
  expect(at().placement).toBe('cloud');
});

test('C-31: a workflow placed in the cloud against its tools causes a warning that names those that need to be local', () => {
  const files = { ...FILES, ...workflow('w', 'placement: cloud\nsteps: [{ id: a, call: local.op }]') };
  const { plan, warnings } = resolvePlan(registryOf(files), 'w', 'dev');
  expect(plan.placement).toBe('cloud');
  expect(warnings).toEqual([
    'w is placed in the cloud although a step of it needs a local server: local.op (shell:local.op)',
  ]);
});

test('R-001-19, C-28: while `placement` is broken every plan reports it, and is placed by the built-in lists', () => {
  const files = { ...FILES, 'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\nplacement: [http]\n' };
  const { plan, warnings } = resolvePlan(registryOf(files), 'web.op', 'dev');
  expect(plan.placement).toBe('cloud');
  expect(warnings).toEqual([
    expect.stringMatching(/`placement` in ability.yaml is broken, so the built-in lists of servers apply/),
  ]);
});

describe('placements of the project', () => {
  const own = (more: ProjectFiles = {}, settings = ''): ProjectFiles => ({
    ...FILES,
    'ability.yaml': `format: 1
project: p
environments: { dev: {}, prod: {} }
placements: { near-db: { servers: [postgres, http] }, dmz: }
`,
    ...lowLevel('db.op', 'implementation: { kind: mcp, mcp: { server: postgres, tool: query } }'),
    ...lowLevel('cloud.op', 'implementation: { kind: mcp, mcp: { server: memory, tool: find } }'),
    'registry/config/web.yaml': `mcp_servers: { postgres: { command: node }, memory: { url: "http://127.0.0.1:2" } }
abilities:
  - id: web.op
    environments: { dev: { endpoints: { main: "http://127.0.0.1:1" } }, prod: { endpoints: { main: "http://127.0.0.1:1" } } }
${settings}`,
    ...more,
  });
  const at = (files: ProjectFiles, ability = 'w', environment = 'dev') =>
    inferPlacement(registryOf(files), ability, environment);

  test('have the abilities whose tools they reach, also such as could be in the cloud', () => {
    expect(at(own(), 'db.op')).toMatchObject({
      placement: 'near-db',
      demands: [{ tool: 'postgres:query', placement: 'near-db' }],
    });
    expect(at(own(), 'web.op').placement).toBe('near-db');
    expect([at(own(), 'local.op').placement, at(own(), 'cloud.op').placement]).toEqual(['local', 'cloud']);
    expect(resolvePlan(registryOf(own()), 'db.op', 'dev').plan.placement).toBe('near-db');
  });

  test('count as local: with a local tool, or one of the cloud, a workflow runs in the placement of the other', () => {
    const calling = (...calls: string[]) =>
      at(own(workflow('w', `steps: [${calls.map((id, index) => `{ id: s${index}, call: ${id} }`).join(', ')}]`)))
        .placement;
    expect(calling('local.op', 'db.op')).toBe('near-db');
    expect(calling('db.op', 'cloud.op')).toBe('near-db');
    expect(calling('local.op', 'cloud.op')).toBe('local');
  });

  test('are inherited from a called workflow that is placed there', () => {
    const files = own({
      ...workflow('bound', 'placement: dmz\nsteps: [{ id: a, call: cloud.op }]'),
      ...workflow('w', 'steps: [{ id: a, call: bound }]'),
    });
    expect(at(files)).toMatchObject({ placement: 'dmz', explicit: null });
    expect(at(files).demands).toContainEqual({ ability: 'bound', tool: null, placement: 'dmz' });
  });

  test('R-001-04: an explicit one wins, and a warning names what it does not reach', () => {
    const files = own(workflow('w', 'placement: dmz\nsteps: [{ id: a, call: db.op }, { id: b, call: local.op }]'));
    const { plan, warnings } = resolvePlan(registryOf(files), 'w', 'dev');
    expect(plan.placement).toBe('dmz');
    expect(warnings).toEqual([
      'w is placed in dmz although a step of it needs another placement: db.op (postgres:query)',
    ]);
  });

  test('are given by the settings of an environment, which win over those of the ability, and bind its callers', () => {
    const settings =
      '  - { id: local.op, environments: { prod: { placement: dmz } } }\n  - { id: w, environments: { prod: { placement: near-db } } }\n';
    const files = own(
      {
        ...workflow('w', 'placement: local\nsteps: [{ id: a, call: local.op }]'),
        ...workflow('caller', 'steps: [{ id: a, call: local.op }]'),
      },
      settings,
    );
    expect([at(files).placement, at(files, 'w', 'prod').placement]).toEqual(['local', 'near-db']);
    expect([at(files, 'local.op').placement, at(files, 'local.op', 'prod').placement]).toEqual(['local', 'dmz']);
    expect(at(files, 'caller', 'prod')).toMatchObject({
      placement: 'dmz',
      demands: [{ ability: 'local.op', tool: null }],
    });
  });

  test('an ability that is placed in the cloud binds its callers only by its tools', () => {
    const settings = '  - { id: local.op, environments: { dev: { placement: cloud } } }\n';
    const files = own(workflow('w', 'steps: [{ id: a, call: local.op }]'), settings);
    expect([at(files, 'local.op').placement, at(files).placement]).toEqual(['cloud', 'local']);
  });

  test('a task that would need several is refused, unless it is placed explicitly', () => {
    const settings = '  - { id: local.op, environments: { dev: { placement: dmz } } }\n';
    const steps = 'steps: [{ id: a, call: db.op }, { id: b, call: local.op }]';
    const plan = (more: string) => resolvePlan(registryOf(own(workflow('w', more), settings)), 'w', 'dev').plan;
    const error = errorOf(() => plan(steps));
    expect(error).toMatchObject({
      code: 'placement.conflict',
      message: 'w cannot run in one placement: it needs db.op (postgres:query) in near-db and local.op in dmz',
      location: { file: 'registry/high-level/w.yaml' },
    });
    expect(plan(`placement: near-db\n${steps}`).placement).toBe('near-db');
  });

  test('one that the project does not have is refused with its place, and counts as absent until then', () => {
    const registry = registryOf(own(workflow('w', 'placement: near-bd\nsteps: [{ id: a, call: cloud.op }]')));
    expect(errorOf(() => resolvePlan(registry, 'w', 'dev'))).toMatchObject({
      code: 'definition.unknown_reference',
      location: { file: 'registry/high-level/w.yaml', line: 5, column: 12 },
      suggestion: expect.stringContaining('near-db'),
    });
    expect(inferPlacement(registry, 'w', 'dev')).toMatchObject({ placement: 'cloud', explicit: null });
  });
});

test.each([
  [
    'an environment and a placement that join to the same queue',
    '{ dev: {}, dev-near: {} }',
    '{ near-db: , db: }',
    'near-db in dev and db in dev-near would have the same queue, p-dev-near-db',
  ],
  [
    'a placement that ends as a usual one',
    '{ dev: {}, dev-x: {} }',
    '{ x-local: }',
    'x-local in dev and local in dev-x would have the same queue, p-dev-x-local',
  ],
])('%s are refused', (_, environments, placements, message) => {
  const files = { 'ability.yaml': `format: 1\nproject: p\nenvironments: ${environments}\nplacements: ${placements}\n` };
  expect(errorOf(() => registryOf(files))).toMatchObject({
    code: 'definition.invalid',
    message,
    location: { line: 4 },
  });
});
