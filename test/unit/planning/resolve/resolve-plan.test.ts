import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/rules/canonical.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const PROJECT = 'format: 1\nproject: p\nenvironments: { dev: {}, staging: {} }\n';
const API = 'implementation: { kind: api, api: {} }';
const FILES: ProjectFiles = {
  ...SCRIPT_FILE,
  'ability.yaml': PROJECT,
  ...lowLevel('local.op', SCRIPT),
  ...lowLevel('web.op', 'effects: write_additive', API),
  'registry/config/c.yaml':
    'abilities: [{ id: web.op, environments: { dev: { endpoints: { default: "http://x.test" } } } }]',
};
const workflow = (calls: string[], more = ''): ProjectFiles => ({
  'registry/high-level/w.yaml': [
    'id: w\ntype: workflow\nversion: 3\nsummary: A workflow.',
    more,
    'steps:',
    ...calls.map((call, index) => `  - { id: s${index}, call: ${call} }`),
  ].join('\n'),
});
const planned = (files: ProjectFiles, ability = 'w', environment = 'dev') =>
  resolved({ ...FILES, ...files }, ability, environment);

describe('a low-level ability', () => {
  test('is one call of itself', () => {
    const { plan } = planned({}, 'local.op');
    expect(plan.ability).toMatchObject({
      id: 'local.op',
      kind: 'operation',
      implementation: 'local.op',
      effects: 'read',
    });
    expect([Object.keys(plan.operations), plan.steps, plan.finally]).toEqual([['local.op'], [], []]);
    expect([plan.project, plan.environment.name]).toEqual(['p', 'dev']);
    expect([plan.format, plan.engine, plan.cel]).toEqual([1, 1, 1]);
  });
});

describe('a workflow', () => {
  test('has its id, version and summary, and every operation it may call', () => {
    const { plan } = planned(workflow(['web.op', 'local.op', 'web.op']));
    expect(plan.ability).toMatchObject({
      id: 'w',
      kind: 'workflow',
      version: 3,
      summary: 'A workflow.',
      implementation: null,
    });
    expect(Object.keys(plan.operations)).toEqual(['local.op', 'web.op']);
  });

  test('has the most severe effects of its operations', () => {
    expect(planned(workflow(['local.op'])).plan.ability.effects).toBe('read');
    expect(planned(workflow(['local.op', 'web.op'])).plan.ability.effects).toBe('write_additive');
  });

  test('has the tags of all its operations', () => {
    const tagged = (key: string, tags: string): ProjectFiles =>
      lowLevel(key, `implementation: { kind: script, script: { path: scripts/any.mjs }, tags: ${tags} }`);
    const files = { ...tagged('a', '[slow, high-cost]'), ...tagged('b', '[slow, fast]'), ...workflow(['a', 'b']) };
    expect(planned(files).plan.ability.tags).toEqual(['fast', 'high-cost', 'slow']);
  });

  test('is not available if one of its calls is not', () => {
    const files = { ...lowLevel('a', 'scope: { environments: [staging] }', SCRIPT), ...workflow(['a']) };
    const error = errorOf(() => planned(files));
    expect(error.code).toBe('scope.environment');
    expect(error.message).toMatch(/^a is not available in dev/);
  });

  test('has the output that it defines, or none', () => {
    expect(planned(workflow(['local.op'], 'output: { n: "${{ input.n }}" }')).plan.output).toEqual({
      n: '${{ input.n }}',
    });
    expect('output' in planned(workflow(['local.op'])).plan).toBe(false);
  });
});

