import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { AbilityError } from '../contracts/problem.js';
import { type Session, unavailable } from './connect.js';

/** gRPC codes that mean that nobody is there: deadline exceeded, unavailable. */
const NOBODY_THERE = new Set([4, 14]);
const INVALID_ARGUMENT = 3;
const FAILED_PRECONDITION = 9;

/** Turns what the Temporal client throws into our errors; others pass through. */
export async function asking<T>(session: Session, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw translate(session, error);
  }
}

function translate(session: Session, error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) return error;
  if (NOBODY_THERE.has(cause.code)) return unavailable(session.address, cause);
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
        message: `Temporal at ${session.address} does not know our search attributes: ${cause.details}`,
        suggestion: 'Run `ability doctor --fix`, or ask whoever runs the server to add them.',
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

/** The error for a key that nobody knows. */
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
