import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { CallFailure } from '../call-failure.js';
import { isTimeout, type McpConnection, SessionLost } from './connection.js';
import type { McpUser } from './mcp-host.js';
import { causeOf, reasonOf } from './reason-of.js';
import { unmetRequirementOf } from './unmet-requirement.js';

/** What a request of ours was about when it failed. */
export interface FailedRequest {
  /** Names who was asked, as the start of a sentence. */
  what: string;
  connection: McpConnection;
  user: Pick<McpUser, 'stop' | 'timeoutMs' | 'log'>;
  /** Whether it was a call, which may have had its effect; asking for the tools has none. */
  called: boolean;
}

/** What servers answer when they do not know a session; the first is in the specification. */
const NO_SUCH_SESSION: ReadonlySet<number> = new Set([404, 400]);

/** The failure that an error of the SDK stands for. */
export function failureOf(error: unknown, { what, connection, user, called }: FailedRequest): CallFailure {
  const known = causeOf(error, CallFailure);
  if (known) return known;
  const failure = (code: string, message: string, unclear: boolean): CallFailure =>
    new CallFailure({ code, message: `${what} ${message}` }, { unclear: unclear && called, cause: error });
  const reason = reasonOf(error, (text) => user.log.mask(text));
  if (user.stop.aborted || (error instanceof SdkError && isTimeout(error))) {
    return failure('timeout.call', `did not answer within ${user.timeoutMs} ms${tailOf(connection, user)}`, true);
  }
  const unmet = unmetRequirementOf(error, what, called);
  if (unmet) return unmet;
  if (error instanceof ProtocolError) return failure('mcp.tool_error', `refused the call: ${reason}`, false);
  if (error instanceof SdkHttpError && NO_SUCH_SESSION.has(error.status)) {
    return new SessionLost({ code: 'unavailable.connection', message: `${what} was not called: ${reason}` });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return failure('mcp.output_invalid', `gave a result that is none: ${reason}`, false);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) {
    return failure('mcp.output_invalid', `answered with ${kindOf(error)}, which is not supported`, true);
  }
  if (connection.overflowed()) return failure('output.too_large', 'said more than an output may be', false);
  return failure('unavailable.connection', `lost its connection: ${reason}${tailOf(connection, user)}`, true);
}

/** Of the kinds of answers since 2026-07-28 only a result that is whole can be used here. */
function kindOf({ data }: SdkError): string {
  const kind = data !== null && typeof data === 'object' && 'resultType' in data ? data.resultType : undefined;
  return typeof kind === 'string' ? `a result of the type \`${kind}\`` : 'a result of another type';
}

function tailOf(connection: McpConnection, { log }: FailedRequest['user']): string {
  const tail = connection.stderr(log);
  return tail ? `\n${tail}` : '';
}
