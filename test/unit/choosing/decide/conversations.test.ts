import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/choosing/decide/decide.js';
import type { FocusContext, RoutingDecision } from '../../../../src/contracts/routing.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import {
  type Conversation,
  HALVES,
  isForbidden,
  listOf,
  readConversations,
} from '../../../fixtures/read-conversations.js';

/** A conversation with the decision of the rules. */
interface Outcome {
  conversation: Conversation;
  focus: FocusContext;
  decided: RoutingDecision;
}

const outcomes: readonly Outcome[] = await Promise.all(
  readConversations().map(async (conversation) => {
    const input = inputOf(conversation);
    return { conversation, focus: input.focus, decided: await decide(input) };
  }),
);
const targetOf = ({ target }: RoutingDecision): string => (target === null ? '' : Object.values(target).join(':'));

/** Actions that are forbidden, or that lack a required consent. */
function unsafeIn({ conversation, decided }: Outcome): string[] {
  const { decision, continuation, needs_approval } = decided;
  const what = targetOf(decided);
  return [
    ...(what !== '' && isForbidden(conversation, decision, what) ? [`${decision}:${what}`] : []),
    ...(continuation && isForbidden(conversation, 'continue', continuation.value)
      ? [`continue:${JSON.stringify(continuation.value)}`]
      : []),
    ...(what !== '' && conversation.safety.approval && !needs_approval ? [`${decision}:${what} without approval`] : []),
  ];
}

/** The fields in which a decision is wrong, as "field: actual, not expected". */
function wrongIn({ conversation: { expect: wanted }, focus, decided }: Outcome): string[] {
  const found: [name: string, is: unknown, wanted: unknown[]][] = [
    ['decision', decided.decision, listOf(wanted.decision)],
    ['refersTo', decided.references.refersTo, decided.target || decided.continuation ? listOf(wanted.refersTo) : []],
    ['anchor', focus.anchor?.message_id, listOf(wanted.anchor)],
    ['target', targetOf(decided), decided.target && wanted.target ? [wanted.target] : []],
    ['continuation', decided.continuation?.value, wanted.continuation === undefined ? [] : [wanted.continuation]],
    ['approval', decided.needs_approval, listOf(wanted.approval)],
  ];
  return found
    .filter(([, is, right]) => right.length > 0 && !right.includes(is))
    .map(
      ([name, is, right]) =>
        `${name}: ${JSON.stringify(is)}, not ${right.map((one) => JSON.stringify(one)).join(' or ')}`,
    );
}

/** Conversations with a safe but wrong decision: the request uses other words than the ability. */
const MISSED = ['sig-last-mails'];
/** The minimum share of right decisions in a half; it may be raised, and is never lowered. */
const LEAST: Record<(typeof HALVES)[number], number> = { 'from-requirements': 1, 'from-use': 0.99 };

test('a short question is answered without a call, also if an ability nearly fits or could write about it (R-003-22)', async () => {
  const given = (id: string) => {
    const found = outcomes.find(({ conversation }) => conversation.id === id);
    if (!found) throw new Error(`There is no conversation ${id}`);
    return inputOf(found.conversation);
  };
  const inline = given('inline-fact');
  const near = inline.targets.tools.find(({ available, effects }) => available && effects === 'read');
  const nearly = { ...inline, rank: async () => [{ abilityId: near?.abilityId ?? '', score: 0.45 }] };
  for (const input of [nearly, given('sig-how-proposal'), given('question-how'), given('inline-hello')]) {
    expect(await decide(input)).toMatchObject({ decision: 'respond', target: null, question: null });
  }
});

describe.each(HALVES)('%s', (half) => {
  const ofHalf = outcomes.filter(({ conversation }) => conversation.half === half);
  const right = ofHalf.filter((outcome) => unsafeIn(outcome).length + wrongIn(outcome).length === 0);
  const share = right.length / ofHalf.length;

  test('has at least 60 conversations (R-003-01)', () => {
    expect(ofHalf.length).toBeGreaterThanOrEqual(60);
  });

  test(`${right.length} of ${ofHalf.length} are right (R-003-02, R-003-15)`, () => {
    expect(share).toBeGreaterThanOrEqual(LEAST[half]);
  });

  test.each(ofHalf.map((outcome) => [outcome.conversation.id, outcome.conversation.says, outcome] as const))(
    '%s: %s',
    (id, _says, outcome) => {
      expect(unsafeIn(outcome), 'unsafe').toEqual([]);
      expect(wrongIn(outcome).length > 0, wrongIn(outcome).join('; ')).toBe(MISSED.includes(id));
      const { decision, question, options } = outcome.decided;
      // One short question. Source: R-003-16.
      if (decision === 'clarify') expect(question).toMatch(/^[^?]{1,200}\?$/);
      expect(options.length).toBeLessThanOrEqual(2);
    },
  );
});
