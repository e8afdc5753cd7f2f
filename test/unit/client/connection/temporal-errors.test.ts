import { ServiceError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { asking } from '../../../../src/client/connection/temporal-errors.js';

const connection = { address: 'temporal.test:7233', namespace: 'acme' } as Connection;

/** An error as the gRPC client throws it. */
const grpc = (code: number, details: string) => Object.assign(new Error(details), { code, details, metadata: {} });
const reported = (error: Error) => asking(connection, () => Promise.reject(error)).catch((problem: unknown) => problem);

describe('temporal.unavailable is reported', () => {
  test.each([
    [14, 'connection refused', /does not answer: connection refused/],
    [4, 'deadline exceeded', /does not answer/],
    [13, 'GetWorkflowExecution: operation failed', /does not answer: GetWorkflowExecution: operation failed/],
    [1, 'database is gone', /does not answer: database is gone/],
    [2, 'database is gone', /does not answer: database is gone/],
    [8, 'database is gone', /does not answer: database is gone/],
    [10, 'database is gone', /does not answer: database is gone/],
    [15, 'database is gone', /does not answer: database is gone/],
    [5, 'Namespace acme is not found.', /has no namespace acme/],
    [7, 'Request unauthorized.', /refuses access to the namespace acme: Request unauthorized\./],
    [16, 'invalid token', /refuses access to the namespace acme/],
  ])('for the gRPC code %i, bare and wrapped', async (code, details, message) => {
    for (const error of [grpc(code, details), new ServiceError('failed', { cause: grpc(code, details) })]) {
      expect(await reported(error)).toMatchObject({
        code: 'temporal.unavailable',
        message: expect.stringMatching(message),
      });
    }
  });
});

test('any other error is passed through', async () => {
  for (const error of [new Error('ours'), grpc(5, 'workflow not found for ID: x'), grpc(6, 'already there')]) {
    expect(await reported(error)).toBe(error);
  }
});
