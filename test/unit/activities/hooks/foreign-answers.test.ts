import { describe, expect, test } from 'vitest';
import { answerOf } from '../../../../src/activities/hooks/claude-code/answer-foreign.js';
import { readOutput, type Verdict, wordsOf } from '../../../../src/activities/hooks/claude-code/read-verdict.js';
import type { HookAnswer, Phase } from '../../../../src/contracts/hooks.js';

/** What a hook answers in a phase, given the verdict of the hook of another tool. */
function answer(verdict: Verdict, phase: Phase = 'PreAbilityCall', silence: 'allow' | 'deny' = 'deny'): HookAnswer {
  const allow = { hook_id: 'h', phase, path: 'a', status: 'ok', decision: 'allow' } as const;
  return answerOf(verdict, allow, { foreign: { silence } } as never);
}
const decided = (decision: 'allow' | 'deny' | 'need_user_confirm', reason?: string): Verdict => ({
  kind: 'decided',
  decision,
  messages: [],
  ...(reason && { reason }),
});
const silent: Verdict = { kind: 'silent', messages: [] };

describe('before a call', () => {
  test.each(['allow', 'deny', 'need_user_confirm'] as const)('%s is passed on, with its reason', (decision) => {
    expect(answer(decided(decision, 'why'))).toMatchObject({ status: 'ok', decision, reason: 'why' });
    expect(answer(decided(decision))).not.toHaveProperty('reason');
  });

  test('silence denies, unless the binding lets it pass', () => {
    expect(answer(silent)).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('abstain'),
      suggestion: expect.any(String),
    });
    expect(answer(silent, 'PreAbilityCall', 'allow')).toEqual({
      hook_id: 'h',
      phase: 'PreAbilityCall',
      path: 'a',
      status: 'ok',
      decision: 'allow',
    });
  });

  test('an answer that cannot be understood counts as a failed hook', () => {
    expect(answer({ kind: 'fault', fault: 'it mumbles' })).toMatchObject({
      status: 'error',
      decision: 'deny',
      reason: expect.stringContaining('it mumbles'),
    });
  });
});

describe('after a call', () => {
  test('silence passes, whatever the binding states', () => {
    expect(answer(silent, 'PostAbilityCall')).toMatchObject({ decision: 'allow' });
  });

  test('an objection is a warning and stops nothing', () => {
    expect(answer(decided('deny', 'too late'), 'PostAbilityCall')).toMatchObject({
      decision: 'allow',
      warnings: ['The hook h objects: too late'],
    });
    expect(answer(decided('deny'), 'PostAbilityCall')).toMatchObject({
      decision: 'allow',
      warnings: ['The hook h objects'],
    });
    expect(answer(decided('allow'), 'PostAbilityCall')).not.toHaveProperty('warnings');
  });
});

describe('at a prompt', () => {
  test('context for the AI is passed on to it, and an objection remains one', () => {
    const verdict: Verdict = { kind: 'silent', messages: [], context: 'use tabs' };
    expect(answer(verdict, 'PromptSubmit')).toMatchObject({ decision: 'allow', hook_signals: { context: 'use tabs' } });
    expect(answer(decided('deny', 'no'), 'PromptSubmit')).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(answer(verdict, 'PreAbilityCall', 'allow')).not.toHaveProperty('hook_signals');
  });
});

test('messages to people are warnings of one line each', () => {
  expect(answer({ ...silent, messages: ['two\nlines'] }, 'PreAbilityCall', 'allow').warnings).toEqual(['two lines']);
  expect(answer(silent, 'PreAbilityCall', 'allow')).not.toHaveProperty('warnings');
});

