import { describe, expect, test } from 'vitest';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { lintProject } from '../../../../src/lint/lint-project.js';
import { workflow } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';

const SCHEMA = (more = ''): string =>
  `input_schema: { type: object, properties: { name: { type: string ${more} }, tags: {}, size: {}, dry: { type: boolean } } }`;

/** A workflow with one step that passes this to a script. */
const calling = (texts: string, given: string, schema = SCHEMA()) => ({
  ...SCRIPT_FILE,
  ...lowLevel('op', schema, `implementation: { kind: script, script: { path: scripts/any.mjs, ${texts} } }`),
  ...workflow('flow', `steps:\n  - id: one\n    call: op\n    with: ${given}`),
});

const NAME = 'args: ["${{ input.name }}"]';

describe('a literal in a step that its script refuses is refused before there is a task (issue 11, item 1)', () => {
  test.each([
    ['text that begins with -', NAME, '{ name: "-rf" }', /begins with `-`/],
    ['beside what only the run knows', NAME, '{ name: "-rf", size: "${{ task.key }}" }', /begins with `-`/],
    [
      'behind an item that only the run knows',
      'args: ["${{ input.size }}", "${{ input.name }}"]',
      '{ name: "-rf", size: "${{ task.key }}" }',
      /`args\[1\]` reads `input.name`/,
    ],
    ['a list as an item', 'args: ["${{ input.tags }}"]', '{ tags: [a] }', /gives a list/],
    ['a map on stdin', 'args: [], stdin: "${{ input.tags }}"', '{ tags: { a: 1 } }', /`stdin` .*gives a map/],
    ['a list in a variable', 'args: [], env: { T: "${{ input.tags }}" }', '{ tags: [a] }', /`env.T`/],
    [
      'an item of a list',
      'args: [{ each: input.tags, as: tag, then: ["${{ tag }}"] }]',
      '{ tags: [a, -b] }',
      /begins with `-`/,
    ],
    ['no list to go through', 'args: [{ each: input.tags, as: tag, then: [x] }]', '{ tags: a }', /no list/],
  ])('%s', (_, texts, given, message) => {
    const error = errorOf(() => resolved(calling(texts, given), 'flow'));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(message) });
    expect(error.message).toMatch(/^op refuses what the step passes to it: /);
  });

  test.each([
    ['a number', NAME.replace('name', 'size'), '{ size: -5 }'],
    ['behind a --', 'args: ["--", "${{ input.name }}"]', '{ name: "-rf" }'],
    [
      'behind a -- of a condition',
      'args: [{ if: input.dry, then: ["--"] }, "${{ input.name }}"]',
      '{ name: "-rf", dry: true }',
    ],
    ['where options are allowed', 'args: [{ value: "${{ input.name }}", option: allowed }]', '{ name: "-rf" }'],
    ['an expression, which the call looks at', NAME, '{ name: "${{ \'-\' + task.key }}" }'],
    ['under a condition that is not met', 'args: [{ if: input.dry, then: ["${{ input.name }}"] }]', '{ name: "-rf" }'],
    [
      'under one that only the run knows',
      'args: [{ if: input.dry, then: ["${{ input.name }}"] }]',
      '{ name: "-rf", dry: "${{ environment.protected }}" }',
    ],
    ['a whole input from an expression', NAME, '"${{ input }}"'],
  ])('does not apply to: %s', (_, texts, given) => {
    expect(resolved(calling(texts, given), 'flow').plan.steps).toHaveLength(1);
  });

  test('a value that a default may fill in is left to the call', () => {
    const texts = "args: [\"${{ has(input.name) ? 'x' : '-' + string(input.size) }}\"]";
    expect(resolved(calling(texts, '{ size: 1 }', SCHEMA(', default: a')), 'flow').plan.steps).toHaveLength(1);
    expect(errorOf(() => resolved(calling(texts, '{ size: x }'), 'flow')).message).toMatch(/begins with `-`/);
  });

  test('applies to an `undo` as well, and lint reports it at its location', () => {
    const steps =
      'steps:\n  - id: one\n    call: op\n    with: { name: a }\n    undo: { call: op, with: { name: "-rf" } }';
    const project = temporaryProject({ ...calling(NAME, '{}'), ...workflow('flow', steps) });
    const { findings } = lintProject(new RegistryLoader(project.root));
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'definition.invalid', location: { file: 'registry/high-level/flow.yaml', line: 9 } },
    ]);
  });
});
