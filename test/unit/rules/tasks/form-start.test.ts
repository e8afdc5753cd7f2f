import { expect, test } from 'vitest';
import type { TaskRequest } from '../../../../src/contracts/task.js';
import { formStart, type SealedAnswer } from '../../../../src/rules/tasks/form-start.js';

const answer = {
  plan: {
    ability: { id: 'backup', version: 1, summary: 'Copies.', modules: [] },
    environment: { name: 'prod' },
    placement: 'local',
    operations: {},
  },
  seal: { plan: 'p', input: 'i' },
  input: {},
  warnings: [],
} as unknown as SealedAnswer;
const keyFor = (name: string): string => {
  const user = { name, source: 'claimed' as const };
  const request = { ability: 'backup', environment: 'prod', input: {}, task: 't', direct: false, user, session: null };
  return formStart('acme', request as TaskRequest, answer, true).priority.fairnessKey;
};

test.each([
  ['alice', 'alice'],
  ['schedule:nightly', 'schedule:nightly'],
  ['', 'prod'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['ü'.repeat(40), 'ü'.repeat(16)],
])('a task of %j shares the server fairly as %j', (name, key) => {
  expect(keyFor(name)).toBe(key);
  expect(Buffer.byteLength(keyFor(name))).toBeLessThanOrEqual(64);
});
