import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import type { PlanScript } from '../../../../../src/contracts/plan.js';
import { readSaid } from '../../../../../src/kinds/model/call/ask-endpoint.js';
import { hookDependenciesOf } from '../../../../../src/worker/prove-guards.js';
import { makeProject, type ProjectFolder } from '../../../../fixtures/project-folder.js';
import { traced } from '../../../activities/traced.js';
import { agentPlan, askTurn, LEFT } from './asked-model.js';

const read = (output: Json) => readSaid(output, 'models/mine.mjs');

test('a program that returns nothing has answered with an empty text', () => {
  expect(read({})).toEqual({ text: '', calls: [], usage: undefined, isCut: false });
});

test('its answer has its text, its calls and its usage', () => {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const calls: JsonObject[] = [
    { id: 'mine', name: 'a', arguments: { n: 1 } },
    { name: 'b', arguments: '{"n":2}' },
    { name: 'c' },
  ];
  expect(read({ text: 't', calls, usage })).toEqual({
    text: 't',
    calls: [
      { id: 'mine', name: 'a', arguments: '{"n":1}' },
      { id: 'call_1', name: 'b', arguments: '{"n":2}' },
      { id: 'call_2', name: 'c', arguments: '{}' },
    ],
    usage: { input: 5, output: 2 },
    isCut: false,
  });
});

test.each<[string, Json, string]>([
  ['no object', 'hello', 'required of a model: '],
  ['an unknown key', { texts: 'a' }, 'texts'],
  ['a call without a name', { calls: [{ id: 'a' }] }, ' at calls.0.name: '],
  ['a negative usage', { usage: { input_tokens: -1, output_tokens: 0 } }, ' at usage.input_tokens: '],
])('an answer with %s is broken, and the place is named', (_, output, words) => {
  expect(() => read(output)).toThrow(
    expect.objectContaining({
      code: 'model.answer_broken',
      message: expect.stringMatching(/^models\/mine\.mjs did not answer/),
    }),
  );
  expect(() => read(output)).toThrow(words);
});

test('a trace has the usage', async () => {
  const { attributes } = await traced(async () => read({ usage: { input_tokens: 5, output_tokens: 2 } }));
  expect(attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 2 });
});

describe('a program of the project in place of an endpoint', () => {
  const CODE = `
import { appendFileSync, readFileSync } from 'node:fs';
const request = readFileSync(0, 'utf8');
appendFileSync(process.env.ABILITY_ROOT + '/requests.jsonl', JSON.stringify(JSON.parse(request)) + '\\n');
console.log(JSON.stringify({ text: 'done' }));`;
  let project: ProjectFolder;
  let dependencies: ReturnType<typeof hookDependenciesOf>;
  beforeAll(() => {
    project = makeProject({ 'models/mine.mjs': CODE });
    dependencies = hookDependenciesOf(project.root, process.env);
  });
  afterAll(() => {
    dependencies.groups.close();
    project.remove();
  });

  const script = (): PlanScript =>
    ({
      path: 'models/mine.mjs',
      digest: createHash('sha256').update(CODE).digest('hex'),
      files: [],
      interpreter: ['node'],
      args: [],
      stdin: '{payload}',
      env: { pass: [], set: {}, secrets: {} },
    }) as never;

  test('reads the request as JSON on stdin, with the length of its answer if that is limited', async () => {
    const plan = agentPlan();
    for (const tokens of [undefined, 100_000]) {
      const left = { ...LEFT, ...(tokens !== undefined && { tokens }) };
      const request = { input: { request: 'Count.' }, left };
      const { answer } = await askTurn({ request, plan, model: { script: script() }, dependencies });
      expect(answer.answer).toBe('done');
    }
    const lines = readFileSync(join(project.root, 'requests.jsonl'), 'utf8').trim().split('\n');
    const [free, limited] = lines.map((line) => JSON.parse(line));
    expect(Object.keys(free)).toEqual(['instructions', 'messages', 'note', 'tools']);
    expect(free.messages).toEqual([{ role: 'user', content: 'Count.' }]);
    expect(limited.max_tokens).toBeGreaterThan(90_000);
  });
});
