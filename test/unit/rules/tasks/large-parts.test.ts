import { expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { isOutputRef, mapLargeParts } from '../../../../src/rules/tasks/stored-result.js';

const result = (error: unknown): TaskResult =>
  ({
    status: 'failed',
    output: { text: 'x' },
    error,
    approvals: [{ id: 'a-1', what: { ability: 'deploy', input: { n: 1 } } }],
  }) as unknown as TaskResult;
const mapped = (error: unknown) => mapLargeParts(result(error), (part) => ({ large: part }));

test('the output, the details of the error and the inputs of approvals are the large parts', () => {
  expect(mapped({ code: 'a.b', message: 'm', details: [1] })).toEqual({
    status: 'failed',
    output: { large: { text: 'x' } },
    error: { code: 'a.b', message: 'm', details: { large: [1] } },
    approvals: [{ id: 'a-1', what: { ability: 'deploy', input: { large: { n: 1 } } } }],
  });
});

test.each([null, { code: 'a.b', message: 'm' }])('the error %j has no large parts', (error) => {
  expect(mapped(error).error).toStrictEqual(error);
});

const DIGEST = 'a'.repeat(64);
test.each<[unknown, boolean]>([
  [{ $ref: DIGEST, bytes: 3 }, true],
  [{ bytes: 3, $ref: DIGEST }, true],
  [{ $ref: DIGEST }, false],
  [{ $ref: DIGEST, bytes: 3, more: 1 }, false],
  [{ $ref: 'A'.repeat(64), bytes: 3 }, false],
  [{ $ref: `${DIGEST}a`, bytes: 3 }, false],
  [{ $ref: '', bytes: 3 }, false],
  [{ ref: DIGEST, bytes: 3 }, false],
  [null, false],
  [undefined, false],
  [DIGEST, false],
  [[DIGEST, 3] satisfies Json, false],
])('case %#: whether it is a reference to a stored part', (part, is) => {
  expect(isOutputRef(part)).toBe(is);
});
