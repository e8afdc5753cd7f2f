import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { AbilityError } from '../../contracts/problem.js';
import { type Connection, unavailable } from './connect.js';

/**
 * gRPC codes of a server that cannot answer, whatever it is asked: cancelled with its connection, unknown, deadline
 * exceeded, resource exhausted, aborted, internal, unavailable, data loss.
 */
const CANNOT_ANSWER = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;
/** The server answers and does not let us in: permission denied, unauthenticated. */
const NOT_LET_IN = new Set([7, 16]);

/** Turns what the Temporal client throws into our errors; others pass through. */
export async function asking<T>(connection: Connection, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw translate(connection, error);
  }
}

function translate(connection: Connection, error: unknown): unknown {
  if (error instanceof NamespaceNotFoundError) return namespaceNotFound(connection, error);
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) return error;
  if (CANNOT_ANSWER.has(cause.code)) return unavailable(connection.address, cause);
  if (NOT_LET_IN.has(cause.code)) return notLetIn(connection, cause);
  if (cause.code === NOT_FOUND && /^Namespace .* not found/i.test(cause.details)) {
    return namespaceNotFound(connection, cause);
  }
  if (cause.code === FAILED_PRECONDITION && /Workflow Task in failed state/i.test(cause.details)) {
    return new AbilityError(
      {
        code: 'engine.stuck',
        message: 'The workflow code fails on this task, so it cannot take this now; nothing was changed',
        suggestion: 'Look at the failed workflow task in the Temporal UI; try again once it goes on.',
      },
      { cause: error },
    );
  }
  if (cause.code === INVALID_ARGUMENT && /search attribute/i.test(cause.details)) {
    return new AbilityError(
      {
        code: 'temporal.attributes_missing',
        message: `Temporal at ${connection.address} does not know our search attributes: ${cause.details}`,
        suggestion: 'Run `ability doctor --fix`, or ask those who run the server to add them.',
      },
      { cause: error },
    );
  }
  return error;
}

/** What Temporal says of a request it finds invalid; undefined for any other error. */
export function invalidArgumentOf(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT ? cause.details : undefined;
}

function namespaceNotFound({ address, namespace }: Connection, cause: Error): AbilityError {
  return new AbilityError(
    {
      code: 'temporal.unavailable',
      message: `Temporal at ${address} has no namespace ${namespace}`,
      suggestion: 'Check the namespace (TEMPORAL_NAMESPACE, --namespace, the profile).',
    },
    { cause },
  );
}

function notLetIn({ address, namespace }: Connection, cause: Error & { details: string }): AbilityError {
  return new AbilityError(
    {
      code: 'temporal.unavailable',
      message: `Temporal at ${address} does not let us into the namespace ${namespace}: ${cause.details || cause.message}`,
      suggestion: 'Check the credentials: the API key or the certificate of the profile.',
    },
    { cause },
  );
}

/** The error for a key without a task. */
export function taskNotFound(key: string, cause?: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'task.not_found',
      message: `There is no task ${key}`,
      suggestion: 'Run `ability task list` to see what there is.',
    },
    { cause },
  );
}

/** Whether Temporal does not know a workflow. */
export function isUnknownWorkflow(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}