describe('placement', () => {
  test.each([
    [['web.op'], 'cloud'],
    [['local.op'], 'local'],
    [['web.op', 'local.op'], 'local'],
  ])('calls of %j make it %s', (calls, placement) => {
    expect(planned(workflow(calls)).plan.placement).toBe(placement);
  });

  test('a workflow that calls nothing may run anywhere', () => {
    const files = {
      'registry/high-level/w.yaml': 'id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, end: {} }]\n',
    };
    expect(planned(files).plan.placement).toBe('cloud');
  });

  test('R-001-04: an explicit placement wins, with a warning if it contradicts the steps', () => {
    const cloud = planned(workflow(['local.op'], 'placement: cloud'));
    expect(cloud.plan.placement).toBe('cloud');
    expect(cloud.warnings).toEqual([expect.stringMatching(/w is placed in the cloud although/)]);
    const local = planned(workflow(['web.op'], 'placement: local'));
    expect([local.plan.placement, local.warnings]).toEqual(['local', []]);
  });

  test.each([
    ['tools of filesystem and memory', ['filesystem', 'memory'], 'local'],
    ['tools of memory and tavily', ['memory', 'tavily'], 'cloud'],
    ['tools of filesystem and pml', ['filesystem', 'pml'], 'local'],
    ['tools of pml, tavily and memory', ['pml', 'tavily', 'memory'], 'cloud'],
  ] as const)(
    'R-001-01, R-001-22, R-001-28: without an explicit placement, the tools used decide: %s',
    (_, servers, placement) => {
      const tools = servers.map((name) =>
        lowLevel(`use.${name}`, `implementation: { kind: mcp, mcp: { server: ${name}, tool: t } }`),
      );
      const files = {
        ...Object.assign({}, ...tools),
        'registry/config/m.yaml': `mcp_servers: { ${servers.map((name) => `${name}: { command: node }`).join(', ')} }`,
        ...workflow(servers.map((name) => `use.${name}`)),
      };
      expect(planned(files).plan.placement).toBe(placement);
    },
  );

  test('an MCP tool is placed where its server is', () => {
    const mcp = (server: string): ProjectFiles => ({
      ...lowLevel('m', `implementation: { kind: mcp, mcp: { server: ${server}, tool: t } }`),
      'registry/config/m.yaml': 'mcp_servers: { memory: { command: node }, logs: { command: node } }',
    });
    expect(planned(mcp('memory'), 'm').plan.placement).toBe('cloud');
    expect(planned(mcp('logs'), 'm').plan.placement).toBe('local');
    const own = { 'ability.yaml': `${PROJECT}placement: { cloud: [logs] }\n` };
    expect(planned({ ...mcp('logs'), ...own }, 'm').plan.placement).toBe('cloud');
    expect(planned({ ...mcp('memory'), ...own }, 'm').plan.placement).toBe('local');
  });
});

describe('the request', () => {
  test('R-000-19: an ability that is not registered cannot be planned; the nearest names are suggested', () => {
    const error = errorOf(() => planned({}, 'local.opp'));
    expect(error.code).toBe('ability.not_found');
    expect(error.suggestion).toBe('Did you mean local.op?');
  });

  test.each(['toString', '__proto__', 'constructor'])('%s is not an ability', (id) => {
    expect(errorOf(() => planned({}, id)).code).toBe('ability.not_found');
  });

  test('an unknown environment is reported before anything else', () => {
    expect(errorOf(() => planned({}, 'local.op', 'prod')).code).toBe('environment.not_found');
  });

  test.each(['deprecated', 'experimental'])('an implementation that is %s causes a warning', (tag) => {
    const files = lowLevel('a', `implementation: { kind: script, script: { path: scripts/any.mjs }, tags: [${tag}] }`);
    expect(planned(files, 'a').warnings).toEqual([`The implementation a of a is ${tag}`]);
  });
});

