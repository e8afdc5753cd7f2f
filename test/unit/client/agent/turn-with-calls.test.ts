import { describe, expect, test } from 'vitest';
import { turnWithCalls } from '../../../../src/client/agent/enter-session.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import type { TurnContext } from '../../../../src/contracts/session.js';

const AT = '2026-01-01T00:00:00.000Z';
const turn: TurnContext = {
  session_id: 's-1',
  turn_index: 2,
  hook_signals: {
    routing_hints: [{ source: 'PromptSubmit.p', hint: 'notes.search' }],
    ability_guards: [{ ability_id: 'db.drop', decision: 'deny', reason: 'Never', source: 'PromptSubmit.p' }],
    risk_alerts: ['Careful'],
    normalized_intent: 'clean up',
  },
};
const answer = (more: Partial<HookAnswer>): HookAnswer => {
  return { hook_id: 'h', phase: 'PreAbilityCall', path: '', status: 'ok', decision: 'allow', ...more };
};
const call = (...hooks: HookAnswer[]) => ({ ability_id: 'flow', hooks, calls: { step: 'db.write' } });

describe('turnWithCalls', () => {
  test('without calls it is the turn context of the prompt', () => {
    expect(turnWithCalls(turn, [], [], AT)).toEqual(turn);
  });

  test('denials are guards of the ability that was called, and no alerts (R-002-40, C-04)', () => {
    const denied = answer({ decision: 'deny', reason: 'Too many', suggestion: 'Fewer', path: 'step' });
    const { hook_signals } = turnWithCalls(turn, [call(denied, answer({ decision: 'need_user_confirm' }))], [], AT);
    expect(hook_signals.ability_guards).toEqual([
      ...turn.hook_signals.ability_guards,
      { ability_id: 'db.write', decision: 'deny', reason: 'Too many', suggestion: 'Fewer', source: 'PreAbilityCall.h' },
      { ability_id: 'flow', decision: 'need_user_confirm', reason: 'No reason given.', source: 'PreAbilityCall.h' },
    ]);
    expect(hook_signals.risk_alerts).toEqual(['Careful']);
  });

  test('signals are added once, the most severe guard of an ability stays, and nothing of infra is included (R-002-40)', () => {
    const signals = answer({
      hook_signals: {
        routing_hints: ['notes.search', 'notes.write'],
        risk_alert: 'Careful',
        ability_guard: { ability_id: 'db.drop', decision: 'allow' },
      },
      infra: { log: 'secret' },
    });
    const now = turnWithCalls(turn, [call(signals)], [], AT);
    expect(now.hook_signals.routing_hints.map(({ hint }) => hint).sort()).toEqual(['notes.search', 'notes.write']);
    expect(now.hook_signals.risk_alerts).toEqual(['Careful']);
    expect(now.hook_signals.ability_guards).toEqual(turn.hook_signals.ability_guards);
    expect(now.hook_signals.normalized_intent).toBe('clean up');
    expect(JSON.stringify(now)).not.toContain('secret');
  });

  test('a hook that failed adds only its decision, and a refused call adds its guard', () => {
    const broken = answer({ status: 'error', decision: 'deny', reason: 'It broke', hook_signals: { risk_alert: 'x' } });
    const refused = { ability_id: 'db.wipe', decision: 'deny', reason: 'No', source: 'PreAbilityCreate.g' } as const;
    const { hook_signals } = turnWithCalls(turn, [call(broken)], [refused], AT);
    expect(hook_signals.ability_guards.map(({ ability_id }) => ability_id)).toEqual(['db.drop', 'flow', 'db.wipe']);
    expect(hook_signals.risk_alerts).toEqual(['Careful']);
  });
});
