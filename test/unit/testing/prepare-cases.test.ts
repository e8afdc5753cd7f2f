import { describe, expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { loadCases } from '../../../src/definitions/load-cases.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { type CaseFilter, prepareCases } from '../../../src/testing/prepare-cases.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { operation, projectFile, workflow } from '../../fixtures/project-folder.js';
import { agent, lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject, WITH_MODEL } from '../temporary-project.js';

const PROJECT: ProjectFiles = {
  'ability.yaml': projectFile(
    '{ dev: {}, prod: { protected: true } }',
    'default_environment: dev\npolicy: { allowed_hosts: ["*.acme.test"] }\n',
  ),
  ...operation('util.echo', 'return input;'),
  ...lowLevel('http.get', 'scope: { environments: [dev] }', 'implementation: { kind: api, api: { path: / } }'),
  ...lowLevel('judge', SCRIPT, 'effects: read'),
  ...lowLevel('guarded', 'hooks: { pre_call: [scripted, written, judged] }', SCRIPT),
  ...SCRIPT_FILE,
  'registry/config/all.yaml':
    'abilities: [{ id: http.get, environments: { dev: { endpoints: { default: "env:NOWHERE_URL" }, credentials: { token: "env:NOWHERE_TOKEN" } } } }]',
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: scripted, handler: { script: { path: scripts/any.mjs } } }
  - { id: written, handler: { expression: { deny_if: "false" } } }
  - { id: judged, handler: { ability: { key: judge } } }
`,
  ...workflow(
    'flow',
    `steps:
  - { id: first, call: util.echo }
  - { id: both, parallel: { web: { call: http.get }, sure: { call: guarded } } }
  - { id: ask, approval: { title: Go? } }
  - { id: names, let: { a: 1 } }
  - { id: other, call: inner }
  - { id: waits, wait: { signal: built } }
finally: [{ id: bye, call: util.echo }]`,
  ),
  ...workflow('inner', 'steps: [{ id: within, call: util.echo }]'),
};

function prepared(cases: string, filter: CaseFilter = {}) {
  const { root } = temporaryProject({ ...PROJECT, 'registry/high-level/flow.test.yaml': cases });
  return prepareCases(loadRegistry(root), loadCases(root), filter);
}
const problemsIn = (cases: string): string[] =>
  prepared(cases).problems.map(
    ({ message, location, suggestion }) => `${location ? formatLocation(location) : ''} ${message} ${suggestion ?? ''}`,
  );

test('a mock of a step that calls an agent is refused as one', () => {
  const { root } = temporaryProject({
    ...WITH_MODEL,
    ...agent(),
    ...workflow('asks', 'steps: [{ id: one, call: helper }]'),
    'registry/high-level/asks.test.yaml': 'ability: asks\ncases: [{ name: a, mocks: { one: { output: 1 } } }]\n',
  });
  expect(prepareCases(loadRegistry(root), loadCases(root), {}).problems).toMatchObject([
    { message: '`one` calls the agent `helper`, which really runs' },
  ]);
});

test('a case takes what it does not specify from the defaults, key by key', () => {
  const { cases, problems } = prepared(`
ability: flow
defaults:
  environment: prod
  input: { a: 1, b: 2 }
  mocks: { first: { output: 1 }, web: { output: 2 } }
  approvals: { ask: approve }
cases:
  - name: one
  - { name: two, environment: dev, input: { b: 3 }, mocks: { web: { output: 4 } }, approvals: { ask: deny } }
`);
  expect(problems).toEqual([]);
  expect(cases).toMatchObject([
    { name: 'one', environment: 'prod', input: { a: 1, b: 2 }, approvals: { ask: 'approve' } },
    {
      name: 'two',
      environment: 'dev',
      input: { a: 1, b: 3 },
      mocks: { first: { output: 1 }, web: { output: 4 } },
      approvals: { ask: 'deny' },
    },
  ]);
});

test('without an environment in the file that of the command applies, or else the default one', () => {
  const file = 'ability: flow\ncases: [{ name: x }]\n';
  expect(prepared(file).cases[0]?.environment).toBe('dev');
  expect(prepared(file, { environment: 'prod' }).cases[0]?.environment).toBe('prod');
});

test('neither credentials nor addresses need be set', () => {
  expect(prepared('ability: flow\ncases: [{ name: x, mocks: { web: { output: 1 } } }]\n').problems).toEqual([]);
});

test('names are step ids, step paths, operation keys, hooks that run a script, and the beginning of approval ids', () => {
  expect(
    problemsIn(`
ability: flow
cases:
  - name: x
    mocks: { first: { output: 1 }, both/web: { output: 1 }, util.echo: { output: 1 }, bye: { live: true } }
    hooks: { scripted: allow }
    approvals: { ask: approve, first: deny, both/web: deny, run: expire, ask-0f3a: approve }
    expect: { calls: [util.echo, { call: http.get }], steps: { names: succeeded, both/web: failed, both: failed } }
`),
  ).toEqual([]);
});

test.each([
  ['mocks: { frist: { output: 1 } }', '4:14 There is no step or operation `frist` Did you mean first?'],
  [
    'mocks: { ask: { output: 1 } }',
    '4:14 `ask` is a step that does not call (`approval`) Decide it under `approvals`.',
  ],
  [
    'mocks: { names: { output: 1 } }',
    '4:14 `names` is a step that does not call (`let`) Only steps that make calls are replaced.',
  ],
  [
    'mocks: { other: { output: 1 } }',
    '4:14 `other` calls the workflow `inner`, which really runs Mock what it calls: `other/STEP`',
  ],
  ['hooks: { scriptd: allow }', '4:14 There is no hook `scriptd` around this ability Did you mean scripted?'],
  ['hooks: { written: allow }', '4:14 The hook `written` is an expression, so it answers for itself Only'],
  ['hooks: { judged: allow }', '4:14 The hook `judged` is answered by an ability, so it answers for itself Only'],
  ['approvals: { aks: deny }', '4:18 There is no step `aks` Did you mean ask?'],
  ['approvals: { names: deny }', '4:18 The step `names` asks for no approval (`let`) There are: first'],
  ['expect: { steps: { frist: failed } }', '4:24 There is no step `frist` Did you mean first?'],
  ['expect: { calls: [util.ecko] }', '4:23 This ability never calls `util.ecko` Did you mean util.echo?'],
  ['expect: { calls: [{ call: util }] }', '4:31 This ability never calls `util` Did you mean util.echo?'],
  ['signals: [{ name: bild }]', '4:23 No step of this ability waits for the signal `bild` Did you mean built?'],
  ['environment: produ', '4:18 The project'],
])('%s is a mistake', (line, message) => {
  const [only, ...others] = problemsIn(`ability: flow\ncases:\n  - name: x\n    ${line}\n`);
  expect(only).toContain(`registry/high-level/flow.test.yaml:${message}`);
  expect(others).toEqual([]);
});

test('an unknown ability is a mistake, and the nearest name is suggested', () => {
  expect(problemsIn('ability: flwo\ncases: [{ name: x }]\n')).toEqual([
    'registry/high-level/flow.test.yaml:1:10 There is no ability `flwo` Did you mean flow?',
  ]);
});

describe('what cases share', () => {
  test('needs to fit only one of them', () => {
    const { problems } = prepared(`
ability: http.get
defaults: { mocks: { run: { output: 1 } } }
cases: [{ name: there }, { name: nowhere else, environment: prod, expect: { status: unavailable } }]
`);
    expect(problems).toEqual([]);
  });

  test('must fit at least one of them', () => {
    expect(
      problemsIn('ability: flow\ndefaults: { mocks: { frist: { output: 1 } } }\ncases: [{ name: x }, { name: y }]\n'),
    ).toEqual(['registry/high-level/flow.test.yaml:2:22 There is no step or operation `frist` Did you mean first?']);
  });
});

test('with the id of an ability only its cases are prepared, without the mistakes in other cases', () => {
  const { root } = temporaryProject({
    ...PROJECT,
    'registry/high-level/flow.test.yaml': 'ability: flow\ncases: [{ name: a }]\n',
    'registry/low-level/echo.test.yaml': 'ability: util.echo\ncases: [{ name: b }]\n',
    'registry/low-level/bad.test.yaml': 'ability: guarded\ncases: [{ nam: c }]\n',
  });
  const of = (ability?: string) => prepareCases(loadRegistry(root), loadCases(root), { ability });
  expect(of('util.echo')).toMatchObject({ cases: [{ name: 'b' }], problems: [] });
  expect(of('guarded')).toMatchObject({ cases: [], problems: [{}, {}] });
  expect(of().cases).toHaveLength(2);
});

test('a project that does not specify an environment gets an error', () => {
  const { root } = temporaryProject({
    ...PROJECT,
    'ability.yaml': projectFile('{ dev: {}, prod: {} }'),
    'registry/high-level/flow.test.yaml': 'ability: flow\ncases: [{ name: a }]\n',
  });
  const { problems } = prepareCases(loadRegistry(root), loadCases(root), {});
  expect(problems).toMatchObject([{ code: 'config.no_environment' }]);
});