describe('the contents of a plan', () => {
  const CONTRACT = [
    'summary: Charges a card.',
    'effects: write_additive',
    'input_schema: { type: object, required: [cents], properties: { cents: { type: integer } } }',
    'output_schema: { type: object, required: [status] }',
    'hooks: { pre_call: [ask] }',
  ];
  const POOL: ProjectFiles = {
    ...lowLevel('pay', ...CONTRACT),
    'registry/implementations/mock.yaml':
      'id: mock\noperation_key: pay\nkind: script\nscript: { path: scripts/any.mjs }\n',
    'registry/implementations/live.yaml': 'id: live\noperation_key: pay\nkind: api\napi: { path: /charge }\n',
    'registry/hooks/PreAbilityCall.yaml': 'hooks: [{ id: ask, handler: { expression: { confirm_if: "true" } } }]\n',
    'registry/config/pay.yaml': [
      'abilities:',
      '  - id: pay',
      '    default_implementation: mock',
      '    environments:',
      '      staging: { default_implementation: live, endpoints: { default: "https://pay.test" } }',
    ].join('\n'),
  };

  test('R-000-20: purpose, interface, implementation, configuration and hooks come from the pool, whatever other files state', () => {
    const elsewhere = {
      'ABILITY.md': '# Abilities\n\n| pay | script | any | Refunds a card. | scripts/other.mjs |\n',
      'docs/pay.yaml':
        lowLevel('pay', 'summary: Refunds a card.', 'effects: read')['registry/low-level/pay.yaml'] ?? '',
      'scripts/other.mjs': '// Nobody registered it.',
    };
    const { plan } = planned({ ...POOL, ...elsewhere }, 'pay');
    expect(plan).toEqual(planned(POOL, 'pay').plan);
    expect(plan.ability).toMatchObject({ summary: 'Charges a card.', effects: 'write_additive' });
    expect(plan.operations.pay).toMatchObject({
      implementation: { id: 'mock', script: { path: 'scripts/any.mjs' } },
      hooks: { pre_call: [{ id: 'ask' }] },
    });
    expect(plan.ability.input_schema).toMatchObject({ required: ['cents'] });
  });

  test('R-000-56: the environment decides how and where, but never changes the contract', () => {
    const [dev, staging] = ['dev', 'staging'].map(
      (environment) => planned(POOL, 'pay', environment).plan.operations.pay,
    );
    expect([dev?.implementation.id, staging?.implementation.id]).toEqual(['mock', 'live']);
    const contract = { ...dev, implementation: null };
    expect({ ...staging, implementation: null }).toEqual(contract);
    for (const key of ['summary: s', 'effects: read', 'input_schema: {}', 'output_schema: {}', 'use_cases: [u]']) {
      const config = { 'registry/config/more.yaml': `abilities: [{ id: web.op, ${key} }]\n` };
      expect(errorOf(() => planned(config, 'web.op')).code).toBe('definition.invalid');
    }
    for (const key of ['endpoints: {}', 'credentials: {}', 'script: { path: scripts/any.mjs }', 'tags: [fast]']) {
      expect(errorOf(() => planned(lowLevel('mixed', SCRIPT, key), 'mixed')).code).toBe('definition.invalid');
    }
  });
});

describe('the digest of a plan', () => {
  const digest = (files: ProjectFiles, environment = 'dev'): string => digestOf(planned(files, 'w', environment).plan);
  const WORKFLOW = {
    'registry/high-level/w.yaml':
      'id: w\ntype: workflow\nversion: 1\nsummary: s\ninput_schema: { type: object, properties: { a: { type: string }, b: { type: string } } }\nsteps:\n  - { id: x, call: local.op, with: { a: 1, b: 2 } }\n',
  };

  test('does not depend on the order in which keys are written, nor on comments', () => {
    const shuffled = {
      'registry/high-level/w.yaml':
        '# the same\nsteps:\n  - with: { b: 2, a: 1 }\n    call: local.op   # here\n    id: x\nsummary: s\nversion: 1\ntype: workflow\nid: w\ninput_schema: { properties: { b: { type: string }, a: { type: string } }, type: object }\n',
    };
    expect(digest(shuffled)).toBe(digest(WORKFLOW));
  });

  test('does not depend on the location of the project or the names of its files', () => {
    const { 'registry/high-level/w.yaml': text = '' } = WORKFLOW;
    expect(digest({ 'registry/high-level/renamed.yml': text })).toBe(digest(WORKFLOW));
  });

  test.each([
    ['the bytes of a script', { 'scripts/any.mjs': '// something else' }],
    [
      'an argument of a call',
      { 'registry/high-level/w.yaml': WORKFLOW['registry/high-level/w.yaml'].replace('b: 2', 'b: 3') },
    ],
    ['the version of an operation', lowLevel('local.op', 'version: 2', SCRIPT)],
    [
      'who approves',
      { 'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: { approvers: [alice] }, staging: {} }\n' },
    ],
    ['a limit', { 'ability.yaml': `${PROJECT}policy: { max_timeout: 1m }\n` }],
    [
      'a guard',
      {
        'registry/hooks/PreAbilityCall.yaml':
          'hooks: [{ id: g, blocking: true, match: {}, handler: { expression: { deny_if: "false" } } }]',
      },
    ],
  ])('changes with %s', (_, change) => {
    expect(digest({ ...WORKFLOW, ...(change as ProjectFiles) })).not.toBe(digest(WORKFLOW));
  });

  test('changes with the environment', () => {
    expect(digest(WORKFLOW, 'staging')).not.toBe(digest(WORKFLOW, 'dev'));
  });

  test('does not change with an ability that is not called', () => {
    expect(digest({ ...WORKFLOW, ...lowLevel('unrelated', SCRIPT) })).toBe(digest(WORKFLOW));
  });
});
