import { expect, test } from 'vitest';
import { endOfCall } from '../../../../src/workflows/calls/enter-call.js';

test.each([
  [false, 'guard.denied', 'denied'],
  [false, 'approval.denied', 'denied'],
  [true, 'guard.denied', 'denied'],
  [true, 'hook.failed', 'denied'],
  [true, 'host.not_allowed', 'failed'],
  [true, 'approval.denied', 'failed'],
  [true, 'outcome.unknown', 'unknown'],
  [true, 'script.exit', 'failed'],
  [true, undefined, 'failed'],
] as const)('a call (made: %s) that failed with %s is %s in its session', (isMade, code, status) => {
  expect(endOfCall(isMade, code)).toBe(status);
});