describe('the content of an answer', () => {
  const words = (answer: object, event = 'PreToolUse') => wordsOf(answer as never, event as never);
  const specific = (more: object, event = 'PreToolUse') => ({ hookSpecificOutput: { hookEventName: event, ...more } });

  test('has the context for the AI, unless it is empty', () => {
    expect(words(specific({ additionalContext: 'c' })).context).toBe('c');
    expect(words(specific({ additionalContext: '' }))).not.toHaveProperty('context');
  });

  test('has the changed input', () => {
    expect(words(specific({ updatedInput: { a: 1 } })).updatedInput).toEqual({ a: 1 });
    expect(
      words(
        specific({ decision: { behavior: 'allow', updatedInput: { a: 1 } } }, 'PermissionRequest'),
        'PermissionRequest',
      ).updatedInput,
    ).toEqual({ a: 1 });
    expect(words(specific({}))).not.toHaveProperty('updatedInput');
  });

  test('has the message to people', () => {
    expect(words({ systemMessage: 'hello' }).messages).toEqual(['hello']);
    expect(words({ systemMessage: '' }).messages).toEqual([]);
  });

  test('states that changed permissions have no effect', () => {
    const decision = { behavior: 'allow', updatedPermissions: [] };
    expect(words(specific({ decision }, 'PermissionRequest'), 'PermissionRequest').messages).toEqual([
      '`updatedPermissions` changes nothing here',
    ]);
  });

  test.each<[string, object, string, string]>([
    [
      'a decision without a behavior',
      specific({ decision: {} }, 'PermissionRequest'),
      'PermissionRequest',
      '`behavior` is null',
    ],
    [
      'a decision that is no object',
      specific({ decision: 'deny' }, 'PermissionRequest'),
      'PermissionRequest',
      '`decision` is no object',
    ],
    [
      'a decision after the call',
      specific({ permissionDecision: 'deny' }, 'PostToolUse'),
      'PostToolUse',
      'does not belong there',
    ],
    ['a reason that is no text', { reason: 1 }, 'PreToolUse', '`reason` is no string'],
    ['an event that is none', { hookSpecificOutput: {} }, 'PreToolUse', 'it answers null'],
    ['a decision that is a name of every object', { decision: 'toString' }, 'PreToolUse', '`decision` is "toString"'],
    ['a decision that is no text', { decision: ['block'] }, 'PreToolUse', '`decision` is ["block"]'],
    [
      'a key of a call at a request',
      specific({ decision: { behavior: 'deny' }, permissionDecision: 'allow' }, 'PermissionRequest'),
      'PermissionRequest',
      '`permissionDecision`, which does not belong there',
    ],
    [
      'a key of the whole within a decision',
      specific({ decision: { behavior: 'allow', continue: false } }, 'PermissionRequest'),
      'PermissionRequest',
      '`decision` has `continue`',
    ],
  ])('cannot be understood with %s', (_, answer, event, fault) => {
    expect(words(answer, event).fault).toContain(fault);
  });

  test('the reason of `continue: false` is its own, or else that of the whole answer', () => {
    expect(words({ continue: false, stopReason: 's', reason: 'r' }).decisions).toEqual([
      { decision: 'deny', reason: 's' },
    ]);
    expect(words({ continue: false, reason: 'r' }).decisions).toEqual([{ decision: 'deny', reason: 'r' }]);
    expect(words({ decision: null }).decisions).toEqual([]);
  });

  test('unknown keys are reported, and the first one is returned', () => {
    const read = words({ zebra: 1, yak: 2 });
    expect(read.unknown).toBe('zebra');
    expect(read.messages).toHaveLength(2);
  });
});

describe('the output of an ability as an answer', () => {
  const question = { event: 'PreToolUse', toolInput: undefined, isClosed: false } as const;
  const deny = { decision: 'block', reason: 'no' };

  test.each<[string, unknown, string]>([
    ['nothing', null, 'silent'],
    ['a text', JSON.stringify(deny), 'decided'],
    ['a map', deny, 'decided'],
    ['the text of a tool', { text: JSON.stringify(deny) }, 'decided'],
    ['the text of a tool beside what it shows', { text: JSON.stringify(deny), content: [] }, 'decided'],
    ['a map that has a text', { text: JSON.stringify(deny), other: 1 }, 'fault'],
    ['a list', [1], 'fault'],
    ['a map whose text is none', { text: 1 }, 'fault'],
  ])('%s', (_, output, kind) => {
    expect(readOutput(output as never, question).kind).toBe(kind);
  });
});
