import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { showSession } from '../../src/client/index.js';
import { abilityJson } from '../fixtures/called-command.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import {
  answerBody,
  answerChat,
  answerNever,
  type ChatBehaviour,
  type ChatEndpoint,
  cutAnswer,
  dripAnswer,
  openChatEndpoint,
} from '../fixtures/servers/chat-endpoint.js';

let project: RunningProject;
let model: ChatEndpoint;

beforeAll(async () => {
  model = await openChatEndpoint(answerNever());
  project = await runProject({
    'ability.yaml': projectFile(),
    ...operation('notes.search', 'return { found: input.query };', {
      yaml: 'input_schema: { type: object, required: [query], properties: { query: { type: string } } }',
    }),
    'scripts/silent.mjs': 'setTimeout(() => {}, 600_000);',
    'scripts/loud.mjs': "process.stdout.write('x'.repeat(10 * 1024 * 1024));",
    'scripts/failing.mjs': "console.error('no key');\nprocess.exit(3);",
    'scripts/words.mjs': "console.log('Gladly! First I would look at the notes.');",
    'scripts/env.mjs': "console.log(JSON.stringify({ plan: [], answer: Object.keys(process.env).sort().join(' ') }));",
  });
});
afterAll(async () => {
  await project.stop();
  await model.close();
});
beforeEach(() => {
  model.requests.length = 0;
});

let files = 0;
async function agent(provider: object, env: Record<string, string> = {}) {
  files += 1;
  const file = `request-${files}.json`;
  project.write({ [file]: JSON.stringify({ prompt: 'look for invoices', provider }) });
  const args = ['agent', '--request', file, '--address', project.connection.address];
  return abilityJson(args, { cwd: project.root, env });
}
const ask = (behaviour: ChatBehaviour, timeout = '60s') => {
  model.behave(behaviour);
  return agent({ openai: { model: 'm-1', timeout } }, { OPENAI_BASE_URL: model.base, OPENAI_API_KEY: 'sk-test' });
};
const call = (id: string, ability_id: string, input: object) => ({ plan: [{ id, ability_id, input }] });

/** A model that gives these answers in order. */
function answersOf(...answers: unknown[]): ChatBehaviour {
  let at = 0;
  return answerChat(() => {
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  });
}

