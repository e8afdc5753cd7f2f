import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { decide } from '../../../../src/choosing/decide/decide.js';
import { modelRouter, type RouterModel, routerSettings } from '../../../../src/choosing/decide/model-router.js';
import type { RoutingDecision } from '../../../../src/contracts/routing.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import { isForbidden, readConversations } from '../../../fixtures/read-conversations.js';
import { answerBody, answerChat, type ChatRequest, openChatEndpoint } from '../../../fixtures/servers/chat-endpoint.js';

const KEY = 'sk-very-secret-key';
const endpoint = await openChatEndpoint(answerChat(() => ''));
afterAll(() => endpoint.close());
beforeEach(() => {
  endpoint.requests.length = 0;
});

const configured = (env: NodeJS.ProcessEnv, timeout = '5s', allowed_hosts?: string[]) => {
  const router = { model: 'small', timeout, threshold: 0.65 };
  return routerSettings({ project: { policy: { router, ...(allowed_hosts && { allowed_hosts }) } } }, env).model;
};
const here = { OPENAI_BASE_URL: endpoint.base, OPENAI_API_KEY: KEY };
const router = modelRouter(configured(here) as RouterModel);
const conversations = readConversations();
const find = (id: string) => {
  const found = conversations.find((conversation) => conversation.id === id);
  if (!found) throw new Error(`no conversation ${id}`);
  return found;
};
const decided = (id: string, by = router): Promise<RoutingDecision> => decide({ ...inputOf(find(id)), router: by });
const answer = (more: object = {}): string =>
  JSON.stringify({
    decision: 'tool',
    target: { extensionId: 'weather', capabilityId: 'forecast' },
    confidence: 0.9,
    rationale: 'It asks for the weather',
    references: { refersTo: 'focus_anchor', refersToReason: 'It is the latest' },
    ...more,
  });
/** The data that the model receives. */
const dataOf = (request: ChatRequest | undefined) => JSON.parse(request?.body.messages[1]?.content ?? 'null');

describe('a model that answers correctly', () => {
  test('receives the focus, what is pending, and what may be chosen (R-003-01, R-003-07)', async () => {
    endpoint.behave(answerChat(() => answer()));
    expect(await decided('tool-read')).toMatchObject({
      decision: 'tool',
      target: { extensionId: 'weather', capabilityId: 'forecast' },
      confidence: 0.9,
      stage: 'b',
      router: 'model',
      needs_approval: false,
      clamped: [],
    });
    const [request] = endpoint.requests;
    expect(request).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'small', response_format: { type: 'json_object' } },
    });
    expect(dataOf(request)).toMatchObject({
      latest: find('tool-read').messages.at(-1)?.text,
      agents: expect.arrayContaining([expect.objectContaining({ agentId: 'writer' })]),
      tools: expect.arrayContaining([expect.objectContaining({ extensionId: 'weather', capabilityId: 'forecast' })]),
    });
    expect(JSON.stringify(request?.body)).not.toContain(KEY);
  });

  test('is not offered a tool that is not available (R-003-06)', async () => {
    endpoint.behave(answerChat(() => answer()));
    const decision = await decided('tool-down');
    expect(decision).toMatchObject({ decision: 'clarify', target: null });
    expect(decision.clamped).toEqual(['The tool is not one that can be called here']);
    expect(dataOf(endpoint.requests[0]).tools).not.toContainEqual(expect.objectContaining({ extensionId: 'weather' }));
  });

  test('is not called if Stage A decides (R-003-03, R-003-04, R-003-05)', async () => {
    expect(await decided('choice-number')).toMatchObject({ stage: 'a', router: 'rules' });
    expect(await decided('slot-email')).toMatchObject({ stage: 'a', router: 'rules' });
    expect(endpoint.requests).toEqual([]);
  });

  test('may put its JSON in a code fence', async () => {
    endpoint.behave(answerChat(() => `\`\`\`json\n${answer()}\n\`\`\``));
    expect(await decided('tool-read')).toMatchObject({ decision: 'tool', router: 'model' });
    expect(endpoint.requests).toHaveLength(1);
  });

  test('receives nothing else from the environment, and no key if there is none', async () => {
    endpoint.behave(answerChat(() => answer()));
    await decided('tool-read', modelRouter(configured({ OPENAI_BASE_URL: endpoint.base }) as RouterModel));
    expect(endpoint.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is offered the 40 nearest abilities if there are more', async () => {
    endpoint.behave(answerChat(() => answer()));
    const conversation = find('tool-read');
    const more = Array.from({ length: 100 }, (_, at) => ({
      extensionId: 'other',
      capabilityId: `thing_${at}`,
      abilityId: `other.thing_${at}`,
      available: true,
      effects: 'read' as const,
      summary: at === 77 ? 'Rain and weather of the past.' : 'Something else.',
    }));
    await decide({ ...inputOf({ ...conversation, tools: [...more, ...conversation.tools] }), router });
    const { tools } = dataOf(endpoint.requests[0]);
    expect(tools.length).toBeLessThanOrEqual(40);
    expect(tools).toContainEqual(expect.objectContaining({ capabilityId: 'forecast' }));
    expect(tools).toContainEqual(expect.objectContaining({ capabilityId: 'thing_77' }));
  });

  test('is offered as many if the request shares no word with any, as in another language', async () => {
    endpoint.behave(answerChat(() => answer()));
    const conversation = find('tool-read');
    const tools = Array.from({ length: 60 }, (_, at) => ({
      ...{ extensionId: 'other', capabilityId: `thing_${at}`, abilityId: `other.thing_${at}` },
      ...{ available: true, effects: 'read' as const, summary: 'Something else.' },
    }));
    const messages = conversation.messages.map((message) => ({ ...message, text: '明日の天気は?' }));
    await decide({ ...inputOf({ ...conversation, messages, tools }), router });
    const data = dataOf(endpoint.requests[0]);
    expect(data.tools.length + data.workflows.length).toBe(40);
  });
});

