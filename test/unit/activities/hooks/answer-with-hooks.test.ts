import { afterAll, describe, expect, test } from 'vitest';
import { answerWithHooks, type Question } from '../../../../src/activities/hooks/answer-with-hooks.js';
import type { EventContext } from '../../../../src/contracts/hooks.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { makeProject, operation, projectFile } from '../../../fixtures/project-folder.js';
import { hookDependencies } from './example-run.js';

const project = makeProject({
  'ability.yaml': projectFile(),
  ...operation('ops.run', 'return input;', {
    effects: 'write_idempotent',
    yaml: 'input_schema: { type: object, properties: { command: { type: string }, times: { type: integer, default: 1 } } }',
  }),
  ...operation('ops.look', 'return input;', { effects: 'read' }),
  'guards/any.mjs': '',
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: no_rm
    match: { abilities: [ops.run] }
    blocking: true
    handler: { expression: { deny_if: 'has(input.command) && input.command.startsWith("rm ")', reason: "No removing." } }
  - id: script
    match: { abilities: [ops.run] }
    blocking: true
    handler: { script: { path: guards/any.mjs } }
  - id: aside
    match: { abilities: [ops.run] }
    blocking: false
    handler: { script: { path: guards/any.mjs } }
  - id: agents
    match: { abilities: [ops.run], callers: [agent] }
    blocking: true
    handler: { expression: { warn_if: 'true', reason: "An agent asks." } }
  - id: sessions
    match: { abilities: [ops.run], callers: [session] }
    blocking: true
    handler: { expression: { warn_if: 'true', reason: "A session asks." } }
  - id: too_many
    match: { abilities: [ops.run] }
    blocking: true
    handler: { expression: { deny_if: 'session != null && session.counts["ops.run"] > 3', reason: "Enough." } }
  - id: agents_too_many
    match: { abilities: [ops.run], callers: [agent] }
    blocking: true
    handler: { expression: { deny_if: 'session != null && session.counts["ops.run"] > 9', reason: "Enough." } }
  - id: aside_too_many
    match: { abilities: [ops.run] }
    blocking: false
    handler: { expression: { deny_if: 'session != null && session.counts["ops.run"] > 9', reason: "Enough." } }
`,
});
afterAll(() => project.remove());

const MOMENT = Date.parse('2026-12-24T18:00:00Z');

/** Consults the guards about a call. @returns their answers, and the events that scripts received. */
async function ask(question: Partial<Question> = {}) {
  const events: EventContext[] = [];
  const opened: string[] = [];
  const user = { name: 'ada', source: 'claimed' } as const;
  const about = { root: project.root, ability: 'ops.run', input: {}, user, session: null, moment: MOMENT };
  const answers = await answerWithHooks(
    { ...about, ...question },
    new EnvironmentVariables(project.root, 'dev', {}),
    (name) => {
      opened.push(name);
      return hookDependencies({
        answerScript: async (hook_id, _, event, { phase, path }) => {
          events.push(event);
          return { hook_id, phase, path, status: 'ok', decision: 'allow' };
        },
      });
    },
  );
  return { answers, ids: answers.map(({ hook_id }) => hook_id), events, opened };
}

describe('the guards of a call that an agent wants to make itself', () => {
  test('that block are consulted as before a call of an agent', async () => {
    const { ids, events } = await ask();
    expect(ids).toEqual(['no_rm', 'script', 'agents', 'too_many', 'agents_too_many']);
    expect(events).toEqual([
      expect.objectContaining({
        event_type: 'PreAbilityCall',
        ability_id: 'ops.run',
        session_id: null,
        module_id: null,
      }),
    ]);
  });

  test('see its input and the scope', async () => {
    const { events } = await ask({ input: { command: 'ls' }, scope: 'integration' });
    expect(events[0]).toMatchObject({ payload: { command: 'ls', times: 1 }, module_id: 'integration' });
  });

  test('may deny it', async () => {
    const { answers } = await ask({ input: { command: 'rm x' } });
    expect(answers).toMatchObject([{ hook_id: 'no_rm', decision: 'deny', reason: 'No removing.' }]);
  });

  test('are none if the ability has none', async () => {
    expect((await ask({ ability: 'ops.look' })).ids).toEqual([]);
  });
});

describe('in a session', () => {
  test('the guards are consulted as before a call of its tasks; those that count its calls refuse', async () => {
    const { answers, ids, events } = await ask({ session: 's-1' });
    expect(ids).toEqual(['no_rm', 'script', 'sessions', 'too_many']);
    expect(events[0]).toMatchObject({ session_id: 's-1' });
    expect(answers.at(-1)).toMatchObject({
      status: 'error',
      decision: 'deny',
      suggestion: expect.stringContaining('ability run ops.run --session s-1'),
    });
  });
});

describe('a call that cannot be planned', () => {
  test.each<[string, Partial<Question>]>([
    ['because no ability has its name', { ability: 'ops.rum' }],
    ['because its input has a key that reaches into a prototype', { input: JSON.parse('{"__proto__":{}}') }],
  ])('is refused %s', async (_, question) => {
    const { answers, events } = await ask(question);
    expect(answers).toMatchObject([{ phase: 'PreAbilityCall', status: 'error', decision: 'deny' }]);
    expect(events).toEqual([]);
  });

  test('fails with the error itself if it is an internal one', async () => {
    const question = { root: project.root, ability: 'ops.run', input: {}, session: null, moment: MOMENT } as const;
    const variables = new EnvironmentVariables(project.root, 'dev', {});
    const defect = new TypeError('a defect');
    const result = answerWithHooks({ ...question, user: { name: 'ada', source: 'claimed' } }, variables, () => {
      throw defect;
    });
    await expect(result).rejects.toBe(defect);
  });
});
