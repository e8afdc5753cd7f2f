import { describe, expect, test } from 'vitest';
import type { PlanHook, PlanHooks } from '../../../../src/contracts/plan.js';
import type { ResolvedPlan } from '../../../../src/planning/resolve/resolve-plan.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const FILES: ProjectFiles = {
  ...SCRIPT_FILE,
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, staging: {} }\n',
};
const DENY = 'handler: { expression: { deny_if: "false", reason: r } }';
const WARN = 'handler: { expression: { warn_if: "false", reason: r } }';

/** A file of hooks: each entry is an id with its other fields. */
const phase = (name: string, hooks: Record<string, string>, handler = DENY): ProjectFiles => ({
  [`registry/hooks/${name}.yaml`]: [
    'hooks:',
    ...Object.entries(hooks).map(([id, more]) => `  - { id: ${id}, ${more ? `${more}, ` : ''}${handler} }`),
  ].join('\n'),
});

const planned = (files: ProjectFiles, environment = 'dev', ability = 'op'): ResolvedPlan =>
  resolved({ ...FILES, ...files }, ability, environment);
const hooksOf = (files: ProjectFiles, environment?: string): PlanHooks =>
  planned(files, environment).plan.operations.op?.hooks as PlanHooks;
const ids = (hooks: PlanHook[]): string[] => hooks.map(({ id }) => id);
const preCall = (files: ProjectFiles, environment?: string): string[] => ids(hooksOf(files, environment).pre_call);

test('R-000-32: each of the three lists binds hooks of its phase', () => {
  const hooks = hooksOf({
    ...lowLevel('op', 'hooks: { pre_create: [create], pre_call: [call], post_call: [after] }', SCRIPT),
    ...phase('PreAbilityCreate', { create: '' }),
    ...phase('PreAbilityCall', { call: '' }),
    ...phase('PostAbilityCall', { after: '' }, WARN),
  });
  expect([ids(hooks.pre_create), ids(hooks.pre_call), ids(hooks.post_call)]).toEqual([['create'], ['call'], ['after']]);
});

describe('the levels that bind hooks', () => {
  const HOOKS = phase('PreAbilityCall', {
    g1: 'blocking: true, match: {}',
    g2: 'blocking: true, match: {}',
    a: '',
    b: '',
    c: '',
    d: '',
  });
  const at = (levels: {
    operation?: string;
    implementation?: string;
    config?: string;
    environment?: string;
  }): ProjectFiles => ({
    ...HOOKS,
    ...lowLevel(
      'op',
      `hooks: ${levels.operation ?? '{}'}`,
      `implementation: { kind: script, script: { path: scripts/any.mjs }, hooks: ${levels.implementation ?? '{}'} }`,
    ),
    'registry/config/c.yaml': `abilities: [{ id: op, hooks: ${levels.config ?? '{}'}, environments: { dev: { hooks: ${levels.environment ?? '{}'} } } }]`,
  });

  test('R-000-54: operation, implementation, configuration and environment are merged in this order', () => {
    const files = at({
      operation: '{ pre_call: [d] }',
      implementation: '{ pre_call: [c] }',
      config: '{ pre_call: [b] }',
      environment: '{ pre_call: [a] }',
    });
    expect(preCall(files, 'dev')).toEqual(['g1', 'g2', 'd', 'c', 'b', 'a']);
    expect(preCall(files, 'staging')).toEqual(['g1', 'g2', 'd', 'c', 'b']);
  });

  test('the same hook fires once, at its first position', () => {
    const files = at({ operation: '{ pre_call: [b, a, g1, b] }', environment: '{ pre_call: [a, c] }' });
    expect(preCall(files)).toEqual(['g1', 'g2', 'b', 'a', 'c']);
  });

  test('a later level drops what earlier ones bound only with `replace`, and this is reported', () => {
    const files = at({ operation: '{ pre_call: [a, b] }', environment: '{ pre_call: [b, c], replace: true }' });
    expect(preCall(files)).toEqual(['g1', 'g2', 'b', 'c']);
    expect(planned(files).warnings).toEqual([
      expect.stringMatching(/registry\/config\/c\.yaml drops the hooks a .*PreAbilityCall.* of op/),
    ]);
    expect(planned(files, 'staging').warnings).toEqual([]);
  });

  test('`replace` never drops a global hook', () => {
    expect(preCall(at({ environment: '{ pre_call: [], replace: true }' }))).toEqual(['g1', 'g2']);
  });
});

