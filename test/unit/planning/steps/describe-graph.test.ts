import { describe, expect, test } from 'vitest';
import { describeGraph } from '../../../../src/planning/graph/describe-graph.js';
import { projectFile, workflow } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { agent, lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const registry = () =>
  registryOf({
    'ability.yaml': projectFile('{ dev: {}, staging: { approve: [destructive] } }'),
    ...SCRIPT_FILE,
    ...lowLevel('db.drop', 'effects: destructive', 'scope: { environments: [staging] }', SCRIPT),
    ...lowLevel('db.nothing'),
    ...workflow(
      'flow',
      'scope: { environments: [staging] }\nsteps: [{ id: a, call: db.drop }]\nfinally: [{ id: b, let: { x: 1 } }]',
    ),
    ...agent('operations: [db.drop, db.drop]', 'limits: { max_turns: 3 }'),
    ...workflow('broken', 'steps: [{ id: a, call: db.dorp }]'),
  });

describe('the graph of an ability', () => {
  test('shows its plan: implementations, and which calls require approval', () => {
    expect(describeGraph(registry(), 'flow', 'staging', true)).toEqual({
      subject: {
        id: 'flow',
        version: 1,
        environment: 'staging',
        steps: [{ id: 'a', verb: 'call', call: 'db.drop', with: {} }],
        finally: [{ id: 'b', verb: 'let', let: { x: 1 } }],
        callees: { 'db.drop': { effects: 'destructive', implementation: 'db.drop', approvalIn: 'staging' } },
      },
      problem: null,
    });
  });

  test('shows its definition if it cannot be planned, and states why', () => {
    const { subject, problem } = describeGraph(registry(), 'flow', 'dev', false);
    expect(subject).toMatchObject({ environment: null, steps: [{ id: 'a' }], finally: [{ id: 'b' }] });
    expect(subject.callees['db.drop']).toEqual({ effects: 'destructive' });
    expect(problem).toMatchObject({ code: 'scope.environment' });
  });

  test('is refused if it cannot be planned and the environment was named', () => {
    expect(errorOf(() => describeGraph(registry(), 'flow', 'dev', true))).toMatchObject({ code: 'scope.environment' });
  });

  test('of a low-level ability is one call', () => {
    for (const id of ['db.drop', 'db.nothing']) {
      const { subject } = describeGraph(registry(), id, 'staging', false);
      expect(subject).toMatchObject({ id, steps: [{ id: 'run', verb: 'call', call: id }], finally: [] });
    }
  });

  test('of an agent without a model is of its turns, with what it may call', () => {
    const { subject, problem } = describeGraph(registry(), 'helper', 'staging', false);
    expect(problem).toMatchObject({ code: 'config.no_model' });
    expect(subject).toMatchObject({ id: 'helper', environment: null, finally: [] });
    expect(subject.steps).toMatchObject([
      { repeat: { max: 3 }, steps: [{ call: 'model:default' }, { steps: [{ id: 'db_drop', call: 'db.drop' }] }] },
    ]);
    expect(subject.callees['model:default']).toEqual({ effects: 'external_read' });
  });

  test('of a broken or unknown ability is refused', () => {
    const codeOf = (id: string) => errorOf(() => describeGraph(registry(), id, 'dev', false));
    expect(codeOf('broken')).toMatchObject({ code: 'definition.unknown_reference' });
    expect(codeOf('nothing')).toMatchObject({ code: 'ability.not_found' });
  });
});