describe('a model behind an OpenAI-compatible endpoint', () => {
  test('plans, reads results, and ends; it receives the turn and nothing else (R-002-52, R-002-55)', async () => {
    const planned = answersOf(call('a', 'notes.search', { query: 'i' }), { plan: [], answer: 'one found' });
    const { json, exitCode } = await ask(planned);
    expect({ exitCode, json }).toMatchObject({ exitCode: 0, json: { status: 'answered', answer: 'one found' } });
    const [first, second] = model.requests;
    expect(first?.headers.authorization).toBe('Bearer sk-test');
    expect(first?.body).toMatchObject({ model: 'm-1', messages: [{ role: 'system' }, { role: 'user' }] });
    const turn = JSON.parse(second?.body.messages[1]?.content ?? '') as object;
    expect(Object.keys(turn)).toEqual(['turn_context', 'prompt', 'abilities', 'results']);
    expect(turn).toMatchObject({ results: [{ id: 'a', status: 'succeeded', output: { found: 'i' } }] });
  });

  test('a broken answer is repaired once, by the model itself', async () => {
    const { json } = await ask(answersOf('{"plan": [', { plan: [], answer: 'mended' }));
    expect(json).toMatchObject({ status: 'answered', answer: 'mended', turns: 1, tasks: [] });
    expect(model.requests[1]?.body.messages[1]?.content).toContain('planner.answer_invalid');
  });

  test.each([
    ['never answers', answerNever(), 'planner.timeout', 6],
    ['never comes to an end', dripAnswer(100), 'planner.timeout', 6],
    ['cuts its answer', cutAnswer('{"plan": ['), 'planner.failed', 3],
    [
      'answers 429',
      answerBody('{"error": {"message": "slow down"}}', 429, { 'retry-after': '3600' }),
      'planner.failed',
      3,
    ],
    ['answers 500', answerBody('oh no', 500), 'planner.failed', 3],
    ['redirects', answerBody('', 302, { location: 'http://127.0.0.1:1/' }), 'planner.failed', 3],
    ['answers without JSON', answerBody('<html>'), 'planner.failed', 3],
    ['answers with 10 MB', answersOf('x'.repeat(10 * 1024 * 1024)), 'planner.failed', 3],
    ['answers with prose', answersOf('Gladly!'), 'planner.answer_invalid', 1],
    ['answers with no choice', answerBody('{"choices": []}'), 'planner.answer_invalid', 1],
    ['adds unknown keys', answersOf({ plan: [], done: true }), 'planner.answer_invalid', 1],
    [
      'sends a prototype key',
      answersOf('{"plan": [{"id": "a", "ability_id": "notes.search", "input": {"__proto__": {}}}]}'),
      'planner.answer_invalid',
      1,
    ],
  ])('that %s ends the run in a named state', async (_, behaviour, code, exit) => {
    const { json, exitCode, stdout } = await ask(behaviour, code === 'planner.timeout' ? '1s' : '60s');
    expect({ exitCode, json }).toMatchObject({
      exitCode: exit,
      json: { status: 'model_failed', tasks: [], answer: null, problem: { code } },
    });
    expect(stdout).not.toContain('sk-test');
    expect(await showSession(project.connection, json.session_id)).toMatchObject({ status: 'stopped' });
  });

  test('an unknown ability and arguments of the wrong type are reported back, and the run continues (R-000-80)', async () => {
    const { json, exitCode } = await ask(
      answersOf(
        call('a', 'notes.serch', { query: 'x' }),
        call('b', 'notes.search', { query: 7 }),
        call('c', 'notes.search', { query: 'right' }),
        { plan: [], answer: 'found' },
      ),
    );
    expect({ exitCode, json }).toMatchObject({
      exitCode: 0,
      json: {
        status: 'answered',
        tasks: [
          {
            id: 'a',
            status: 'refused',
            error: { code: 'ability.not_found', suggestion: expect.stringContaining('notes.search') },
          },
          { id: 'b', status: 'unavailable', error: { code: 'input.invalid' } },
          { id: 'c', status: 'succeeded', output: { found: 'right' } },
        ],
      },
    });
  });

  test('without an address there is no model, and nothing starts', async () => {
    expect(await agent({ openai: { model: 'm' } }, { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' })).toMatchObject({
      exitCode: 3,
      json: { error: { code: 'planner.failed' } },
    });
  });
});

describe('a program that plans', () => {
  const run = (program: string, more: object = {}) => agent({ command: { argv: ['node', program], ...more } });

  test('gets few environment variables, counts as an agent, and knows its session', async () => {
    const { json } = await agent(
      { command: { argv: ['node', 'scripts/env.mjs'], pass: ['MODEL_KEY'] } },
      { MODEL_KEY: 'k', OTHER_KEY: 'secret' },
    );
    const names = json.answer.split(' ');
    expect(names).toEqual(expect.arrayContaining(['ABILITY_CALLER', 'ABILITY_SESSION', 'MODEL_KEY', 'PATH']));
    expect(names).not.toContain('OTHER_KEY');
    expect(names).not.toContain('ABILITY_USER');
  });

  test.each([
    ['never answers', 'scripts/silent.mjs', 'planner.timeout', 'did not answer within 1s'],
    ['writes 10 MB', 'scripts/loud.mjs', 'planner.failed', 'wrote more than'],
    ['fails', 'scripts/failing.mjs', 'planner.failed', 'ended with 3: no key'],
    ['does not exist', 'scripts/none.mjs', 'planner.failed', 'ended with 1'],
    ['answers with prose', 'scripts/words.mjs', 'planner.answer_invalid', 'no JSON'],
  ])('that %s ends the run in a named state', async (_, program, code, message) => {
    const timeout = code === 'planner.timeout' ? '1s' : '60s';
    expect(await run(program, { timeout })).toMatchObject({
      json: { status: 'model_failed', problem: { code, message: expect.stringContaining(message) } },
    });
  });

  test('that cannot be started ends the run too', async () => {
    expect(await agent({ command: { argv: ['./no-such-program'] } })).toMatchObject({
      exitCode: 3,
      json: { status: 'model_failed', problem: { code: 'planner.failed' } },
    });
  });

  test('a script of answers that is used up ends the run too', async () => {
    const { json } = await agent({ scripted: [call('a', 'notes.search', { query: 'x' })] });
    expect(json).toMatchObject({
      status: 'model_failed',
      tasks: [{ status: 'succeeded' }],
      problem: { code: 'planner.failed', message: expect.stringContaining('1 answers') },
    });
  });
});
