import { describe, expect, test } from 'vitest';
import { readVerdict, type Verdict } from '../../../../src/activities/hooks/claude-code/read-verdict.js';
import type { ForeignEvent } from '../../../../src/contracts/foreign-hooks.js';

const toolInput = { command: 'ls' };
const read = (stdout: string, exitCode = 0, stderr = '', event: ForeignEvent = 'PreToolUse'): Verdict =>
  readVerdict({ exitCode, stdout, stderr }, { event, toolInput, isClosed: false });
const json = (value: unknown, ...rest: [number?, string?, ForeignEvent?]) => read(JSON.stringify(value), ...rest);
const permission = (permissionDecision: unknown, more: object = {}) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
});

describe('answer 41: an answer of Codex has no unknown keys', () => {
  const closed = (value: object, exitCode = 0) =>
    readVerdict(
      { exitCode, stdout: JSON.stringify(value), stderr: '' },
      { event: 'PreToolUse', toolInput, isClosed: true },
    );

  test.each([{ ...permission('allow'), note: 'x' }, permission('deny', { note: 'x' }), { note: 'x' }])(
    '%j',
    (answer) => {
      expect(closed(answer)).toEqual({ kind: 'fault', fault: 'its answer has an unknown key: note' });
    },
  );

  test('its known keys count, and exit code 2 denies all the same', () => {
    expect(closed(permission('allow'))).toMatchObject({ kind: 'decided', decision: 'allow' });
    expect(closed({ note: 'x' }, 2)).toMatchObject({ kind: 'decided', decision: 'deny' });
  });
});

describe('answer 40: exit code 2 is a deny whatever stdout says', () => {
  test.each([
    ['', 'stop', 'stop'],
    [JSON.stringify(permission('allow')), 'stop', 'stop'],
    ['{"half', '', 'It ended with exit code 2.'],
    ['', JSON.stringify(permission('deny', { permissionDecisionReason: 'why' })), 'why'],
    ['', '{"reason":"old"}', 'old'],
    ['', '{"systemMessage":"shown"}', 'shown'],
    [JSON.stringify(permission('deny', { permissionDecisionReason: 'out' })), '', 'out'],
  ])('stdout %s, stderr %s: %s', (stdout, stderr, reason) => {
    expect(read(stdout, 2, stderr)).toMatchObject({ kind: 'decided', decision: 'deny', reason });
  });
});

describe('answer 40: what an answer decides', () => {
  test.each([
    [permission('allow'), 'allow'],
    [permission('deny', { permissionDecisionReason: 'no' }), 'deny'],
    [permission('ask'), 'need_user_confirm'],
    [permission('defer'), 'need_user_confirm'],
    [{ decision: 'approve' }, 'allow'],
    [{ decision: 'block', reason: 'no' }, 'deny'],
    [{ continue: false, stopReason: 'no' }, 'deny'],
    [{ continue: false, ...permission('allow') }, 'deny'],
    [{ decision: 'approve', ...permission('deny') }, 'deny'],
    [{ continue: true, suppressOutput: true, ...permission('allow') }, 'allow'],
    [permission('allow', { updatedInput: { command: 'ls' } }), 'allow'],
    [{ ...permission('deny'), note: 'mine' }, 'deny'],
  ])('%j: %s', (answer, decision) => {
    expect(json(answer)).toMatchObject({ kind: 'decided', decision });
  });

  test('the reason is that of the most severe decision', () => {
    expect(json({ decision: 'block', reason: 'b', ...permission('allow') })).toMatchObject({ reason: 'b' });
    expect(json({ continue: false, stopReason: 's', decision: 'approve', reason: 'a' })).toMatchObject({ reason: 's' });
  });

  test.each([
    [''],
    ['  \n'],
    ['{}'],
    ['{"continue":true}'],
    ['{"systemMessage":"hi"}'],
    ['checked 3 files'],
    ['ok\nfine'],
    ['[INFO] checked 3 files'],
  ])('%j expresses no opinion', (stdout) => {
    expect(read(stdout)).toMatchObject({ kind: 'silent' });
  });
});

