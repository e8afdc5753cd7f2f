import { expect, test } from 'vitest';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { guardsIn, mergeSignals } from '../../../../src/rules/sessions/merge-signals.js';

const AT = '2026-03-01T10:00:00.000Z';

function answer(hook_id: string, hook_signals: JsonObject, more: Partial<HookAnswer> = {}): HookAnswer {
  return { hook_id, phase: 'PromptSubmit', path: '', status: 'ok', decision: 'allow', hook_signals, ...more };
}

const merged = (...answers: HookAnswer[]) => mergeSignals(answers, [], AT).hook_signals;

test('without signals of hooks the three lists are empty (R-002-36)', () => {
  expect(merged()).toEqual({ routing_hints: [], ability_guards: [], risk_alerts: [] });
});

test('lists of several hooks are merged in their order, each entry with its source (R-002-37, R-002-38, R-002-39)', () => {
  expect(
    merged(
      answer('guard_safe_ops', {
        routing_hints: ['prefer_safe_ops'],
        ability_guards: [{ ability_id: 'delete_user_data', decision: 'deny', reason: 'Prod environment' }],
      }),
      answer('risks', {
        risk_alerts: ['High-risk write detected in module X'],
        routing_hints: [{ hint: 'read:a.md' }],
      }),
    ),
  ).toEqual({
    routing_hints: [
      { source: 'PromptSubmit.guard_safe_ops', hint: 'prefer_safe_ops' },
      { source: 'PromptSubmit.risks', hint: 'read:a.md' },
    ],
    ability_guards: [
      {
        source: 'PromptSubmit.guard_safe_ops',
        ability_id: 'delete_user_data',
        decision: 'deny',
        reason: 'Prod environment',
      },
    ],
    risk_alerts: ['High-risk write detected in module X'],
  });
});

test('single signals count as lists of one, and the latest intent is reported (C-10, R-000-57)', () => {
  const signals = merged(
    answer('a', { routing_hint: 'module:users', risk_alert: 'Careful', normalized_intent: 'first' }),
    answer('b', {
      ability_guard: { ability_id: 'x', decision: 'need_user_confirm', reason: 'Ask.' },
      normalized_intent: { verb: 'delete' },
    }),
  );
  expect(signals.routing_hints).toEqual([{ source: 'PromptSubmit.a', hint: 'module:users' }]);
  expect(signals.risk_alerts).toEqual(['Careful']);
  expect(signals.ability_guards).toMatchObject([{ ability_id: 'x', decision: 'need_user_confirm' }]);
  expect(signals.normalized_intent).toEqual({ verb: 'delete' });
});

test('a source that a hook claims is ignored', () => {
  const signals = merged(answer('a', { routing_hint: { source: 'PreAbilityCall.trusted', hint: 'x' } }));
  expect(signals.routing_hints).toEqual([{ source: 'PromptSubmit.a', hint: 'x' }]);
});

test.each([
  ['allow', 'deny'],
  ['need_user_confirm', 'deny'],
  ['allow', 'need_user_confirm'],
] as const)(
  'of the guards %s and %s of an ability the more severe one is reported, whichever comes first',
  (weak, severe) => {
    const guard = (id: string, decision: string) =>
      answer(id, { ability_guard: { ability_id: 'x', decision, reason: id } });
    for (const order of [
      [guard('w', weak), guard('g', severe)],
      [guard('g', severe), guard('w', weak)],
    ]) {
      expect(merged(...order).ability_guards).toMatchObject([
        { decision: severe, reason: 'g', source: 'PromptSubmit.g' },
      ]);
    }
  },
);

test('duplicates are reported once: hints with the same text, alerts with the same text', () => {
  const signals = merged(
    answer('a', { routing_hints: ['x', 'x'], risk_alerts: ['r'] }),
    answer('b', { routing_hint: 'x', risk_alert: 'r' }),
  );
  expect(signals.routing_hints).toEqual([{ source: 'PromptSubmit.a', hint: 'x' }]);
  expect(signals.risk_alerts).toEqual(['r']);
});

test('nothing from infra is passed on (R-002-40)', () => {
  const text = JSON.stringify(merged(answer('a', {}, { infra: { log: 'INFRA', metrics: { m: 1 } } })));
  expect(text).not.toMatch(/INFRA|metrics/);
});

