import { expect, test } from 'vitest';
import { decide } from '../../../../src/choosing/decide/decide.js';
import type { RoutingDecision } from '../../../../src/contracts/routing.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import { readConversations } from '../../../fixtures/read-conversations.js';

const [template] = readConversations();
if (!template) throw new Error('there are no conversations');
/** The decision about the last of these messages; each is by the user, unless it begins with `assistant: `. */
const decided = (texts: string[], agents = ['writer', 'generic']): Promise<RoutingDecision> => {
  const messages = texts.map((text, index) => {
    const [, reply] = /^assistant: (.*)$/s.exec(text) ?? [];
    const at = `2026-03-10T09:${10 + index}:00Z`;
    return {
      id: `m${index + 1}`,
      role: reply === undefined ? ('user' as const) : ('assistant' as const),
      text: reply ?? text,
      at,
    };
  });
  return decide(inputOf({ ...template, messages, agents, pending: null, now: '2026-03-10T10:00:00Z' }));
};

test('R-003-24: an ambiguous focus leads to one short question with both titles', async () => {
  const { decision, question, options } = await decided([
    'check the weather in Rome',
    'draft an email to the caterer',
    'do that via sub-agent',
  ]);
  expect(decision).toBe('clarify');
  expect(question).toBe('Do you mean check the weather in Rome or draft an email to the caterer?');
  expect(options).toEqual([
    { label: 'check the weather in Rome', means: { message_id: 'm1' } },
    { label: 'draft an email to the caterer', means: { message_id: 'm2' } },
  ]);
});

test.each(['write 10 different versions', 'write 10 email variants', 'Can you write 20 rewordings of this?'])(
  'R-003-27: %j goes to the writer, to the generic agent without one, and is never answered inline',
  async (text) => {
    expect(await decided([text])).toMatchObject({ decision: 'delegate', target: { agentId: 'writer' } });
    expect(await decided([text], ['generic'])).toMatchObject({ decision: 'delegate', target: { agentId: 'generic' } });
    expect((await decided([text], [])).decision).toBe('clarify');
  },
);

test('R-003-28: "do that via sub-agent" hands over the latest relevant task and not an older one', async () => {
  const texts = [
    'draft a press release',
    'assistant: Here it is.',
    'compare three hosting providers',
    'assistant: Which ones?',
  ];
  const messages = [...texts, 'do that via sub-agent'];
  expect(await decided(messages)).toMatchObject({
    decision: 'delegate',
    stage: 'a',
    references: { refersTo: 'focus_anchor' },
  });
});
