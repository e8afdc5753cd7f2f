import { describe, expect, test } from 'vitest';
import { eventAsContext } from '../../../../src/activities/hooks/event-as-context.js';
import { eventOf } from '../../../../src/activities/hooks/hook-context.js';
import type { EventContext, Phase } from '../../../../src/contracts/hooks.js';
import type { PlanHook } from '../../../../src/contracts/plan.js';

const HOOK: PlanHook = { id: 'h', handler: { kind: 'expression', deny_if: 'true', reason: 'Because.' } };
const EVENT: EventContext = {
  event_type: 'PreAbilityCall',
  session_id: 's-1',
  task_id: 't-1',
  ability_id: 'db.write',
  module_id: 'users.api',
  user_id: 'ada',
  payload: { n: 1 },
  environment: { name: 'dev', protected: true, vars: { region: 'eu' } },
  effects: 'destructive',
  tags: ['slow'],
  plan_digest: 'd',
};
const contextOf = (event: Partial<EventContext>) =>
  eventAsContext({ ...EVENT, ...event } as EventContext, HOOK, 5, new AbortController().signal);
/** The event that a hook sees in the context made from this one. */
const seen = (event: Partial<EventContext>) =>
  eventOf({ ...contextOf(event), phase: (event.event_type ?? 'PreAbilityCall') as Phase });

describe('a hook that is tried without a task', () => {
  test('sees the event before a call unchanged', () => {
    expect(seen({})).toEqual(EVENT);
    expect(contextOf({})).toMatchObject({ hooks: [HOOK], moment: 5, path: '' });
    expect(contextOf({})).not.toHaveProperty('outcome');
  });

  test('sees the event after a call with its outcome', () => {
    const payload = { input: { n: 1 }, status: 'failed', output: 7, error: { code: 'mine' } };
    expect(seen({ event_type: 'PostAbilityCall', payload })).toMatchObject({ payload });
  });

  test('sees a success without an output if the event after a call has no outcome', () => {
    const payload = { input: {}, status: 'succeeded', output: null, error: null };
    expect(seen({ event_type: 'PostAbilityCall', payload: {} })).toMatchObject({ payload });
  });

  test('sees an example if the event names no ability', () => {
    const nothing = { task_id: null, ability_id: null, module_id: null, effects: null };
    expect(seen(nothing)).toMatchObject({ task_id: 'example', ability_id: '', module_id: null, effects: 'read' });
  });

  test('sees the event of a session', () => {
    const event = { event_type: 'PromptSubmit', payload: { prompt: 'hi' } } as const;
    const nothing = { task_id: null, ability_id: null, effects: null, tags: [], plan_digest: null };
    expect(seen(event)).toEqual({ ...EVENT, ...event, ...nothing });
    expect(seen({ ...event, session_id: null })).toMatchObject({ session_id: 'example' });
  });
});