describe('answer 40: what cannot be understood is a fault and never silence', () => {
  test.each([
    ['an unknown decision', JSON.stringify(permission('reject'))],
    ['a decision of the former key', JSON.stringify(permission('block'))],
    ['an unknown decision of the former key', '{"decision":"deny"}'],
    ['a decision that is not a string', JSON.stringify(permission(false))],
    ['another event', '{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}'],
    ['no event', '{"hookSpecificOutput":{"permissionDecision":"deny"}}'],
    ['truncated JSON', '{"decision":"block"'],
    ['a truncated object on an indented line', 'checking\n  {"verdict":'],
    ['a truncated list', '[{"verdict":'],
    ['a log line before a decision', `checking\n${JSON.stringify(permission('deny'))}`],
    ['a decision before a log line', `${JSON.stringify(permission('deny'))}\ndone`],
    ['a decision in a line of text', 'result: {"decision":"block"}'],
    ['another input', JSON.stringify(permission('allow', { updatedInput: { command: 'ls -l' } }))],
    ['a misspelt key', '{"decison":"block"}'],
    ['a key in the wrong place', '{"permissionDecision":"deny"}'],
    ['an unknown key alone', '{"status":"denied"}'],
    ['a list', '["deny"]'],
    ['a string', '"deny"'],
    ['a duplicate key', '{"decision":"block","decision":"approve"}'],
    ['a hostile key', '{"__proto__":{"decision":"approve"}}'],
    ['a string for a boolean', '{"continue":"false"}'],
    ['a string for an object', '{"hookSpecificOutput":"deny"}'],
  ])('%s', (_, stdout) => {
    expect(read(stdout)).toMatchObject({ kind: 'fault' });
  });
});

describe('answer 54: other exit codes', () => {
  test('JSON that denies or asks counts', () => {
    expect(json(permission('deny'), 1)).toMatchObject({ decision: 'deny' });
    expect(json(permission('ask'), 3)).toMatchObject({ decision: 'need_user_confirm' });
  });

  test.each([[''], [JSON.stringify(permission('allow'))], ['text'], ['{}'], ['{"half']])('%j is a fault', (stdout) => {
    expect(read(stdout, 1)).toMatchObject({ kind: 'fault' });
  });
});

describe('other events', () => {
  const request = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

  test('a PermissionRequest is answered by its behavior', () => {
    const eventArgs = [0, '', 'PermissionRequest'] as const;
    expect(json(request({ behavior: 'deny', message: 'no' }), ...eventArgs)).toMatchObject({
      decision: 'deny',
      reason: 'no',
    });
    expect(json(request({ behavior: 'allow' }), ...eventArgs)).toMatchObject({ decision: 'allow' });
    expect(json(request({ behavior: 'block' }), ...eventArgs)).toMatchObject({ kind: 'fault' });
    expect(json(permission('allow'), ...eventArgs)).toMatchObject({ kind: 'fault' });
  });

  test('context for the AI at a prompt is retained', () => {
    const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: 'use tabs' };
    expect(json({ hookSpecificOutput }, 0, '', 'UserPromptSubmit')).toMatchObject({
      kind: 'silent',
      context: 'use tabs',
    });
  });
});

test('an allow with another exit code is a fault that names what does not count', () => {
  expect(read(JSON.stringify(permission('allow')), 1)).toMatchObject({
    fault: expect.stringContaining('does not count'),
  });
  expect(read('', 1)).toEqual({ kind: 'fault', fault: 'it ended with exit code 1' });
});

test('an unsafe key makes an answer unreadable, even next to a decision', () => {
  expect(read('{"decision":"block","hookSpecificOutput":{"hookEventName":"PreToolUse","constructor":1}}')).toEqual({
    kind: 'fault',
    fault: 'its answer has a key that no answer has',
  });
});

test('a decision without a reason takes that of an equal decision, and of no other', () => {
  const denial = { ...permission('deny'), decision: 'block', reason: 'b' };
  expect(json(denial)).toMatchObject({ decision: 'deny', reason: 'b' });
  expect(json({ ...permission('deny'), decision: 'approve', reason: 'fine' })).not.toHaveProperty('reason');
});
