import { describe, expect, test } from 'vitest';
import { CallFailure } from '../../../../src/activities/call/call-failure.js';
import { EffectMark, type MarkedBy } from '../../../../src/activities/call/effect-mark.js';

const CALL = { project: 'acme', environment: 'dev', call: 't-1/add', groups: [] };
const BY = { run: 'r-1', activity: '5' };
const failure = (code: string, unclear = false) => new CallFailure({ code, message: code }, { unclear });

function markOver(found: 'made' | MarkedBy) {
  const removed: unknown[] = [];
  const remove = async (call: unknown): Promise<void> => {
    removed.push(call);
  };
  return { mark: new EffectMark({ make: async () => found, remove }, CALL, BY, 'Go on.'), removed };
}

describe('a call continues', () => {
  test.each<['made' | MarkedBy, boolean]>([
    ['made', false],
    [BY, true],
  ])('if its mark is %o, and learns whether an earlier attempt left it', async (found, wasLeft) => {
    expect(await markOver(found).mark.make()).toBe(wasLeft);
  });
});

test.each([
  ['another run', { run: 'r-0', activity: '5' }],
  ['another activity of the same run', { run: 'r-1', activity: '4' }],
])('the mark of %s ends a call as unknown, naming its run and how to continue', async (_, earlier) => {
  await expect(markOver(earlier).mark.make()).rejects.toMatchObject({
    code: 'outcome.unknown',
    unclear: false,
    message: expect.stringContaining(earlier.run),
    details: { earlier },
    suggestion: expect.stringContaining('Go on.'),
  });
});

describe('whether a mark is taken back', () => {
  test.each<[string, 'made' | MarkedBy, Error, boolean]>([
    ['of a call that certainly sent nothing', 'made', failure('unavailable.connection'), true],
    ['of a script that did not start', 'made', failure('script.start_failed'), true],
    ['of a request that may have been sent', 'made', failure('unavailable.connection', true), false],
    ['of a call that failed', 'made', failure('script.exit'), false],
    ['that an earlier attempt left', BY, failure('unavailable.connection'), false],
  ])('%s', async (_, found, error, isTakenBack) => {
    const { mark, removed } = markOver(found);
    await mark.make();
    await mark.takeBack(error, true);
    expect(removed).toEqual(isTakenBack ? [CALL] : []);
  });

  test('of a call that did not begin, however it failed', async () => {
    const { mark, removed } = markOver('made');
    await mark.make();
    await mark.takeBack(failure('timeout.call'), false);
    expect(removed).toEqual([CALL]);
  });
});
