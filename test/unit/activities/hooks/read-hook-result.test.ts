import { describe, expect, test } from 'vitest';
import { readHookResult } from '../../../../src/activities/hooks/read-hook-result.js';
import type { Phase } from '../../../../src/contracts/hooks.js';

const read = (value: unknown, phase: Phase = 'PreAbilityCall', twice: string[] = []) =>
  readHookResult('guard', value, { phase, path: 'a', ability: 'op.a' }, twice);
const guards = (...items: object[]) => ({ hook_signals: { ability_guards: items } });
const about = (decision: string, reason?: string, ability_id = 'op.a') => ({
  ability_id,
  decision,
  ...(reason && { reason }),
});

describe('R-002-18: before a call', () => {
  test.each([
    ['nothing', {}, /decides nothing: it has no `guard_decision`/],
    ['a status alone', { status: 'ok', reason: 'fine' }, /decides nothing/],
    ['an unknown key', { guard_decison: 'deny' }, /an unknown key: "guard_decison"/],
    ['unknown keys', { guard_decision: 'allow', a: 1, b: 2 }, /unknown keys: "a", "b"/],
    ['another tool', { hookSpecificOutput: { permissionDecision: 'deny' } }, /"hookSpecificOutput"/],
    ['guards of others', guards(about('allow', 'x', 'op.b')), /only about others than op\.a/],
    ['guards of one whose id begins alike', guards(about('allow', 'x', 'op')), /only about others than op\.a/],
    ['no guards', guards(), /decides nothing/],
    ['an unknown word', { guard_decision: 'block' }, /guard_decision/],
    ['an unknown word in a signal', { guard_decision: 'allow', ...guards(about('block')) }, /hook_signals/],
    [
      'an unknown key in a signal',
      { guard_decision: 'allow', ...guards({ ability: 'op.a', decision: 'deny' }) },
      /hook_signals/,
    ],
    ['guards that are no list', { guard_decision: 'allow', hook_signals: { ability_guards: {} } }, /hook_signals/],
    ['nearly guards', { guard_decision: 'allow', hook_signals: { guards: [] } }, /unknown signal: "guards"/],
    [
      'nearly guards behind signals of its own',
      { guard_decision: 'allow', hook_signals: { a1: 1, b2: 1, c3: 1, d4: 1, e5: 1, ability_gaurds: [] } },
      /unknown signal: "ability_gaurds"/,
    ],
    ['null', null, /no HookResult/],
    ['a list', [], /no HookResult/],
    ['a reason that is none', { guard_decision: 'allow', reason: 1 }, /reason/],
  ])('%s counts as a failed hook', (_, value, reason) => {
    for (const phase of ['PreAbilityCreate', 'PreAbilityCall'] as const) {
      const answer = read(value, phase);
      expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
      expect(answer.reason).toMatch(reason);
    }
  });

  test('a duplicate key counts as a failed hook', () => {
    const answer = read({ guard_decision: 'allow' }, 'PreAbilityCall', ['guard_decision']);
    expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
    expect(answer.reason).toMatch(/has a key twice: "guard_decision"/);
  });

  test('suggests what was meant', () => {
    expect(read({ guard_decison: 'deny' }).suggestion).toBe('Did you mean guard_decision?');
    expect(read({}).suggestion).toMatch(/"guard_decision": "allow"/);
  });

  test.each([
    ['allow', 'deny', 'deny', 'signal'],
    ['allow', 'need_user_confirm', 'need_user_confirm', 'signal'],
    ['need_user_confirm', 'deny', 'deny', 'signal'],
    ['deny', 'allow', 'deny', 'own'],
    ['need_user_confirm', 'allow', 'need_user_confirm', 'own'],
    ['deny', 'deny', 'deny', 'own'],
  ])(
    'C-12: guard_decision %s with a guard signal that says %s gives %s, with the reason of: %s',
    (own, signal, decision, of) => {
      const answer = read({ guard_decision: own, reason: 'own', ...guards(about(signal, 'signal')) });
      expect(answer).toMatchObject({ status: 'ok', decision, reason: of });
    },
  );

  test('a refusal without a reason does not take the reason of an allow', () => {
    const answer = read({ guard_decision: 'allow', reason: 'All is well.', ...guards(about('deny')) });
    expect(answer).toMatchObject({ decision: 'deny' });
    expect(answer).not.toHaveProperty('reason');
  });

  test('C-10: a guard signal about this ability decides, single or in a list, and signals are retained', () => {
    expect(read({ reason: 'whole', ...guards(about('deny')) })).toMatchObject({ decision: 'deny', reason: 'whole' });
    const signals = { ability_guard: about('deny', 'single') };
    expect(read({ hook_signals: signals })).toMatchObject({
      decision: 'deny',
      reason: 'single',
      hook_signals: signals,
    });
    const many = guards(about('allow'), about('deny', 'second'), about('deny', 'x', 'op.b'));
    expect(read(many)).toMatchObject({ decision: 'deny', reason: 'second' });
  });

  test('C-10: a signal with a custom name is retained, with a warning', () => {
    const answer = read({ guard_decision: 'allow', hook_signals: { team_note: 'x' } });
    expect(answer).toMatchObject({ decision: 'allow', hook_signals: { team_note: 'x' } });
    expect(answer.warnings).toEqual(['The answer of the hook guard has an unknown signal: "team_note"']);
  });

  test('R-002-47: at a prompt it is retained without a warning, since its session shows it; a misspelt known name still warns', () => {
    const answer = read({ hook_signals: { team_note: 'x', ability_gaurds: [] } }, 'PromptSubmit');
    expect(answer).toMatchObject({ hook_signals: { team_note: 'x', ability_gaurds: [] } });
    expect(answer.warnings).toEqual([expect.stringMatching(/unknown signal: "ability_gaurds".*ability_guards/)]);
  });

  test('an error that the hook reports refuses, whatever else it decides', () => {
    expect(read({ status: 'error', guard_decision: 'allow', reason: 'down' })).toMatchObject({
      status: 'error',
      decision: 'deny',
      reason: 'down',
    });
  });
});

