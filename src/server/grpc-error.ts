import { isGrpcServiceError } from '@temporalio/client';

/** What the transport says, also where the client of Temporal has put it into an error of its own. */
export function grpcErrorOf(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
