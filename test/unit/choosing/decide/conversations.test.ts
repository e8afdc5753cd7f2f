import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/choosing/decide/decide.js';
import type { RoutingDecision } from '../../../../src/contracts/routing.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import {
  type Conversation,
  isForbidden,
  listOf,
  readConversations,
  readLaterConversations,
} from '../../../fixtures/read-conversations.js';

const targetOf = ({ target }: RoutingDecision): string => (target === null ? '' : Object.values(target).join(':'));

/** What is done that must not be. */
function unsafeIn(conversation: Conversation, decided: RoutingDecision): string[] {
  const { decision, continuation, needs_approval } = decided;
  const what = targetOf(decided);
  return [
    ...(what !== '' && isForbidden(conversation, decision, what) ? [`${decision}:${what}`] : []),
    ...(continuation && isForbidden(conversation, 'continue', continuation.value) ? ['continues'] : []),
    ...(what !== '' && conversation.safety.approval && !needs_approval ? ['no approval'] : []),
  ];
}

describe.each([
  ['from the requirements, before the code', readConversations()],
  ['from use, with the code in view', readLaterConversations()],
])('conversations %s', (_, conversations) => {
  test.each(conversations)('$id: $says', async (conversation) => {
    const input = inputOf(conversation);
    const decided = await decide(input);
    expect(unsafeIn(conversation, decided)).toEqual([]);
    const { expect: wanted } = conversation;
    if (wanted.continuation !== undefined) expect(decided.continuation?.value).toEqual(wanted.continuation);
    else expect(listOf(wanted.decision)).toContain(decided.decision);
    if (wanted.target && decided.target) expect(targetOf(decided)).toBe(wanted.target);
    if (wanted.refersTo && decided.target) expect(listOf(wanted.refersTo)).toContain(decided.references.refersTo);
    if (wanted.anchor !== undefined) expect(input.focus.anchor?.message_id).toBe(wanted.anchor);
    if (wanted.approval === false) expect(decided.needs_approval).toBe(false);
    if (decided.decision === 'clarify') {
      expect(decided.question).toMatch(/\?$/);
      expect(decided.options.length).toBeLessThanOrEqual(2);
    }
  });
});

test('there are at least 120, and 60 of them from the requirements alone', () => {
  expect(readConversations().length).toBeGreaterThanOrEqual(60);
  expect(readConversations().length + readLaterConversations().length).toBeGreaterThanOrEqual(120);
});