describe('after a call', () => {
  test('unknown and duplicate keys are warnings, and the rest is used', () => {
    const answer = read({ lgo: 1, infra: { log: 'l' } }, 'PostAbilityCall', ['infra']);
    expect(answer).toMatchObject({ status: 'ok', decision: 'allow', infra: { log: 'l' } });
    expect(answer.warnings).toEqual([
      'The answer of the hook guard has an unknown key: "lgo". Did you mean log?',
      'The answer of the hook guard has a key twice: "infra"',
    ]);
  });

  test('no decision is required, and a refusal has no effect but a warning', () => {
    expect(read({}, 'PostAbilityCall')).toEqual({
      hook_id: 'guard',
      phase: 'PostAbilityCall',
      path: 'a',
      status: 'ok',
      decision: 'allow',
    });
    const denied = read({ guard_decision: 'deny', reason: 'x' }, 'PostAbilityCall');
    expect(denied).toMatchObject({ status: 'ok', decision: 'allow' });
    expect(denied.warnings?.join()).toMatch(/says deny after the call/);
  });
});

test('R-002-18: log, metrics and usage_record count at the top level as in infra, which wins if both have one', () => {
  const answer = read({ guard_decision: 'allow', log: 'top', metrics: { a: 1 }, infra: { log: 'in', mine: 2 } });
  expect(answer.infra).toEqual({ log: 'in', metrics: { a: 1 }, mine: 2 });
  expect(answer.warnings?.join()).toMatch(/has log at the top level and in infra/);
  expect(read({ guard_decision: 'allow', usage_record: [1] })).toMatchObject({ infra: { usage_record: [1] } });
});

test('an error that the hook reports without a reason gets a default reason', () => {
  expect(read({ status: 'error' }).reason).toContain('it says that it failed');
});

test('a single guard about another ability is named as the reason that nothing was decided', () => {
  expect(read({ hook_signals: { ability_guard: about('allow', 'x', 'op.b') } }).reason).toContain('others than op.a');
});

test('the suggestion is that of the decision, or else that of the whole answer', () => {
  const guard = (suggestion?: string) => ({ ...about('deny'), ...(suggestion && { suggestion }) });
  expect(read({ suggestion: 'whole', ...guards(guard(), guard('own')) }).suggestion).toBe('own');
  expect(read({ suggestion: 'whole', ...guards(guard()) }).suggestion).toBe('whole');
  expect(read(guards(guard()))).not.toHaveProperty('suggestion');
});

test.each<[Phase, string, string]>([
  ['PostAbilityCall', 'says deny after the call', 'pre_call'],
  ['SessionStop', 'says deny at the end of the session', 'Move it'],
])('a refusal in %s is a warning that names where it belongs', (phase, text, advice) => {
  const { warnings = [] } = read({ guard_decision: 'deny' }, phase);
  expect(warnings.join()).toContain(text);
  expect(warnings.join()).toContain(advice);
});

test('an unknown key that resembles no known one is refused with instructions for an answer', () => {
  expect(read({ guard_decision: 'allow', zzz: 1 }).suggestion).toMatch(/"guard_decision": "allow"/);
});

test('infrastructure data at the top level alone is no fault', () => {
  expect(read({ guard_decision: 'allow', log: 'top' })).not.toHaveProperty('warnings');
});

test('of many unknown keys, five are named and the others counted', () => {
  const keys = Object.fromEntries('abcdefg'.split('').map((key) => [key, 1]));
  expect(read({ guard_decision: 'allow', ...keys }).reason).toMatch(/"a", "b", "c", "d", "e" and 2 more$/);
  const { f: _, g: __, ...five } = keys;
  expect(read({ guard_decision: 'allow', ...five }).reason).toMatch(/"d", "e"$/);
});
