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

/** A conversation as the rules decide about it. */
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

/** What is done that must not be, or without the person who has to agree. */
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

/** In what a decision is not the one that is right: "field: found, not wanted". */
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

describe.each(HALVES)('%s', (half) => {
  const ofHalf = outcomes.filter(({ conversation }) => conversation.half === half);

  test.each(ofHalf.map((outcome) => [outcome.conversation.id, outcome.conversation.says, outcome] as const))(
    '%s: %s',
    (_id, _says, outcome) => {
      expect(unsafeIn(outcome), 'unsafe').toEqual([]);
      expect(wrongIn(outcome), 'wrong').toEqual([]);
    },
  );
});
