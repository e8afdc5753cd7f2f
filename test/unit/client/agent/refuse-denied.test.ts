import { describe, expect, test } from 'vitest';
import { confirmationsOf, isNamedIn, refusalOf } from '../../../../src/client/agent/judge-plan.js';
import type { AbilityGuard } from '../../../../src/contracts/session.js';

const entry = { id: 'a', ability_id: 'db.drop', input: {} };
const guard = (more: Partial<AbilityGuard> = {}): AbilityGuard => {
  return { ability_id: 'db.drop', decision: 'deny', reason: 'Never', source: 'PromptSubmit.no_drops', ...more };
};
const judge = (guards: AbilityGuard[], prompt = 'clean up', denied: string[] = []) =>
  refusalOf(entry, { prompt, guards, denied: new Set(denied), call: 'digest' });

describe('refusalOf', () => {
  test.each([
    ['nothing stands against it', []],
    ['a guard allows it', [guard({ decision: 'allow' })]],
    ['a guard asks for a person', [guard({ decision: 'need_user_confirm' })]],
    ['another one is denied', [guard({ ability_id: 'db.drop_all' })]],
    [
      'the denial of an earlier call says what to do',
      [guard({ source: 'PreAbilityCall.g', suggestion: 'Pass dry_run' })],
    ],
  ])('lets a call pass if %s', (_, guards) => {
    expect(judge(guards)).toBeUndefined();
  });

  test.each([
    ['its ability is denied', [guard()]],
    ['all are', [guard({ ability_id: '*' })]],
    ['an earlier call was, without a way on', [guard({ source: 'PreAbilityCall.g' })]],
    ['a prompt denies it, whatever it suggests', [guard({ suggestion: 'Ask the operator' })]],
  ])('refuses a call if %s (R-002-43)', (_, guards) => {
    expect(judge(guards)).toMatchObject({ code: 'guard.denied', suggestion: expect.stringMatching(/\w/) });
  });

  test('an ability that the user named is tried, except for the very call that was denied (C-11, C-45)', () => {
    expect(judge([guard()], 'run db.drop now')).toBeUndefined();
    expect(judge([], 'run db.drop now', ['digest'])).toMatchObject({ code: 'guard.denied' });
  });
});

describe('isNamedIn', () => {
  test.each(['db.drop', 'run db.drop.', '`db.drop`, please', 'db.drop: now', '(db.drop)'])(
    '%s names db.drop',
    (text) => {
      expect(isNamedIn(text, 'db.drop')).toBe(true);
    },
  );
  test.each(['db.drop_all', 'db.drop-all', 'my.db.drop', 'db.drop.rows', 'dbxdrop', 'drop the db', 'adb.drop'])(
    '%s does not',
    (text) => {
      expect(isNamedIn(text, 'db.drop')).toBe(false);
    },
  );
});

describe('confirmationsOf', () => {
  const asks = guard({ decision: 'need_user_confirm', reason: 'Look first' });

  test('asks about planned abilities that a hook of the prompt wants confirmed (R-002-45)', () => {
    expect(confirmationsOf([entry], [asks])).toEqual(['db.drop: Look first']);
    expect(confirmationsOf([entry], [{ ...asks, ability_id: '*' }])).toEqual(['*: Look first']);
  });

  test('does not ask about others, or if the guard of the call itself asks', () => {
    expect(confirmationsOf([entry], [{ ...asks, ability_id: 'db.other' }])).toEqual([]);
    expect(confirmationsOf([entry], [{ ...asks, source: 'PreAbilityCall.people' }])).toEqual([]);
    expect(confirmationsOf([entry], [guard()])).toEqual([]);
  });
});
