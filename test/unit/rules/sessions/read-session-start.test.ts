import { describe, expect, test } from 'vitest';
import { LANE_LENGTH } from '../../../../src/contracts/routing.js';
import {
  isPromptRequest,
  isSignedWord,
  isThreadNote,
  MAX_PROMPT,
  readSessionStart,
} from '../../../../src/rules/sessions/read-session-start.js';

const user = { name: 'ada', source: 'claimed' };
const NO_PERSONS = [undefined, null, 'ada', {}, { name: 'ada' }, { source: 'claimed' }, { ...user, name: 7 }];

describe('the arguments of a session', () => {
  const start = {
    format: 1,
    session_id: 's-1',
    environment: 'dev',
    scope: 'modules/users',
    idle_ms: 1,
    user,
  };

  test('are returned as they are', () => {
    expect(readSessionStart(start)).toBe(start);
    expect(readSessionStart({ ...start, carried: {} })).toMatchObject(start);
  });

  test.each([
    { format: 2 },
    { format: '1' },
    { session_id: undefined },
    { session_id: 7 },
    { session_id: '../s-1' },
    { session_id: '' },
    { environment: undefined },
    { environment: 7 },
    { scope: undefined },
    { scope: ['modules'] },
    { scope: '../modules' },
    { scope: '/modules' },
    { idle_ms: undefined },
    { idle_ms: '1000' },
    { idle_ms: Number.NaN },
    { idle_ms: Number.POSITIVE_INFINITY },
    { idle_ms: 0 },
    { idle_ms: -1 },
    ...NO_PERSONS.map((one) => ({ user: one })),
  ])('are refused with %j', (change) => {
    expect(readSessionStart({ ...start, ...change })).toBeUndefined();
  });

  test.each([null, undefined, 'text', 7, [start]])('are refused if they are %j', (value) => {
    expect(readSessionStart(value)).toBeUndefined();
  });
});

describe('a prompt', () => {
  test.each<[unknown, boolean]>([
    [{ prompt: 'deploy', user }, true],
    [{ prompt: '', user }, true],
    [{ prompt: 'x'.repeat(MAX_PROMPT), user }, true],
    [{ prompt: 'x'.repeat(MAX_PROMPT + 1), user }, false],
    [{ prompt: 7, user }, false],
    [{ prompt: ['deploy'], user }, false],
    [{ user }, false],
    [{ prompt: 'deploy', user, guards: [] }, false],
    [{ guards: [] }, false],
    [null, false],
    ['deploy', false],
    ...NO_PERSONS.map((one) => [{ prompt: 'deploy', user: one }, false] as [unknown, boolean]),
  ])('case %#', (value, is) => {
    expect(isPromptRequest(value)).toBe(is);
  });
});

describe('a note has texts of at most the length of a prompt', () => {
  const noteOf = (messages: unknown[], pending: unknown = null) => ({ messages, pending });
  const message = { role: 'tool', text: 'x'.repeat(MAX_PROMPT) };
  const PENDING = { kind: 'tool_retry', expects: {}, thread_key: 's-1', since: '' };
  const pendingOf = (length: number) => ({
    ...PENDING,
    since: 'x'.repeat(length - JSON.stringify(PENDING).length),
  });

  test.each([
    ['a message of that length', noteOf([message]), true],
    ['a longer one', noteOf([{ ...message, text: `${message.text}x` }]), false],
    ['as many messages as a lane', noteOf(Array(LANE_LENGTH).fill({ role: 'document', text: '' })), true],
    ['one more', noteOf(Array(LANE_LENGTH + 1).fill({ role: 'document', text: '' })), false],
    ['a question of 100,000 characters', noteOf([], pendingOf(100_000)), true],
    ['a longer one', noteOf([], pendingOf(100_001)), false],
  ])('%s', (_, note, is) => {
    expect(isThreadNote(note)).toBe(is);
  });
});

describe('the form of a signed report', () => {
  const word = { key_id: 'k', session: 's-1', mac: 'm', word: { kind: 'task' } };
  test.each([
    [word, true],
    [{ ...word, key_id: 1 }, false],
    [{ ...word, session: null }, false],
    [{ ...word, mac: undefined }, false],
    [{ ...word, word: {} }, false],
    [{ ...word, word: 'task' }, false],
    [{ key_id: 'k', session: 's-1', mac: 'm' }, false],
    [null, false],
  ])('case %#', (value, is) => {
    expect(isSignedWord(value)).toBe(is);
  });
});
