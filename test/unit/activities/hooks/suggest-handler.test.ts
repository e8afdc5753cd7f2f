import { afterAll, describe, expect, test } from 'vitest';
import type { SessionContext } from '../../../../src/activities/hooks/hook-context.js';
import type { HookDependencies } from '../../../../src/activities/hooks/hook-dependencies.js';
import { runHooks } from '../../../../src/activities/hooks/run-hooks.js';
import { projectDefinitions } from '../../../../src/activities/project-definitions.js';
import type { NewGap } from '../../../../src/contracts/gaps.js';
import { mergeSignals } from '../../../../src/rules/sessions/merge-signals.js';
import { makeProject } from '../../../fixtures/project-folder.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';

const input = 'input_schema: { type: object, required: [service], properties: { service: { type: string } } }';
const project = makeProject({
  'ability.yaml': 'format: 1\nproject: suggesting\nenvironments: { dev: {} }\n',
  'registry/low-level/restart.yaml': `operation_key: ops.restart\nversion: 1\nsummary: Restart a service.\n${input}\n`,
  'registry/hooks/PromptSubmit.yaml': 'hooks: [{ id: routing, blocking: true, handler: { builtin: suggest } }]\n',
});
afterAll(() => project.remove());
const dependencies: HookDependencies = {
  answerScript: () => Promise.reject(new Error('no script is expected to answer here')),
  answerAbility: () => Promise.reject(new Error('no ability is expected to answer here')),
  secrets: (environment) => secretsHere('/nowhere', environment, {}),
  definitions: projectDefinitions(project.root),
  recordUsage: () => {},
};

function promptOf(prompt: string, options: Record<string, boolean> = {}): SessionContext {
  return {
    user: { name: 'ada', source: 'claimed' },
    path: '',
    caller: undefined,
    moment: 0,
    signal: new AbortController().signal,
    logs: undefined,
    session: 's-1',
    payload: { prompt, turn_index: 1, scope: 'integration' },
    environment: { name: 'dev', protected: false, vars: {} },
    module: 'integration',
    hooks: [{ id: 'routing', handler: { kind: 'builtin', name: 'suggest', options } }],
  };
}
const ask = (context: SessionContext, given = dependencies) =>
  runHooks('PromptSubmit', context, { blockingOnly: true }, given);

test('R-000-57, R-000-65: a prompt receives the abilities that fit, and what the first of them still needs', async () => {
  expect(projectDefinitions(project.root)().problems).toEqual([]);
  const answers = await ask(promptOf('restart it please'));
  const { hook_signals } = mergeSignals(answers, [], '');
  expect(hook_signals).toMatchObject({
    routing_hints: [{ source: 'PromptSubmit.routing', hint: 'ops.restart' }],
    normalized_intent: {
      ability_id: 'ops.restart',
      score: expect.any(Number),
      reason: 'it has restart of the request',
      missing: ['service'],
      ask: 'ops.restart needs service. What should it be?',
    },
  });
});

test('if nothing fits, it suggests nothing and stops nothing', async () => {
  const [answer] = await ask(promptOf('a poem about spring'));
  expect(answer).toMatchObject({ status: 'ok', decision: 'allow' });
  expect(answer?.hook_signals).toBeUndefined();
});

test('a missing definition or an unknown option is a failed hook, which stops no prompt', async () => {
  const { definitions: _, ...without } = dependencies;
  expect(await ask(promptOf('restart'), without)).toMatchObject([{ status: 'error' }]);
  expect(await ask(promptOf('restart', { most: true }))).toMatchObject([
    { status: 'error', reason: expect.stringMatching(/no option `most`/) },
  ]);
});

test('a ranking that could not go by meaning is a warning of the hook, and hints are given all the same', async () => {
  const withEmbeddings = makeProject({
    'ability.yaml':
      'format: 1\nproject: p\nenvironments: { dev: {} }\npolicy: { embeddings: { model: small }, allowed_hosts: [] }\n',
    'registry/low-level/restart.yaml': `operation_key: ops.restart\nversion: 1\nsummary: Restart a service.\n${input}\n`,
  });
  try {
    const [answer] = await ask(promptOf('restart it please'), {
      ...dependencies,
      definitions: projectDefinitions(withEmbeddings.root),
    });
    expect(answer).toMatchObject({ status: 'ok', hook_signals: { routing_hints: ['ops.restart'] } });
    expect(answer?.warnings).toEqual([expect.stringMatching(/^ranked by words alone: /)]);
  } finally {
    withEmbeddings.remove();
  }
});

describe('a request that no ability serves', () => {
  const gapsOf = async (prompt: string, more: Partial<SessionContext> = {}, variables: Record<string, string> = {}) => {
    const gaps: NewGap[] = [];
    const secrets = (environment: string) => secretsHere('/nowhere', environment, variables);
    const context = { ...promptOf(prompt), ...more };
    await ask(context, { ...dependencies, secrets, recordGap: (gap) => void gaps.push(gap) });
    return gaps;
  };

  test('is recorded, with the scope of the prompt or else that of the session', async () => {
    const gap = { request: 'write a poem about spring', kind: 'nothing_fits', door: 'suggest', environment: 'dev' };
    expect(await gapsOf('write a poem about spring')).toEqual([
      expect.objectContaining({ ...gap, scope: 'integration' }),
    ]);
    const payload = { prompt: 'write a poem about spring' };
    expect(await gapsOf('', { payload, module: 'ops' })).toMatchObject([{ scope: 'ops' }]);
    expect(await gapsOf('', { payload, module: null })).toMatchObject([{ scope: null }]);
  });

  test.each([
    ['if an ability fits', 'restart it please'],
    ['if it requests nothing', 'thank you'],
  ])('is not recorded %s', async (_, prompt) => {
    expect(await gapsOf(prompt)).toEqual([]);
  });

  test('is not recorded for a prompt without a text', async () => {
    expect(await gapsOf('', { payload: { prompt: 7 } })).toEqual([]);
  });
});
