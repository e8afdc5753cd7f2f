import { afterAll, describe, expect, test } from 'vitest';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { loadedComposites } from '../../../../src/definitions/find-ability.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { abilityIn } from '../../../../src/operations/describe-ability.js';
import { abilitiesOf } from '../../../../src/operations/list-abilities.js';
import { checkAgent } from '../../../../src/planning/resolve/check-ability.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { definedEffects } from '../../../../src/planning/steps/called-abilities.js';
import { makeProject, operation, workflow } from '../../../fixtures/project-folder.js';

const HEAD = 'type: agent\nsummary: Writes texts.\ninstructions: Write what is asked for.\n';
const project = makeProject({
  ...operation('text.keep', 'return 1;', { effects: 'write_additive' }),
  ...operation('text.read', 'return 1;', { effects: 'read' }),
  ...workflow('calls_it', 'steps: [{ id: one, call: writer }]'),
  'registry/high-level/writer.yaml': `id: writer\n${HEAD}operations: [text.keep, text.read]\n`,
  'registry/high-level/alone.yaml': `id: alone\n${HEAD}`,
  'registry/high-level/wrong.yaml': `id: wrong\n${HEAD}operations: [text.reed]\n`,
  'registry/high-level/example.yaml': `id: example\n${HEAD}examples: [{ input: { request: 1 } }]\n`,
  'registry/high-level/schema.yaml': `id: schema\n${HEAD}output_schema: { type: strin }\n`,
  'registry/high-level/steps.yaml': `id: steps\n${HEAD}steps: []\n`,
  'registry/high-level/silent.yaml': 'id: silent\ntype: agent\nsummary: s\n',
  'registry/high-level/twice.yaml': `id: text.read2\n${HEAD}`,
  'registry/high-level/twice-again.yaml': 'id: text.read2\ntype: workflow\nsummary: s\n',
});
const registry = loadRegistry(project.root);
afterAll(() => project.remove());

function problemOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof AbilityError) return error.toProblem();
    throw error;
  }
  return undefined;
}
const agentOf = (id: string) => registry.agents.get(id) ?? expect.fail(`no agent ${id}`);

describe('the profile of an agent', () => {
  test('R-000-36: each high-level entry is a workflow or an agent, with a unique id, and version 1 unless it states another', () => {
    const other = makeProject({
      'registry/high-level/one.yaml': `id: one\n${HEAD}version: 3\n`,
      'registry/high-level/two.yaml': 'id: two\ntype: workflow\nsummary: s\nsteps: [{ id: a, let: { x: 1 } }]\n',
      'registry/high-level/three.yaml': 'id: three\ntype: script\nsummary: s\n',
      'registry/high-level/both.yaml': `id: both\n${HEAD}`,
      'registry/high-level/again.yaml': 'id: both\ntype: workflow\nsummary: s\n',
    });
    const { agents, workflows, broken } = loadRegistry(other.root);
    other.remove();
    expect([agents.get('one')?.value.version, workflows.get('two')?.value.version]).toEqual([3, 1]);
    expect(loadedComposites({ agents, workflows }).map(([id]) => id)).toEqual(['two', 'one']);
    expect(broken.get('ability:three')).toMatchObject({ code: 'definition.invalid' });
    expect(broken.get('ability:both')).toMatchObject({ code: 'definition.duplicate' });
  });

  test('is loaded with what it needs, and has a request as its input', () => {
    expect([...registry.agents.keys()].sort()).toEqual(['alone', 'example', 'generic', 'schema', 'writer', 'wrong']);
    const { operations, input_schema, version } = agentOf('alone').value;
    expect([operations, input_schema.required, version]).toEqual([[], ['request'], 1]);
  });

  test.each([
    ['steps', 'definition.invalid'],
    ['silent', 'definition.invalid'],
    ['text.read2', 'definition.duplicate'],
  ])('%s is refused with %s', (id, code) => {
    expect(registry.broken.get(`ability:${id}`)).toMatchObject({ code });
  });

  test.each([
    ['writer', undefined],
    ['wrong', { code: 'definition.unknown_reference', suggestion: expect.stringContaining('text.read') }],
    ['example', { code: 'definition.invalid' }],
    ['schema', { code: 'definition.invalid' }],
  ])('%s is checked', (id, problem) => {
    const found = problemOf(() => checkAgent(registry, agentOf(id)));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(problem);
  });

  test('without a model is listed as not runnable, and shown with the reason', () => {
    const variables = new EnvironmentVariables(project.root, 'dev');
    expect(abilitiesOf(registry, undefined, undefined)).toContainEqual(
      expect.objectContaining({ id: 'writer', level: 'high', type: 'agent', runnable: false }),
    );
    expect(abilityIn(registry, 'writer', 'dev', variables)).toMatchObject({
      definition: { id: 'writer' },
      plan: null,
      problem: { code: 'config.no_model' },
    });
  });

  test.each(['writer', 'calls_it'])('%s is not planned without a model', (id) => {
    expect(problemOf(() => resolvePlan(registry, id, 'dev'))).toMatchObject({ code: 'config.no_model' });
  });

  test('has the most severe effects of what it may call', () => {
    expect([definedEffects(registry, 'writer'), definedEffects(registry, 'alone')]).toEqual(['write_additive', 'read']);
  });
});
