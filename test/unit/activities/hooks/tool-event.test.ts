import { describe, expect, test } from 'vitest';
import { eventNameOf, sessionEvent, toolEvent } from '../../../../src/activities/hooks/claude-code/tool-event.js';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { ForeignEvent } from '../../../../src/contracts/foreign-hooks.js';
import { sessionRun, taskRun } from './example-run.js';

const succeeded = { status: 'succeeded', output: 7, error: null };
const failed = { status: 'failed', output: null, error: { code: 'mine', message: 'It broke' } };
const before = taskRun();
const afterSuccess = taskRun({ phase: 'PostAbilityCall', outcome: succeeded });
const afterFailure = taskRun({ phase: 'PostAbilityCall', outcome: failed });

describe('the event that a hook of another tool sees', () => {
  test.each<[string, HookRun, ForeignEvent]>([
    ['before a call', before, 'PreToolUse'],
    ['after a call', afterSuccess, 'PostToolUse'],
    ['after a failed call', afterFailure, 'PostToolUseFailure'],
    ['after a call whose outcome is not given', taskRun({ phase: 'PostAbilityCall' }), 'PostToolUse'],
    ['before a call that knows a failure', taskRun({ outcome: failed }), 'PreToolUse'],
    ['at a prompt', sessionRun(), 'UserPromptSubmit'],
    ['at the end of a session', sessionRun({ phase: 'SessionStop' }), 'SessionEnd'],
  ])('%s', (_, run, event) => {
    expect(eventNameOf({ format: 'claude-code', silence: 'deny' }, run)).toBe(event);
  });

  test.each<[string, ForeignEvent, HookRun, ForeignEvent | undefined]>([
    ['is its own before a call', 'PermissionRequest', before, 'PermissionRequest'],
    ['is its own at the end of a session', 'Stop', sessionRun({ phase: 'SessionStop' }), 'Stop'],
    ['is its own after a call that ended so', 'PostToolUseFailure', afterFailure, 'PostToolUseFailure'],
    ['is none after a success where it is for failures', 'PostToolUseFailure', afterSuccess, undefined],
    ['is none after a failure where it is for successes', 'PostToolUse', afterFailure, undefined],
  ])('%s', (_, event, run, seen) => {
    expect(eventNameOf({ format: 'claude-code', silence: 'deny', event }, run)).toBe(seen);
  });
});

const around = { root: '/p', session: 's-1', call: 't-1/a' };
const common = { session_id: 's-1', transcript_path: '/dev/null', cwd: '/p', permission_mode: 'default' };
const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };

describe('the event of a call', () => {
  test('has the call, and an id that differs for each call', () => {
    const event = toolEvent('PreToolUse', call, around);
    expect(event).toEqual({
      ...common,
      hook_event_name: 'PreToolUse',
      ...call,
      tool_use_id: expect.stringMatching(/^toolu_[0-9a-f]{24}$/),
    });
    expect(toolEvent('PreToolUse', call, around).tool_use_id).toBe(event.tool_use_id);
    expect(toolEvent('PreToolUse', call, { ...around, call: 't-1/b' }).tool_use_id).not.toBe(event.tool_use_id);
  });

  test('has the output of a call that succeeded', () => {
    const event = toolEvent('PostToolUse', call, around, succeeded);
    expect(event).toMatchObject({ tool_response: 7 });
    expect(event).not.toHaveProperty('error');
  });

  test.each([
    ['with code and message', failed.error, 'mine: It broke'],
    ['with a message alone', { message: 'It broke' }, 'It broke'],
    ['without words', {}, 'The call failed.'],
    ['that is not known', null, 'The call failed.'],
  ])('has an error %s', (_, error, text) => {
    const event = toolEvent('PostToolUseFailure', call, around, { output: null, error });
    expect(event).toMatchObject({ error: text, is_interrupt: false });
    expect(event).not.toHaveProperty('tool_response');
  });
});

describe('the event of a session', () => {
  test.each<[ForeignEvent, object, object]>([
    ['UserPromptSubmit', { prompt: 'hi' }, { prompt: 'hi' }],
    ['UserPromptSubmit', { prompt: 7 }, { prompt: '' }],
    ['Stop', {}, { stop_hook_active: false }],
    ['SessionEnd', { reason: 'stop' }, { reason: 'prompt_input_exit' }],
    ['SessionEnd', { reason: 'idle' }, { reason: 'other' }],
  ])('%s of %j has its own fields', (name, payload, own) => {
    expect(sessionEvent(name, payload as never, around)).toEqual({ ...common, hook_event_name: name, ...own });
  });
});
