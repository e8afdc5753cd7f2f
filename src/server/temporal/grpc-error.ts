import { isGrpcServiceError } from '@temporalio/client';

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** Whether a server, or its settings, lack the requested feature. */
export function isUnimplemented(error: unknown): boolean {
  return grpcErrorOf(error)?.code === UNIMPLEMENTED;
}

export function isNotFound(error: unknown): boolean {
  return grpcErrorOf(error)?.code === NOT_FOUND;
}

/** The transport's error, also if the client of Temporal has wrapped it. */
export function grpcErrorOf(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