describe('global hooks', () => {
  const op = lowLevel(
    'op',
    'effects: write_idempotent',
    'scope: { modules: [users.api, billing] }',
    'implementation: { kind: script, script: { path: scripts/any.mjs }, tags: [high-cost] }',
  );
  const fires = (match: string, environment?: string): boolean =>
    preCall({ ...op, ...phase('PreAbilityCall', { g: `blocking: true, match: ${match}` }) }, environment).includes('g');

  test.each([
    ['{}', true],
    ['{ abilities: [op] }', true],
    ['{ abilities: ["o*"] }', true],
    ['{ abilities: [other] }', false],
    ['{ modules: ["users.*"] }', true],
    ['{ modules: [infra] }', false],
    ['{ environments: [dev, prod] }', true],
    ['{ environments: [staging] }', false],
    ['{ effects: [write_idempotent, destructive] }', true],
    ['{ effects: [read] }', false],
    ['{ tags: [high-cost] }', true],
    ['{ tags: [fast] }', false],
    ['{ abilities: [op], environments: [staging] }', false],
    ['{ abilities: [op], environments: [dev], effects: [write_idempotent] }', true],
  ])('R-000-63: `match: %s` fits: %s', (match, is) => {
    expect(fires(match)).toBe(is);
  });

  test.each(['keywords: [row]', 'suggest: [op]', 'routing_hints: {}'])(
    'R-000-63: `match: { %s }` is refused',
    (key) => {
      const { problems } = registryOf({
        ...op,
        ...phase('PreAbilityCall', { g: `blocking: true, match: { ${key} }` }),
      });
      expect(problems).toMatchObject([{ code: 'definition.invalid' }]);
    },
  );

  test('the environment is that of the plan', () => {
    expect([fires('{ environments: [dev] }', 'dev'), fires('{ environments: [dev] }', 'staging')]).toEqual([
      true,
      false,
    ]);
  });

  test.each(['PreAbilityCreate', 'PreAbilityCall'])('R-002-21: in %s only blocking hooks fire', (name) => {
    const files = { ...op, ...phase(name, { g: 'match: {}', b: 'blocking: true, match: {}' }) };
    const hooks = hooksOf(files);
    expect([...ids(hooks.pre_create), ...ids(hooks.pre_call)]).toEqual(['b']);
  });

  test.each(['PreAbilityCreate', 'PreAbilityCall'])(
    'in %s a hook that is not blocking causes a warning that names it',
    (name) => {
      const files = { ...op, ...phase(name, { g: 'match: {}', other: 'match: { abilities: [other] }' }) };
      const { warnings } = planned(files);
      expect(warnings).toEqual([expect.stringMatching(/The hook g never runs.*`blocking: true`/)]);
    },
  );

  test('a hook that is not blocking causes no warning if an ability binds it', () => {
    const binding = lowLevel('binds', 'hooks: { pre_call: [g] }', SCRIPT);
    expect(planned({ ...op, ...binding, ...phase('PreAbilityCall', { g: 'match: {}' }) }).warnings).toEqual([]);
  });

  test('after a call all hooks fire', () => {
    const hooks = hooksOf({
      ...op,
      ...phase('PostAbilityCall', { g: 'match: {}', b: 'blocking: true, match: {}' }, WARN),
    });
    expect(ids(hooks.post_call)).toEqual(['g', 'b']);
  });

  test.each(['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall'])(
    'C-44: in %s a hook without `match` that nothing binds is global, before calls only if it is blocking',
    (name) => {
      const files = { ...op, ...phase(name, { g: '', b: 'blocking: true' }, name === 'PostAbilityCall' ? WARN : DENY) };
      const { pre_create, pre_call, post_call } = hooksOf(files);
      expect(ids([...pre_create, ...pre_call, ...post_call])).toEqual(name === 'PostAbilityCall' ? ['g', 'b'] : ['b']);
    },
  );

  const binders: Record<string, ProjectFiles> = {
    'an ability': lowLevel('binds', 'hooks: { pre_call: [g] }', SCRIPT),
    'an implementation': lowLevel(
      'binds',
      'implementation: { kind: script, script: { path: scripts/any.mjs }, hooks: { pre_call: [g] } }',
    ),
    'a configuration': {
      ...lowLevel('binds', SCRIPT),
      'registry/config/c.yaml': 'abilities: [{ id: binds, hooks: { pre_call: [g] } }]',
    },
    'one environment': {
      ...lowLevel('binds', SCRIPT),
      'registry/config/c.yaml': 'abilities: [{ id: binds, environments: { staging: { hooks: { pre_call: [g] } } } }]',
    },
  };
  test.each(Object.entries(binders))('C-44: %s that binds it narrows it; `match: {}` keeps it global', (_, binds) => {
    expect(preCall({ ...op, ...binds, ...phase('PreAbilityCall', { g: 'blocking: true' }) })).toEqual([]);
    const kept = { ...op, ...binds, ...phase('PreAbilityCall', { g: 'blocking: true, match: {}' }) };
    expect(preCall(kept)).toEqual(['g']);
  });

  test('C-44: a binding in another phase narrows nothing', () => {
    const binding = lowLevel('binds', 'hooks: { pre_create: [g] }', SCRIPT);
    const hooks = { ...phase('PreAbilityCall', { g: 'blocking: true' }), ...phase('PreAbilityCreate', { g: '' }) };
    expect(preCall({ ...op, ...binding, ...hooks })).toEqual(['g']);
  });
});