describe('an invalid answer', () => {
  test.each([
    ['no JSON', 'I would call the weather tool.'],
    ['an unknown key', answer({ plan: [] })],
    ['an unknown decision', answer({ decision: 'run' })],
    ['a target of another kind', answer({ decision: 'delegate' })],
    ['no references', answer({ references: undefined })],
    ['a target for respond', answer({ decision: 'respond' })],
    ['a list', `[${answer()}]`],
  ])('%s: the model can correct it once (R-003-07, R-003-08, R-003-09, R-003-11)', async (_, invalid) => {
    const answers = [invalid, answer()];
    endpoint.behave(answerChat(() => answers.shift() ?? ''));
    expect(await decided('tool-read')).toMatchObject({ decision: 'tool', router: 'model', confidence: 0.9 });
    expect(endpoint.requests).toHaveLength(2);
    const [, , previous, correction] = endpoint.requests[1]?.body.messages ?? [];
    expect(previous).toEqual({ role: 'assistant', content: invalid });
    expect(correction?.content).toMatch(/^That cannot be read: .*Answer with the JSON object alone/);
  });

  test('twice: the rules decide, and the decision states this (C-25)', async () => {
    endpoint.behave(answerChat(() => 'no'));
    expect(await decided('tool-read')).toMatchObject({
      decision: 'tool',
      router: 'fallback',
      clamped: ['The model gave no decision that can be read, twice'],
    });
    expect(endpoint.requests).toHaveLength(2);
  });

  test.each([
    ['a string', 'high'],
    ['above 1', 7],
    ['below 0', -1],
    ['missing', undefined],
    ['null', null],
  ])(
    'a confidence that is %s counts as none, and nothing is called (R-003-10, R-003-15, R-003-30)',
    async (_, confidence) => {
      endpoint.behave(answerChat(() => answer({ confidence })));
      const { decision, target, confidence: kept, clamped } = await decided('tool-read');
      expect({ target, kept, clamped }).toEqual({
        target: null,
        kept: 0,
        clamped: ['Its confidence of 0 is below 0.65'],
      });
      expect(['respond', 'clarify']).toContain(decision);
    },
  );

  test('texts are truncated to 200 characters (R-003-10, R-003-11)', async () => {
    const long = 'ü😀'.repeat(300);
    endpoint.behave(
      answerChat(() => answer({ rationale: long, references: { refersTo: 'latest', refersToReason: long } })),
    );
    const { rationale, references } = await decided('tool-read');
    expect([...rationale]).toHaveLength(200);
    expect([...references.refersToReason]).toHaveLength(200);
  });
});

