import { describe, expect, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { ProcessOutcome } from '../../../../../src/activities/processes/run-process.js';
import type { PlanScript } from '../../../../../src/contracts/plan.js';
import { notStarted, refuseBadEnd } from '../../../../../src/kinds/script/call/call-script.js';

const PINNED = '/pinned/abc';
const MEANINGS = { '3': 'ok', '4': { code: 'shop.sold_out' } };

/** The failure for an end of a script; undefined if there is none. */
function endOf(outcome: Partial<ProcessOutcome>, { stderr = '', stdout = '', exit_codes = MEANINGS as object } = {}) {
  const log = new CallLog(undefined, '', 1);
  log.write('stderr', stderr);
  log.write('stdout', stdout);
  const whole = { ended: 'exit', exitCode: undefined, signal: undefined, stdout: Buffer.alloc(0), ...outcome };
  const script = { path: 'scripts/a.sh', exit_codes } as unknown as PlanScript;
  try {
    refuseBadEnd(whole as ProcessOutcome, script, { log, timeoutMs: 500 } as never, PINNED);
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each([0, 3])('exit code %i is a success', (exitCode) => {
  expect(endOf({ exitCode })).toBeUndefined();
});

describe('a failed end', () => {
  test.each<[string, Partial<ProcessOutcome>, string, string, boolean, boolean]>([
    ['an exit code', { exitCode: 1 }, 'script.exit', 'ended with exit code 1', false, false],
    ['an exit code that the definition names', { exitCode: 4 }, 'shop.sold_out', 'ended with exit code 4', false, true],
    ['a signal', { ended: 'signal', signal: 'SIGKILL' }, 'script.exit', 'was killed by SIGKILL', true, false],
    ['a time-out', { ended: 'timeout' }, 'timeout.call', 'took longer than 500 ms', true, false],
    ['a cancellation', { ended: 'aborted' }, 'timeout.call', 'was stopped before it ended', true, false],
    [
      'no start',
      { ended: 'not_started', reason: 'ENOENT' },
      'script.start_failed',
      'could not be started: ENOENT',
      false,
      false,
    ],
    ['no start without a reason', { ended: 'not_started' }, 'script.start_failed', 'unknown reason', false, false],
  ])('%s', (_, outcome, code, message, unclear, isAnswer) => {
    expect(endOf(outcome)).toMatchObject({ code, message: expect.stringContaining(message), unclear, isAnswer });
  });

  test('of a script without meanings for its exit codes is script.exit', () => {
    expect(endOf({ exitCode: 3 }, { exit_codes: {} })).toMatchObject({ code: 'script.exit' });
  });

  test('has the exit code in its details', () => {
    expect(endOf({ exitCode: 7 }, { stderr: 'broken' })).toMatchObject({ details: { exit_code: 7, stderr: 'broken' } });
    expect(endOf({})).toMatchObject({ details: { exit_code: null } });
  });
});

describe('what a script wrote last is reported', () => {
  test('from stderr', () => {
    const failure = endOf({ exitCode: 1 }, { stderr: 'no disk', stdout: 'working' });
    expect(failure).toMatchObject({
      message: 'scripts/a.sh ended with exit code 1\nno disk',
      details: { stderr: 'no disk' },
    });
    expect(failure).not.toMatchObject({ details: { stdout: expect.anything() } });
  });

  test('from stdout if stderr is empty', () => {
    expect(endOf({ exitCode: 1 }, { stdout: 'no disk' })).toMatchObject({
      message: expect.stringMatching(/wrote nothing on stderr, and last on stdout:\nno disk$/),
      details: { stderr: '', stdout: 'no disk' },
    });
  });

  test('and nothing is reported if both are empty', () => {
    expect(endOf({ exitCode: 1 })).toMatchObject({ message: 'scripts/a.sh ended with exit code 1' });
  });
});

describe('a script that lacks a file next to it fails with the advice where it runs', () => {
  const beside = { suggestion: expect.stringContaining('runs from a copy') };

  test.each([
    `cat: ${PINNED}/data.txt: No such file or directory`,
    `Error: ENOENT: ${PINNED}/data.json`,
    `Error [MODULE_NOT_FOUND]: ${PINNED}/lib.js`,
    `python3: can't open file '${PINNED}/a.py'`,
  ])('%s', (stderr) => {
    expect(endOf({ exitCode: 1 }, { stderr })).toMatchObject(beside);
  });

  test.each(['cat: /etc/x: No such file or directory', `broken at ${PINNED}/a.sh:3`])('but not for %s', (stderr) => {
    expect(endOf({ exitCode: 1 }, { stderr })).not.toMatchObject(beside);
  });

  test('nor if the exit code has a meaning', () => {
    expect(endOf({ exitCode: 4 }, { stderr: `${PINNED}/x not found` })).not.toMatchObject(beside);
  });
});

describe('why a script could not be started', () => {
  const script = { path: 'a.sh' } as PlanScript;

  test.each([
    ['spawn E2BIG', 'script.arguments_too_large', 'stdin'],
    ['spawn EACCES', 'script.start_failed', 'noexec'],
    ['spawn ENOENT', 'script.start_failed', 'Check the interpreter.'],
  ])('%s', (reason, code, suggestion) => {
    const cause = new Error('below');
    expect(notStarted(script, reason, cause)).toMatchObject({
      code,
      suggestion: expect.stringContaining(suggestion),
      cause,
    });
  });
});
