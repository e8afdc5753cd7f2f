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

/** Of codes that have no status of their own. */
const STATUS_OF_EXIT: Partial<Record<ExitCode, number>> = {
  [EXIT.usage]: 400,
  [EXIT.unavailable]: 422,
  [EXIT.denied]: 403,
  [EXIT.timedOut]: 504,
  [EXIT.outOfOrder]: 503,
};

export function statusOf(code: string): number {
  const meaning = meaningOf(code);
  if (meaning?.http !== undefined) return meaning.http;
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