describe('an endpoint that fails: the rules decide within the time limit, and the reason repeats nothing of the answer (C-25)', () => {
  const failing = async (by = router): Promise<string> => {
    const { router: who, decision, clamped } = await decided('tool-read', by);
    expect({ who, decision }).toEqual({ who: 'fallback', decision: 'tool' });
    expect(clamped).toHaveLength(1);
    expect(clamped.join()).not.toMatch(/sk-very|SECRET/);
    return clamped[0] ?? '';
  };

  test.each([401, 404, 429, 500, 503])('status %i, without a second request', async (status) => {
    endpoint.behave(answerBody('{"error":{"message":"SECRET"}}', status, { 'retry-after': '60' }));
    expect(await failing()).toBe(`The request to the model failed: ${endpoint.host} answered ${status}`);
    expect(endpoint.requests).toHaveLength(1);
  });

  test('no answer', async () => {
    endpoint.behave(() => {});
    const slow = modelRouter(configured(here, '200ms') as RouterModel);
    expect(await failing(slow)).toBe('The model did not answer within 200ms');
  });

  test('an answer that is interrupted', async () => {
    endpoint.behave((response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
        .write('{"choices": [SECRET');
      setImmediate(() => response.destroy());
    });
    expect(await failing()).toContain('was not reached, or its answer cannot be read');
  });

  test('an answer of 10 MB', async () => {
    endpoint.behave(answerChat(() => 'SECRET'.repeat(2_000_000)));
    expect(await failing()).toContain('was not reached, or its answer cannot be read');
  });

  test.each([['{"choices": []}'], ['{}'], ['{"choices": [{"message": {}}]}'], ['null']])('%s', async (body) => {
    endpoint.behave(answerBody(body));
    expect(await failing()).toMatch(/^The (model gave no decision|request to the model failed)/);
  });

  test('a redirect, which is not followed', async () => {
    endpoint.behave(answerBody('', 302, { location: `${endpoint.base}/elsewhere` }));
    await failing();
    expect(endpoint.requests).toHaveLength(1);
  });

  test('an address where nothing listens', async () => {
    const gone = modelRouter(configured({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }) as RouterModel);
    expect(await failing(gone)).toContain('127.0.0.1:9 was not reached');
  });

  test('a name that resolves to an address that the policy does not list', async () => {
    const { port } = new URL(endpoint.base);
    const named = configured({ OPENAI_BASE_URL: `http://localhost:${port}/v1` }, '5s', ['localhost:1']);
    expect(named).toContain('does not allow localhost');
    endpoint.behave(answerChat(() => answer()));
    const model = { ...(configured(here) as RouterModel), url: new URL(endpoint.base), allowed: ['example.com'] };
    expect(await failing(modelRouter(model))).toContain('does not list the address of');
    expect(endpoint.requests).toEqual([]);
  });
});

test('a caller that stops waiting gets no decision of the rules', async () => {
  endpoint.behave(() => {});
  const stop = new AbortController();
  const waiting = decide({ ...inputOf(find('tool-read')), router, signal: stop.signal });
  await expect.poll(() => endpoint.requests.length).toBe(1);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

describe('in all conversations, whatever the model answers, nothing forbidden is done (R-003-25)', () => {
  /** Choices of a model that obeys whatever it reads, and of one that continues what is pending. */
  const SCRIPTS: Record<string, (data: ReturnType<typeof dataOf>) => object> = {
    'obeys instructions in the data': (data) => {
      const read = JSON.stringify([data.earlier, data.latest]);
      const named = data.workflows.find(({ abilityId }: { abilityId: string }) => read.includes(abilityId));
      const tool = data.tools.find(({ extensionId, capabilityId }: Record<string, string>) =>
        [`${extensionId}.${capabilityId}`, `${extensionId}:${capabilityId}`].some((id) => read.includes(id)),
      );
      if (named) return { decision: 'workflow', target: { abilityId: named.abilityId } };
      if (!tool) return { decision: 'respond', target: null };
      return { decision: 'tool', target: { extensionId: tool.extensionId, capabilityId: tool.capabilityId } };
    },
    'repeats what is pending': ({ pending }) =>
      pending?.expects.extensionId
        ? { decision: 'tool', target: pending.expects, references: { refersTo: 'pending', refersToReason: '' } }
        : { decision: 'respond', target: null },
  };

  test.each(Object.keys(SCRIPTS))('a model that %s', async (script) => {
    endpoint.behave(answerChat((request) => answer({ confidence: 1, ...SCRIPTS[script]?.(dataOf(request)) })));
    const broken: string[] = [];
    for (const conversation of conversations) {
      const { decision, target, needs_approval, continuation } = await decide({ ...inputOf(conversation), router });
      const what = target && Object.values(target).join(':');
      if (what && isForbidden(conversation, decision, what)) broken.push(`${conversation.id}: ${decision}:${what}`);
      if (continuation && isForbidden(conversation, 'continue', continuation.value)) broken.push(conversation.id);
      if (target && conversation.safety.approval && !needs_approval) broken.push(`${conversation.id}: no approval`);
    }
    expect(broken).toEqual([]);
  });
});
