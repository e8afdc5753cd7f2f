import { describe, expect, test } from 'vitest';
import { linkTask } from '../../../../src/activities/session/link-task.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import { AbilityError, type Problem } from '../../../../src/contracts/problem.js';
import type { WordAnswer } from '../../../../src/contracts/session.js';
import { KEYS, USER } from '../admitted-task.js';
import { heardBy } from './session-world.js';

const TASK = { kind: 'task', task_key: 't-1', ability_id: 'flow' };

async function linked(session: string | null = 's-1', answers: WordAnswer | Error = {}) {
  const { words, sessions } = heardBy(answers);
  const request = { ability: 'flow', environment: 'dev', input: {}, task: 't-1', direct: false, user: USER, session };
  return { words, sessions, link: await linkTask(request, { project: 'acme', keys: KEYS, sessions }) };
}

const refusal = (problem: Partial<Problem> = {}) =>
  new AbilityError({ code: 'guard.denied', message: 'No.\nReally.', ...problem });

describe('a task that is refused', () => {
  const guardsOf = async (error: unknown) => {
    const { words, link } = await linked();
    await expect(link.refused(error)).rejects.toBe(error);
    expect(words[0]).toEqual(TASK);
    expect(words[1]).toMatchObject({ kind: 'guards', task_key: 't-1', refused: true });
    return (words[1] as { guards: unknown }).guards;
  };
  const source = 'PreAbilityCreate.g';

  test.each<[string, Partial<Problem>, object]>([
    ['the hook and its reason', { details: { hook_id: 'g' } }, { ability_id: 'flow', decision: 'deny', source }],
    ['what it may not call', { details: { hook_id: 'g', path: 'op' } }, { ability_id: 'op', source }],
    ['the task itself', { details: { hook_id: 'g', path: '' } }, { ability_id: 'flow' }],
    ['no hook where none is known', {}, { source: 'PreAbilityCreate.*' }],
    ['a hook that failed', { code: 'hook.failed' }, { decision: 'deny' }],
    ['the suggestion', { suggestion: 'Ask.' }, { suggestion: 'Ask.' }],
  ])('notifies its session of %s', async (_, problem, expected) => {
    expect(await guardsOf(refusal(problem))).toMatchObject([expected]);
  });

  test('notifies its session of the reason in one line, without a suggestion if there is none', async () => {
    const [guard] = (await guardsOf(refusal())) as { reason: string }[];
    expect(guard?.reason).not.toContain('\n');
    expect(guard).not.toHaveProperty('suggestion');
  });

  test.each([refusal({ code: 'input.invalid' }), new TypeError('broken')])(
    'for another reason than a guard notifies its session of none: %s',
    async (error) => {
      expect(await guardsOf(error)).toEqual([]);
    },
  );

  test('fails with the refusal even if its session cannot be notified', async () => {
    const { link, sessions } = await linked();
    sessions.notify = () => Promise.reject(new Error('connection lost'));
    await expect(link.refused(refusal())).rejects.toMatchObject({ code: 'guard.denied' });
  });

  test('fails with the refusal without a session', async () => {
    const { link } = await linked(null);
    await expect(link.refused(refusal())).rejects.toMatchObject({ code: 'guard.denied' });
  });
});

describe('a task that is formed', () => {
  const answer = (decision: HookAnswer['decision'], path = ''): HookAnswer => {
    return { hook_id: 'g', phase: 'PreAbilityCreate', path, status: 'ok', decision, reason: 'Sure?' };
  };

  test('notifies its session of the confirmations that its hooks require', async () => {
    const { words, link } = await linked();
    await link.formed([answer('allow'), answer('need_user_confirm'), answer('need_user_confirm', 'op')]);
    expect(words[1]).toMatchObject({
      kind: 'guards',
      refused: false,
      guards: [{ ability_id: 'flow', decision: 'need_user_confirm' }, { ability_id: 'op' }],
    });
  });

  test('does not notify it if they require none', async () => {
    const { words, link } = await linked();
    await link.formed([answer('allow')]);
    expect(words).toEqual([TASK]);
  });

  test('notifies no session if it has none', async () => {
    const { words, link } = await linked(null);
    await link.formed([answer('need_user_confirm')]);
    expect(words).toEqual([]);
  });
});

test('an ended session forms no task', async () => {
  const stopped = new AbilityError({ code: 'session.stopped', message: 'it has ended' });
  await expect(linked('s-1', stopped)).rejects.toBe(stopped);
});