test('a guard_decision without an ability becomes an alert with its reason and hook (C-11)', () => {
  const signals = merged(
    answer('stop_it', {}, { decision: 'deny', reason: 'Freeze.' }),
    answer('ask', {}, { decision: 'need_user_confirm' }),
  );
  expect(signals.risk_alerts).toEqual(['Freeze. (hook stop_it)', 'ask answers need_user_confirm (hook ask)']);
  expect(signals.ability_guards).toEqual([]);
});

test('a failed hook reports nothing to the AI (C-08)', () => {
  expect(merged(answer('a', { risk_alert: 'r' }, { status: 'error', decision: 'allow' }))).toEqual(merged());
});

test('signals with other names, and known ones in a wrong form, are recorded as unknown (R-002-47)', () => {
  const { hook_signals, unknown } = mergeSignals(
    [
      answer('a', {
        mood: { level: 3 },
        routing_hints: ['ok', 7],
        ability_guard: { ability_id: 'x', decision: 'maybe' },
      }),
    ],
    [],
    AT,
  );
  expect(hook_signals.routing_hints).toEqual([{ source: 'PromptSubmit.a', hint: 'ok' }]);
  expect(hook_signals.ability_guards).toEqual([]);
  expect(unknown).toEqual([
    { at: AT, hook: 'a', name: 'routing_hints', value: 7 },
    { at: AT, hook: 'a', name: 'ability_guard', value: { ability_id: 'x', decision: 'maybe' } },
    { at: AT, hook: 'a', name: 'mood', value: { level: 3 } },
  ]);
});

test.each([
  ['risk_alert', 7],
  ['risk_alert', ''],
  ['risk_alert', { text: 'r' }],
  ['routing_hint', ''],
  ['routing_hint', { hint: 7 }],
  ['ability_guard', 'deny'],
  ['ability_guard', { decision: 'deny' }],
])('the signal %s with the value %j is unknown, and has no effect', (name, value) => {
  const { hook_signals, unknown } = mergeSignals([answer('a', { [name]: value })], [], AT);
  expect(hook_signals).toEqual(merged());
  expect(unknown).toEqual([{ at: AT, hook: 'a', name, value }]);
});

test('a signal that takes effect is not unknown', () => {
  const signals: JsonObject = {
    routing_hint: 'x',
    ability_guards: [{ ability_id: 'x', decision: 'deny' }],
    risk_alerts: ['r'],
    normalized_intent: 'i',
  };
  expect(mergeSignals([answer('a', signals)], [], AT).unknown).toEqual([]);
});

test('a guard without a reason gets one from its source, and keeps its suggestion', () => {
  const guard = { ability_id: 'x', decision: 'deny', suggestion: 'Ask\nfirst.' };
  expect(merged(answer('a', { ability_guard: guard })).ability_guards).toEqual([
    {
      ability_id: 'x',
      decision: 'deny',
      reason: 'PromptSubmit.a answers deny.',
      suggestion: 'Ask first.',
      source: 'PromptSubmit.a',
    },
  ]);
});

test('the guard of a task is passed on with its suggestion, even without a reason', () => {
  const guard = answer('limit', {}, { phase: 'PreAbilityCall', decision: 'need_user_confirm', suggestion: 'Ask.' });
  expect(guardsIn([guard], () => 'x')).toEqual([
    {
      ability_id: 'x',
      decision: 'need_user_confirm',
      reason: 'No reason given.',
      suggestion: 'Ask.',
      source: 'PreAbilityCall.limit',
    },
  ]);
});

test('texts are one line each, so that none can look like another', () => {
  const signals = merged(answer('a', { risk_alert: 'one\ntwo', routing_hint: 'x\r\ny' }));
  expect(signals.risk_alerts[0]).not.toContain('\n');
  expect(signals.routing_hints[0]?.hint).not.toMatch(/[\r\n]/);
});

test('guards of tasks are reported together with those of prompt hooks, and only the most severe is kept', () => {
  const guards = guardsIn(
    [
      answer('limit', {}, { phase: 'PreAbilityCall', path: 'a', decision: 'deny', reason: 'Enough.' }),
      answer('fine', {}, { phase: 'PreAbilityCall', path: 'a' }),
    ],
    () => 'pay.refund',
  );
  expect(guards).toEqual([
    { ability_id: 'pay.refund', decision: 'deny', reason: 'Enough.', source: 'PreAbilityCall.limit' },
  ]);
  const weaker = answer('p', { ability_guard: { ability_id: 'pay.refund', decision: 'allow', reason: 'Go.' } });
  expect(mergeSignals([weaker], guards, AT).hook_signals.ability_guards).toEqual(guards);
});