describe('a bound hook', () => {
  const bound = lowLevel('op', 'hooks: { pre_call: [g] }', SCRIPT);

  test('counts as blocking', () => {
    expect(preCall({ ...bound, ...phase('PreAbilityCall', { g: 'blocking: false' }) })).toEqual(['g']);
  });

  test('is also filtered by its `match`', () => {
    const files = { ...bound, ...phase('PreAbilityCall', { g: 'match: { environments: [staging] }' }) };
    expect([preCall(files, 'dev'), preCall(files, 'staging')]).toEqual([[], ['g']]);
  });

  test('R-002-20: fires only while it is enabled, with a warning if it is not', () => {
    const files = {
      ...bound,
      ...phase('PreAbilityCall', { g: 'enabled: false', global: 'enabled: false, blocking: true, match: {}' }),
    };
    expect(preCall(files)).toEqual([]);
    expect(planned(files).warnings).toEqual([expect.stringMatching(/hook g of op is not enabled/)]);
  });

  test('that does not exist is refused with its location, so that no guard is missing unnoticed', () => {
    const error = errorOf(() => preCall({ ...bound, ...phase('PreAbilityCall', { gg: '' }) }));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.suggestion).toBe('Did you mean gg?');
    expect(error.location).toEqual({ file: 'registry/low-level/op.yaml', line: 4, column: 21 });
  });

  test('R-000-62: of another phase is refused, with the phase that it belongs to', () => {
    const error = errorOf(() => preCall({ ...bound, ...phase('PreAbilityCreate', { g: '' }) }));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.message).toMatch(/one of PreAbilityCreate, not of PreAbilityCall/);
  });
});

test.each(['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall'])(
  'a file %s.yaml that cannot be read is refused, since its guards are unknown',
  (name) => {
    for (const content of ['hooks: [', 'hooks: [{ id: g, handler: { expression: {} } }]\n']) {
      const files = { ...lowLevel('op', '', SCRIPT), [`registry/hooks/${name}.yaml`]: content };
      expect(errorOf(() => preCall(files)).location?.file).toBe(`registry/hooks/${name}.yaml`);
    }
  },
);

