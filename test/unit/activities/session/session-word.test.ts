import { describe, expect, test } from 'vitest';
import { createCheckWord, signWord, verifyWord } from '../../../../src/activities/session/session-word.js';
import { WORKFLOWS } from '../../../../src/contracts/names.js';
import { type ActivityInfo, activityEnvironment } from '../admitted-task.js';

const keys = { keys: new Map([['k', Buffer.from('0'.repeat(32))]]) };
const WORD = { kind: 'ended', id: 'task 1', status: 'failed' } as const;

test('a session accepts a message that a worker signed for it', () => {
  expect(() => verifyWord(signWord('session:p:a', WORD, keys), 'session:p:a', keys)).not.toThrow();
});

test.each([
  ['changed', { word: { ...WORD, status: 'succeeded' } as const }, 'session:p:a'],
  ['of another session', {}, 'session:p:b'],
  ['replayed as one of another session', { session: 'session:p:b' }, 'session:p:b'],
  ['with another mac', { mac: '00' }, 'session:p:a'],
])('a message that is %s is rejected', (_, change, session) => {
  const signed = { ...signWord('session:p:a', WORD, keys), ...change };
  expect(() => verifyWord(signed, session, keys)).toThrow(/No worker of the project/);
});

test('a message under an unknown key is refused as such, and without a key nothing is signed', () => {
  const other = { keys: new Map([['other', Buffer.from('1'.repeat(32))]]) };
  expect(() => verifyWord(signWord('s', WORD, other), 's', keys)).toThrow(/the key other/);
  expect(() => signWord('s', WORD, { keys: new Map() })).toThrow(/no key/);
});

describe('the check of a message', () => {
  const workflowExecution = { workflowId: 'session:p:a', runId: 'r' };
  const checked = (session: string, info: ActivityInfo = {}) => {
    const environment = activityEnvironment({ workflowType: WORKFLOWS.session, workflowExecution, ...info });
    return environment.run(createCheckWord({ keys }), signWord(session, WORD, keys));
  };

  test('accepts one for the session', async () => {
    await expect(checked('session:p:a')).resolves.toBeUndefined();
  });

  test('refuses one for another session', async () => {
    await expect(checked('session:p:b')).rejects.toMatchObject({ type: 'seal.invalid' });
  });

  test('refuses another workflow', async () => {
    await expect(checked('session:p:a', { workflowType: 'mine' })).rejects.toMatchObject({ type: 'seal.invalid' });
  });
});
