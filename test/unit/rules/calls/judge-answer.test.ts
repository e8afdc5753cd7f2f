import { expect, test } from 'vitest';
import type { PlanUnknown } from '../../../../src/contracts/plan.js';
import { isAnswer, judgeAnswer, questionAbout } from '../../../../src/rules/calls/judge-answer.js';

const unknown: PlanUnknown = {
  call: 'pay.find',
  with: { key: '${{ call.idempotency_key }}', order: '${{ call.input.order }}' },
  happened: "output.status == 'done'",
  not_happened: "output.status == 'absent' || error.code == 'http.404'",
  output: { id: '${{ output.id }}', order: '${{ call.input.order }}' },
  wait_ms: 1,
  attempts: 1,
};
const lost = { idempotency_key: 't-1/pay', input: { order: 7 } };
const error = (code: string) => ({ code, message: 'no' });
const judge = (output: never, failed: ReturnType<typeof error> | null = null, more: Partial<PlanUnknown> = {}) =>
  judgeAnswer({ ...unknown, ...more }, lost, { output, error: failed });

test('a question is asked with what the lost call was made with', () => {
  expect(questionAbout(unknown, lost)).toEqual({ key: 't-1/pay', order: 7 });
});

test.each<[string, unknown, string | null, Partial<PlanUnknown>, object]>([
  ['done', { status: 'done', id: 3 }, null, {}, { is: 'happened', output: { id: 3, order: 7 } }],
  ['absent', { status: 'absent' }, null, {}, { is: 'not_happened' }],
  ['a failure that is named', null, 'http.404', {}, { is: 'not_happened' }],
  ['another failure', null, 'http.401', {}, { is: 'neither', why: 'http.401: no' }],
  [
    'another word',
    { status: 'pending' },
    null,
    { not_happened: 'false' },
    { is: 'neither', why: '{"status":"pending"}' },
  ],
  [
    'both',
    { status: 'done' },
    null,
    { not_happened: 'true' },
    { is: 'neither', why: expect.stringContaining('both true') },
  ],
  ['what no condition can read', 5, null, {}, { is: 'neither', why: expect.stringContaining('`happened` failed') }],
  ['no boolean', { status: 'done' }, null, { happened: 'output.status' }, { is: 'neither' }],
  [
    'done, without the output',
    { status: 'done' },
    null,
    {},
    { is: 'neither', why: expect.stringContaining('`output` failed') },
  ],
])('an answer that says: %s', (_, output, code, more, verdict) => {
  expect(judge(output as never, code === null ? null : error(code), more)).toMatchObject(verdict);
});

test.each([
  ['http.404', false, true],
  ['http.429', false, false],
  ['http.503', false, false],
  ['unavailable.connection', false, false],
  ['guard.denied', false, false],
  ['worker.unavailable', false, false],
  ['payment.absent', true, true],
  ['mcp.tool_error', false, true],
])('a question that fails with %s (declared: %s) is answered: %s', (code, isDeclared, expected) => {
  expect(isAnswer(code, isDeclared)).toBe(expected);
});