describe('handlers', () => {
  const bound = lowLevel('op', 'hooks: { pre_call: [g] }', SCRIPT);
  const after = lowLevel('op', 'hooks: { post_call: [g] }', SCRIPT);
  const handlerOf = (handler: string) =>
    hooksOf({ ...bound, ...phase('PreAbilityCall', { g: '' }, handler) }).pre_call[0]?.handler;

  test('a script reads stdin, with no arguments and a limit of ten seconds', () => {
    expect(handlerOf('handler: { script: { path: scripts/any.mjs } }')).toMatchObject({
      kind: 'script',
      timeout_ms: 10_000,
      script: { path: 'scripts/any.mjs', args: [] },
    });
    expect(handlerOf('handler: { script: { path: scripts/any.mjs, timeout_sec: 3 } }')).toMatchObject({
      timeout_ms: 3000,
    });
  });

  test('a missing script is refused before anything runs', () => {
    expect(errorOf(() => handlerOf('handler: { script: { path: scripts/gone.mjs } }')).code).toBe('script.missing');
  });

  test('an expression keeps its conditions, reason and suggestion', () => {
    const handler =
      'handler: { expression: { deny_if: "has(input.x)", confirm_if: "true", reason: Why., suggestion: Do. } }';
    expect(handlerOf(handler)).toEqual({
      kind: 'expression',
      deny_if: 'has(input.x)',
      confirm_if: 'true',
      reason: 'Why.',
      suggestion: 'Do.',
    });
  });

  test.each([
    ['input.x = 1', /not valid/],
    ['inptu.x == 1', /`inptu` is not defined/],
    ['steps.a.output == 1', /`steps` is not defined/],
  ])('an expression with %s is refused with its location', (condition, message) => {
    const error = errorOf(() => handlerOf(`handler: { expression: { deny_if: "${condition}" } }`));
    expect(error.code).toBe('expression.syntax');
    expect(error.message).toMatch(message);
    expect(error.location).toMatchObject({ file: 'registry/hooks/PreAbilityCall.yaml', line: 2 });
  });

  test('an expression asks at its limit only if people can raise that', () => {
    const limited = (deny_if: string) => handlerOf(`handler: { expression: { deny_if: "${deny_if}", on_limit: ask } }`);
    expect(limited('session.counts.total >= 1 + session.raised')).toMatchObject({ on_limit: 'ask' });
    const error = errorOf(() => limited('session.counts.total >= 1'));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringContaining('session.raised') });
    expect(error.location).toMatchObject({ file: 'registry/hooks/PreAbilityCall.yaml', line: 2 });
  });

  test('a built-in keeps its options', () => {
    expect(handlerOf('handler: { builtin: { name: environment_scope, options: { allow: [dev] } } }')).toEqual({
      kind: 'builtin',
      name: 'environment_scope',
      options: { allow: ['dev'] },
    });
    expect(handlerOf('handler: { builtin: credentials_present }')).toEqual({
      kind: 'builtin',
      name: 'credentials_present',
      options: {},
    });
  });

  test('a built-in in a phase where it makes no sense is refused', () => {
    expect(errorOf(() => handlerOf('handler: { builtin: usage }')).suggestion).toMatch(/PostAbilityCall\.yaml/);
  });

  test.each(['deny_if', 'confirm_if'])(
    'R-000-62: %s after a call is refused, since nothing can be denied any more',
    (key) => {
      const handler = `handler: { expression: { ${key}: "true" } }`;
      const error = errorOf(() => hooksOf({ ...after, ...phase('PostAbilityCall', { g: '' }, handler) }));
      expect(error.code).toBe('definition.invalid');
      expect(error.suggestion).toMatch(/warn_if/);
    },
  );
});

test('R-000-64: routing hints select no hook', () => {
  const hooks = phase('PreAbilityCall', { seed: 'blocking: true, match: { abilities: [seed] }' });
  const hinted = lowLevel('op', 'routing_hints: { keywords: [seed], scopes: [seed], notes: seed }', SCRIPT);
  expect(preCall({ ...hooks, ...hinted })).toEqual([]);
});

test('a workflow has its own hooks, in addition to those of its calls', () => {
  const files = {
    ...lowLevel('op', 'hooks: { pre_call: [call] }', SCRIPT),
    ...phase('PreAbilityCall', { call: '', task: '' }),
    'registry/high-level/w.yaml':
      'id: w\ntype: workflow\nversion: 1\nsummary: s\nhooks: { pre_call: [task] }\nsteps: [{ id: a, call: op }]\n',
  };
  const { ability, operations } = planned(files, 'dev', 'w').plan;
  expect([ids(ability.hooks.pre_call), ids(operations.op?.hooks.pre_call ?? [])]).toEqual([['task'], ['call']]);
});

test.each([
  ['args_template', "args_template: '--payload {payload}'"],
  ['args', "args: ['{payload}']"],
])('a hook whose %s contains a name that nothing replaces is refused, with its location', (_, args) => {
  const handler = `handler: { script: { path: scripts/any.mjs, ${args} } }`;
  const files = {
    ...lowLevel('op', 'hooks: { pre_call: [asks] }', SCRIPT),
    ...phase('PreAbilityCall', { asks: '' }, handler),
  };
  const { code, message, location } = errorOf(() => planned(files));
  expect({ code, message }).toEqual({
    code: 'definition.invalid',
    message: 'The arguments of a hook have no placeholder {payload}',
  });
  const line = files['registry/hooks/PreAbilityCall.yaml']?.split('\n')[1] ?? '';
  expect(location).toMatchObject({ file: 'registry/hooks/PreAbilityCall.yaml', line: 2 });
  expect(line.slice((location?.column ?? 0) - 1)).toMatch(/^['[]/);
});
