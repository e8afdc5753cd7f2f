import { describe, expect, test } from 'vitest';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const HEAD = 'type: agent\nsummary: Writes texts.\ninstructions: Write what is asked for.\n';

function filesOf(agent: string, more: ProjectFiles = {}): ProjectFiles {
  return {
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\nmodels: { default: { model: mini } }\n',
    ...SCRIPT_FILE,
    ...lowLevel('text.keep', SCRIPT),
    'registry/high-level/writer.yaml': `id: writer\n${HEAD}${agent}\n`,
    ...more,
  };
}

/** The steps of one turn of an agent. */
function turnOf(agent: string) {
  const [turns] = resolved(filesOf(agent), 'writer').plan.steps;
  return turns?.verb === 'repeat' ? turns.steps : [];
}

describe('the plan of an agent', () => {
  test('has turns that call the model and make the calls that it requests', () => {
    const [model, calls] = turnOf('operations: [text.keep]');
    expect(model).toMatchObject({ verb: 'call', id: 'model' });
    expect(calls).toMatchObject({ verb: 'foreach', id: 'calls', steps: [{ verb: 'call', call: 'text.keep' }] });
  });

  test('has turns without calls if it may call nothing', () => {
    expect(turnOf('operations: []')).toHaveLength(1);
  });

  test('is refused if the profile is invalid', () => {
    const example = 'operations: []\nexamples: [{ input: { request: 1 } }]';
    expect(errorOf(() => resolved(filesOf(example), 'writer')).code).toBe('definition.invalid');
  });
});

describe('a plan states that calls are reported to sessions', () => {
  const planned = (deny_if: string, enabled = true) => {
    const hook = `{ id: limit, enabled: ${enabled}, handler: { expression: { deny_if: "${deny_if}", reason: Enough. } } }`;
    const files = filesOf('operations: []', { 'registry/hooks/PreAbilityCall.yaml': `hooks:\n  - ${hook}\n` });
    return resolved(files, 'text.keep').plan;
  };

  test('if a guard reads those of its session', () => {
    expect(planned('session != null && session.counts.total > 3').session_calls).toBe(true);
  });

  test.each([
    ['no guard does', 'input.n == 1', true],
    ['the guard that does is off', 'session != null && session.counts.total > 3', false],
  ])('but not if %s', (_, condition, enabled) => {
    expect(planned(condition, enabled)).not.toHaveProperty('session_calls');
  });
});
