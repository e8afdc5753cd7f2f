import { meaningOf } from '../../contracts/codes.js';
import { AbilityError, type Problem, reasonOf } from '../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../contracts/states.js';

/** A failure over HTTP: RFC 9457, with the further fields of the command line. */
interface HttpProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  suggestion: string | null;
  location: unknown;
  details?: unknown;
}

/** Codes with a status of their own; the others have that of their exit code. */
const STATUS: Record<string, number> = {
  'door.access_denied': 400,
  'door.authorization_pending': 400,
  'door.expired_token': 400,
  'door.slow_down': 400,
  'door.no_login': 404,
  'door.unauthenticated': 401,
  'door.unsigned': 401,
  'door.no_webhook': 404,
  'door.too_large': 413,
  'door.media_type': 415,
  'door.too_many': 429,
  'door.foreign_host': 421,
  'door.no_route': 404,
  'file.not_of_task': 404,
  'file.too_large': 413,
  'feature.unsupported': 501,
  'task.deleted': 410,
  'runlog.key_conflict': 409,
  'task.key_conflict': 409,
  'task.closed': 409,
  'task.started': 409,
  'task.other_project': 404,
  'session.key_conflict': 409,
  'session.stopped': 409,
  'approval.ignored': 409,
  'grant.ended': 409,
  'grant.refused': 409,
  'internal.error': 500,
};

const STATUS_OF_EXIT: Partial<Record<ExitCode, number>> = {
  [EXIT.usage]: 400,
  [EXIT.unavailable]: 422,
  [EXIT.denied]: 403,
  [EXIT.timedOut]: 504,
  [EXIT.outOfOrder]: 503,
};

export function statusOf(code: string): number {
  if (Object.hasOwn(STATUS, code)) return STATUS[code] as number;
  const meaning = meaningOf(code);
  if (meaning?.exit === EXIT.usage && code.endsWith('.not_found')) return 404;
  return (meaning && STATUS_OF_EXIT[meaning.exit]) ?? 500;
}

/** Only the operator sees the text of an unexpected error. @param log of the door, if its callers are its operator. */
export function httpProblem(error: unknown, log?: string): HttpProblem {
  const known =
    error instanceof AbilityError ? error.toProblem() : { code: 'internal.error', ...unexpected(error, log) };
  const { code, message, suggestion = null, location = null, details } = known;
  const status = statusOf(code);
  return {
    type: `urn:ability:${code}`,
    title: meaningOf(code)?.means ?? code,
    status,
    detail: message,
    code,
    suggestion,
    location,
    ...(details !== undefined && { details }),
  };
}

function unexpected(error: unknown, log: string | undefined): Pick<Problem, 'message' | 'suggestion'> {
  if (log === undefined) {
    const message = 'The door failed; its operator can read why';
    return { message, suggestion: 'Ask the operator of `ability serve`.' };
  }
  if ((error as { code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND') {
    const message = 'The files of the runtime were replaced while it was running';
    return { message, suggestion: 'Stop it with `ability down`, and do it again: tasks go on.' };
  }
  return { message: `The runtime failed: ${reasonOf(error)}`, suggestion: `Read ${log}.` };
}
