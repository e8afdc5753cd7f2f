import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  ApplicationFailure,
  defineSearchAttributeKey,
  NamespaceNotFoundError,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { type Connection, unavailable } from './connect.js';

/** Cancelled, unknown, deadline exceeded, resource exhausted, aborted, internal, unavailable, data loss. */
const CANNOT_ANSWER = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;
/** gRPC codes of denied access: permission denied, unauthenticated. */
const NOT_LET_IN = new Set([7, 16]);

/** Translates known errors of the Temporal client into an AbilityError; rethrows all others. */
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
    const message = 'The workflow code fails on this task, so the task cannot accept this now; nothing was changed';
    const suggestion = 'Look at the failed workflow task in the Temporal UI; try again once it goes on.';
    return new AbilityError({ code: 'engine.stuck', message, suggestion }, { cause: error });
  }
  if (cause.code === INVALID_ARGUMENT && /search attribute/i.test(cause.details)) {
    const message = `Temporal at ${connection.address} does not know our search attributes: ${cause.details}`;
    const suggestion = 'Run `ability doctor --fix`, or ask those who run the server to add them.';
    return new AbilityError({ code: 'temporal.attributes_missing', message, suggestion }, { cause: error });
  }
  return error;
}

/** Undefined for any other error. */
export function invalidArgumentOf(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT ? cause.details : undefined;
}

function namespaceNotFound({ address, namespace }: Connection, cause: Error): AbilityError {
  const message = `Temporal at ${address} has no namespace ${namespace}`;
  const suggestion = 'Check the namespace (TEMPORAL_NAMESPACE, --namespace, the profile).';
  return new AbilityError({ code: 'temporal.unavailable', message, suggestion }, { cause });
}

function notLetIn({ address, namespace }: Connection, cause: Error & { details: string }): AbilityError {
  const message = `Temporal at ${address} refuses access to the namespace ${namespace}: ${cause.details || cause.message}`;
  const suggestion = 'Check the credentials: the API key or the certificate of the profile.';
  return new AbilityError({ code: 'temporal.unavailable', message, suggestion }, { cause });
}

export function taskNotFound(key: string, cause?: unknown): AbilityError {
  const message = `There is no task ${key}`;
  const suggestion = 'Run `ability task list` to see what there is.';
  return new AbilityError({ code: 'task.not_found', message, suggestion, details: { task_key: key } }, { cause });
}

export function isUnknownWorkflow(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/** Undefined if Temporal does not know the workflow. */
async function unlessUnknown<T>(action: Promise<T>): Promise<T | undefined> {
  return action.catch((error: unknown) => {
    if (isUnknownWorkflow(error)) return undefined;
    throw error;
  });
}

/** Undefined if Temporal does not know the workflow. */
export function describeIfKnown(
  { temporal }: Connection,
  id: string,
): Promise<WorkflowExecutionDescription | undefined> {
  return unlessUnknown(temporal.workflow.getHandle(id).describe());
}

/** The problem that a workflow or an activity of ours failed with; undefined for any other failure. */
export function problemIn(cause: unknown): Problem | undefined {
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const [problem] = (cause.details ?? []) as [Problem?];
  return problem ?? { code: cause.type ?? 'internal.error', message: cause.message };
}

export function keywordAttributes(values: Readonly<Record<string, string>>): TypedSearchAttributes {
  const pairs = Object.entries(values).map(([name, value]) => {
    return { key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value };
  });
  return new TypedSearchAttributes(pairs);
}
