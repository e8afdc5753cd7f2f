import { describe, expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { loadCases } from '../../../src/definitions/load-cases.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { operation, workflow } from '../../fixtures/project-folder.js';
import { temporaryProject } from '../temporary-project.js';

const FILE = 'registry/high-level/x.test.yaml';

/** The problems of a file of cases: location, message, suggestion. */
function problemsIn(text: string): string[] {
  const { broken } = loadCases(temporaryProject({ [FILE]: text }).root);
  return broken.flatMap(({ problems }) =>
    problems.map(({ location, message, suggestion }) => {
      return `${location ? formatLocation(location).replace(`${FILE}:`, '') : ''} ${message} ${suggestion ?? ''}`.trim();
    }),
  );
}
const oneCase = (lines: string): string => `ability: x\ncases:\n  - name: a\n    ${lines}\n`;

test('every form of a case is understood', () => {
  const { suites, broken } = loadCases(
    temporaryProject({
      [FILE]: `
ability: x
defaults: { environment: dev, input: { a: 1 }, mocks: { s: { output: null } }, hooks: { h: deny }, approvals: { s: expire } }
cases:
  - name: all
    environment: staging
    input: { a: [1] }
    mocks:
      s: [{ output: 1 }, { error: { code: http.503 } }, { error: { code: a.b, message: m, details: { x: 1 } } }, { live: true }]
    hooks: { h: need_user_confirm, i: { guard_decision: deny, reason: r, suggestion: s, warnings: [w] } }
    approvals: { s: approve, t: { decision: deny, by: bob, comment: no }, u: [{ decision: approve }, { decision: approve }] }
    expect:
      { status: unavailable, output: [1], output_includes: { a: 1 }, error: { code: a.b, step: s, message: m }, calls: [x, { call: x, with: { a: 1 } }], steps: { s: denied } }
  - { name: least }
`,
    }).root,
  );
  expect(broken).toEqual([]);
  expect(suites).toMatchObject([
    {
      file: FILE,
      value: { cases: [{ hooks: { h: { guard_decision: 'need_user_confirm' } } }, { name: 'least', expect: {} }] },
    },
  ]);
});

test.each([
  ['env: dev', '4:5 Unknown key `env` (at cases.0.env) Write `environment`.'],
  ['mock: { s: { output: 1 } }', '4:5 Unknown key `mock` (at cases.0.mock) Did you mean mocks?'],
  ['with: { a: 1 }', '4:5 Unknown key `with` (at cases.0.with) Write `input`.'],
  ['expect: { statuss: failed }', '4:15 Unknown key `statuss`'],
  ['expect: { status: success }', '4:23 One of succeeded, failed, denied'],
  ['expect: { status: running }', '4:23 One of succeeded'],
  ['expect: { error: Not A Code }', '4:22 An error is a code, or { code, step, message }'],
  ['mocks: { s: 1 }', '4:17 A mock is { output: .. }'],
  ['mocks: { s: [] }', '4:17 A list of answers has at least one'],
  ['mocks: { s: { live: false } }', '4:17 A mock is { output: .. }'],
  ['hooks: { h: maybe }', '4:17 The answer of a hook is allow, deny or need_user_confirm'],
  ['approvals: { s: yes }', '4:21 An approval is approve, deny, request_changes or expire'],
  ['approvals: { s: [] }', '4:21 A list of decisions has at least one'],
  ['approvals: { s: { decision: deny, fields: { a: 1 } } }', 'Only an approval fills in fields'],
  ['expect: { steps: { s: done } }', '4:27 One of pending, running'],
  ['input: [1]', '4:12 A map belongs here'],
])('%s is refused with its location and the right form', (line, message) => {
  expect(problemsIn(oneCase(line))[0]).toContain(message);
});

test.each([
  ['cases: [{ name: a }]', '1:1 `ability` is missing'],
  ['ability: x', '1:1 `cases` is missing'],
  ['ability: x\ncases: []', '2:8 A file of cases has at least one'],
  ['ability: x\ncases: [{}]', '2:9 `name` is missing'],
  ['ability: [', '1:11 Not valid YAML'],
  ['ability: x\ncases: [{ name: a }, { name: a }]', `2:30 Two cases are called "a"; the first is in ${FILE}:2:17`],
])('%j is refused', (text, message) => {
  expect(problemsIn(text)[0]).toContain(message);
});

describe('the registry', () => {
  const FILES = {
    ...operation('util.echo', 'return input;'),
    ...workflow('flow', 'steps: [{ id: a, call: util.echo }]'),
  };

  test('ignores test cases, broken or not, and its digest does not depend on them', () => {
    const project = temporaryProject(FILES);
    const before = loadRegistry(project.root);
    project.write({
      [FILE]: 'ability: flow\ncases: [{ name: a }]\n',
      'registry/low-level/util.echo.test.yaml': 'ability: [',
      'registry/low-level/deep/other.test.yml': 'anything: at all\n',
    });
    const after = loadRegistry(project.root);
    expect(after.problems).toEqual([]);
    expect(after.opaque).toEqual([]);
    expect(after.digest).toBe(before.digest);
    expect(loadCases(project.root)).toMatchObject({ suites: [{ file: FILE }], broken: [{}, {}] });
  });

  test('reports an ability in a file that is named like one of test cases, instead of skipping it', () => {
    const { root } = temporaryProject({
      'registry/low-level/util.test.yaml': 'operation_key: util.test\nsummary: x\n',
    });
    const problem = { code: 'definition.invalid', location: { file: 'registry/low-level/util.test.yaml', line: 1 } };
    expect(loadRegistry(root).broken.get('ability:util.test')).toMatchObject(problem);
    expect(loadCases(root).broken).toMatchObject([{ problems: [problem] }]);
  });

  test('reads a file of that name as usual in folders without abilities', () => {
    const { root } = temporaryProject({
      ...FILES,
      'registry/implementations/echo.test.yaml':
        'id: echo.test\noperation_key: util.echo\nkind: script\nscript: { path: scripts/util.echo.mjs }\n',
    });
    expect(loadRegistry(root).implementations.has('echo.test')).toBe(true);
  });
});

test('cases can be next to abilities in .system/registry as well', () => {
  const { root } = temporaryProject({
    '.system/registry/high-level/x.test.yaml': 'ability: x\ncases: [{ name: a }]\n',
  });
  expect(loadCases(root).suites).toMatchObject([{ file: '.system/registry/high-level/x.test.yaml' }]);
});
