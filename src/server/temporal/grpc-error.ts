import { isGrpcServiceError } from '@temporalio/client';

const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;

/** Whether a server, or its settings, lack the requested feature. */
export function isUnimplemented(error: unknown): boolean {
  return grpcErrorOf(error)?.code === UNIMPLEMENTED;
}

/** Whether the server, or a workflow, has too much to do just now, or did not answer in time. */
export function isBusy(error: unknown): boolean {
  return [DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE].includes(grpcErrorOf(error)?.code ?? 0);
}

export function isNotFound(error: unknown): boolean {
  return grpcErrorOf(error)?.code === NOT_FOUND;
}

/** The transport's error, also if the client of Temporal has wrapped it. */
export function grpcErrorOf(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
