import { describe, expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const PROJECT: ProjectFiles = {
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\n',
  ...SCRIPT_FILE,
  ...lowLevel('db.write', SCRIPT),
  ...lowLevel('other', SCRIPT),
};
const DENY = 'handler: { expression: { deny_if: "true" } }';
const hooks = (phase: string, ...entries: string[]): ProjectFiles => ({
  [`registry/hooks/${phase}.yaml`]: ['hooks:', ...entries.map((entry) => `  - { ${entry}, ${DENY} }`)].join('\n'),
});

function found(files: ProjectFiles) {
  const registry = registryOf({ ...PROJECT, ...files });
  const problems = registry.problems.map(({ code, message, suggestion = '', location = { file: '' } }) => {
    return { code, text: `${message} | ${suggestion}`, at: formatLocation(location) };
  });
  const plan = (ability: string, environment = 'dev') => resolvePlan(registry, ability, environment).plan;
  return { problems, plan };
}

describe('a reference to an ability that does not exist', () => {
  test('in a hook is reported, with its location; a pattern may be there for future abilities', () => {
    const { problems, plan } = found(
      hooks('PreAbilityCall', 'id: guard, blocking: true, match: { abilities: [other, db.wirte, "ops.*"] }'),
    );
    expect(problems).toMatchObject([
      {
        code: 'definition.unknown_reference',
        at: expect.stringMatching(/^registry\/hooks\/PreAbilityCall\.yaml:2:\d+$/),
        text: expect.stringMatching(/no ability db\.wirte.*(Did you mean|or) db\.write/),
      },
    ]);
    expect(plan('db.write').ability.id).toBe('db.write');
  });

  test('in a configuration is reported, with the nearest id', () => {
    const { problems, plan } = found({ 'registry/config/c.yaml': 'abilities:\n  - { id: db.wirte }\n' });
    expect(problems).toMatchObject([
      {
        code: 'definition.unknown_reference',
        at: 'registry/config/c.yaml:2:11',
        text: expect.stringMatching(/Did you mean db\.write/),
      },
    ]);
    expect(plan('db.write').ability.id).toBe('db.write');
  });

  test('in an implementation is reported', () => {
    const text = 'id: x\noperation_key: db.wirte\nkind: script\nscript: { path: scripts/any.mjs }\n';
    expect(found({ 'registry/implementations/x.yaml': text }).problems).toMatchObject([
      { at: 'registry/implementations/x.yaml:2:16', text: expect.stringMatching(/Did you mean .*db\.write/) },
    ]);
  });

  test.each([
    ['is broken', 'registry/low-level/x.yaml', 'operation_key: db.fast\nsumary: s\n'],
    ['may stand in a file that cannot be read', 'registry/low-level/x.yaml', '{{{'],
  ])('is not reported if the ability %s', (_, file, text) => {
    const { problems } = found({ [file]: text, 'registry/config/c.yaml': 'abilities: [{ id: db.fast }]\n' });
    expect(problems.every(({ at }) => at.startsWith(file))).toBe(true);
  });
});

describe('an environment that the project does not have', () => {
  test('in a configuration is reported and disables the ability, whose guards may be there', () => {
    const text = 'abilities:\n  - { id: db.write, environments: { prodd: { hooks: { pre_call: [nowhere] } } } }\n';
    const { problems, plan } = found({ 'registry/config/c.yaml': text });
    expect(problems).toMatchObject([
      {
        code: 'definition.unknown_reference',
        at: 'registry/config/c.yaml:2:37',
        text: expect.stringMatching(/Did you mean prod\?/),
      },
    ]);
    expect(errorOf(() => plan('db.write', 'prod')).message).toMatch(/no environment prodd/);
    expect(plan('other', 'prod').ability.id).toBe('other');
  });

  test('in a scope is reported, and the ability does not change elsewhere', () => {
    const { problems, plan } = found(lowLevel('scoped', 'scope: { environments: [dev, prodd] }', SCRIPT));
    expect(problems).toMatchObject([
      { at: 'registry/low-level/scoped.yaml:4:30', text: expect.stringMatching(/prod\?/) },
    ]);
    expect(plan('scoped').ability.id).toBe('scoped');
    expect(errorOf(() => plan('scoped', 'prod')).code).toBe('scope.environment');
  });

  test('in the `match` of a hook is reported', () => {
    const { problems } = found(hooks('PreAbilityCall', 'id: g, blocking: true, match: { environments: [prodd, "*"] }'));
    expect(problems).toMatchObject([{ at: 'registry/hooks/PreAbilityCall.yaml:2:54' }]);
  });
});

describe('a hook that can never run', () => {
  test.each([
    [
      'PreAbilityCall',
      'id: g, match: { abilities: ["*"] }',
      /neither \| Set `blocking: true`, or bind it.*pre_call: \[g\]/,
    ],
    ['PreAbilityCreate', 'id: g, match: {}', /neither \| Set `blocking: true`, or bind it.*pre_create: \[g\]/],
  ])('is reported (%s: %s)', (phase, hook, message) => {
    const { problems } = found(hooks(phase, hook));
    expect(problems).toMatchObject([
      { code: 'definition.unread', at: `registry/hooks/${phase}.yaml:2:5`, text: expect.stringMatching(message) },
    ]);
  });

  const script = 'kind: script, script: { path: scripts/any.mjs }';
  test.each<[string, ProjectFiles]>([
    ['an operation', lowLevel('op', 'hooks: { pre_call: [g] }', SCRIPT)],
    ['its implementation', lowLevel('op', `implementation: { ${script}, hooks: { pre_call: [g] } }`)],
    [
      'a document',
      { 'registry/implementations/x.yaml': `{ id: x, operation_key: other, ${script}, hooks: { pre_call: [g] } }` },
    ],
    ['a configuration', { 'registry/config/c.yaml': 'abilities: [{ id: other, hooks: { pre_call: [g] } }]' }],
    [
      'an environment',
      { 'registry/config/c.yaml': 'abilities: [{ id: other, environments: { dev: { hooks: { pre_call: [g] } } } }]' },
    ],
    [
      'a workflow',
      {
        'registry/high-level/w.yaml':
          'id: w\ntype: workflow\nversion: 1\nsummary: s\nhooks: { pre_call: [g] }\nsteps: [{ id: a, end: {} }]',
      },
    ],
  ])('is not bound by anything; bound by %s it runs', (_, files) => {
    expect(found({ ...files, ...hooks('PreAbilityCall', 'id: g') }).problems).toEqual([]);
  });

  test.each([
    ['switched off on purpose', 'PreAbilityCall', 'id: g, enabled: false'],
    ['global and blocking', 'PreAbilityCall', 'id: g, blocking: true, match: {}'],
    ['blocking and not bound (C-44)', 'PreAbilityCall', 'id: g, blocking: true'],
    ['global after calls', 'PostAbilityCall', 'id: g, match: {}'],
  ])('is not one that is %s', (_, phase, hook) => {
    expect(found(hooks(phase, hook)).problems).toEqual([]);
  });
});

test('a hook that decides whether a task can be formed must not match on effects, and is not skipped either', () => {
  const hook = 'id: g, blocking: true, match: { effects: [destructive] }';
  const { problems, plan } = found(hooks('PreAbilityCreate', hook));
  expect(problems).toMatchObject([
    {
      code: 'definition.invalid',
      at: 'registry/hooks/PreAbilityCreate.yaml:2:39',
      text: expect.stringMatching(/PreAbilityCall\.yaml/),
    },
  ]);
  expect(errorOf(() => plan('other')).message).toMatch(/matches on effects/);
});

describe('YAML in a place that is not read', () => {
  test.each([
    ['registry/hook/PreAbilityCall.yaml', 'registry/hook', /Did you mean hooks/],
    ['registry/low_level/x.yaml', 'registry/low_level', /Did you mean low-level/],
    ['registry/drafts/deep/x.yaml', 'registry/drafts', /low-level\/, high-level\//],
    ['registry/x.yaml', 'registry/x.yaml', /Definitions are in low-level\//],
  ])('%s is reported', (file, at, message) => {
    const { problems } = found({ [file]: 'hooks: []\n' });
    expect(problems).toEqual([{ code: 'definition.unread', at, text: expect.stringMatching(message) }]);
  });

  test('a mistyped folder of guards disables what they may guard; a folder that was set aside does not', () => {
    const guards = 'PreAbilityCall.yaml';
    expect(errorOf(() => found({ [`registry/hook/${guards}`]: 'hooks: []' }).plan('other')).code).toBe(
      'definition.unread',
    );
    expect(found({ [`registry/hooks-old/${guards}`]: 'hooks: []' }).plan('other').ability.id).toBe('other');
  });

  test.each(['registry/schemas/x.yaml', 'registry/.drafts/x.yaml', 'registry/notes/readme.md'])(
    '%s is not reported',
    (file) => {
      expect(found({ [file]: 'x' }).problems).toEqual([]);
    },
  );

  test('next to .system/registry, hooks belong in .system/hooks', () => {
    const registry = registryOf({ '.system/registry/hooks/PreAbilityCall.yaml': 'hooks: []\n' });
    expect(registry.problems).toMatchObject([
      { code: 'definition.unread', suggestion: expect.stringMatching(/\.system\/hooks\//) },
    ]);
  });
});

describe('a setting that is not read', () => {
  const configured = (settings: string): ProjectFiles => ({
    'registry/config/c.yaml': `abilities:\n  - id: db.write\n    environments:\n      dev: ${settings}\n`,
  });

  test.each([
    'endpoints: { default: "https://x.test" }',
    'credentials: { t: "env:T" }',
    'mcp_server: s',
    'mcp_tool: t',
  ])('of a script is reported with its location: %s', (setting) => {
    expect(found(configured(`{ ${setting} }`)).problems).toMatchObject([
      { code: 'definition.unread', at: 'registry/config/c.yaml:4:14', text: expect.stringMatching(/kind (api|mcp)/) },
    ]);
  });

  test('is not reported if any implementation of the ability reads it', () => {
    const document = 'id: x\noperation_key: db.write\nkind: mcp\nmcp: {}\n';
    const files = {
      ...configured('{ mcp_server: s, env_profile: default }'),
      'registry/implementations/x.yaml': document,
    };
    expect(found(files).problems).toEqual([]);
  });

  test('of a workflow is reported; its hooks and prompts are read', () => {
    const files = {
      'registry/high-level/w.yaml': 'id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, call: other }]\n',
      'registry/config/c.yaml': [
        'abilities:',
        '  - id: w',
        '    default_implementation: x',
        '    environments: { dev: { hooks: {}, prompts: { a: b }, timeout_sec: 5 } }',
      ].join('\n'),
    };
    expect(found(files).problems).toMatchObject([
      { code: 'definition.unread', at: 'registry/config/c.yaml:3:5', text: expect.stringMatching(/w is a workflow/) },
      {
        code: 'definition.unread',
        at: expect.stringMatching(/c\.yaml:4:/),
        text: expect.stringMatching(/timeout_sec/),
      },
    ]);
  });
});
