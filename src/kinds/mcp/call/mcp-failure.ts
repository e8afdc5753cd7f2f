import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool,
} from '@modelcontextprotocol/client';
import { CallFailure } from '../../../activities/call/call-failure.js';
import { isJsonObject } from '../../../contracts/json.js';
import type { McpImplementation } from '../../../contracts/plan.js';
import { didYouMean } from '../../../text/nearest.js';
import { isTimeout, type McpConnection, SessionLost } from './connection.js';
import type { McpUser } from './open-transport.js';
import { causeOf, maskedReason } from './reason-of.js';

export interface FailedRequest {
  /** Names the server, as the start of a sentence. */
  what: string;
  connection: McpConnection;
  user: Pick<McpUser, 'stop' | 'timeoutMs' | 'log'>;
  /** Whether the request was a call, which may have had an effect; listing the tools has none. */
  called: boolean;
}

/** Statuses for an unknown session; the first is the one in the specification. */
const NO_SUCH_SESSION: ReadonlySet<number> = new Set([404, 400]);

export function failureOf(error: unknown, { what, connection, user, called }: FailedRequest): CallFailure {
  const known = causeOf(error, CallFailure);
  if (known) return known;
  const failure = (code: string, message: string, unclear: boolean): CallFailure =>
    new CallFailure({ code, message: `${what} ${message}` }, { unclear: unclear && called, cause: error });
  const reason = maskedReason(error, user.log);
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
    return failure('mcp.output_invalid', `returned an invalid result: ${reason}`, false);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) {
    const type = resultTypeOf(error);
    const kind = typeof type === 'string' ? `the type \`${type}\`` : 'another type';
    return failure('mcp.output_invalid', `answered with a result of ${kind}, which is not supported`, true);
  }
  if (connection.overflowed()) return failure('output.too_large', 'returned more than an output may contain', false);
  return failure('unavailable.connection', `lost its connection: ${reason}${tailOf(connection, user)}`, true);
}

/** Only a complete result is usable here, of the result types since 2026-07-28. */
function resultTypeOf({ data }: SdkError): unknown {
  return data !== null && typeof data === 'object' && 'resultType' in data ? data.resultType : undefined;
}

function tailOf(connection: McpConnection, { log }: FailedRequest['user']): string {
  const tail = connection.stderr(log);
  return tail ? `\n${tail}` : '';
}

const TASKS = 'io.modelcontextprotocol/tasks';

const SUGGESTIONS = {
  'mcp.task_required':
    'Choose a tool, or a setting of the server, that answers a call itself; tasks of MCP servers are not supported.',
  'mcp.input_required':
    'Pass the tool everything it needs in its input; put an approval step before it if a person has to agree.',
};
type Code = keyof typeof SUGGESTIONS;

/** @throws CallFailure `mcp.task_required` for a tool that runs only as a task; nothing was called. */
export function refuseTaskOnly({ execution }: Tool, what: string): void {
  if (execution?.taskSupport !== 'required') return;
  throw unmet('mcp.task_required', `${what} must be called as a task of MCP, and was not called`, false);
}

/** For a server that needs what a durable call lacks: input on the way, or tasks. Undefined: another error. */
function unmetRequirementOf(error: unknown, what: string, called: boolean): CallFailure | undefined {
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) {
    // The call was made and may still have its effect, hence `called`.
    const resultType = resultTypeOf(error);
    if (resultType === 'task') return unmet('mcp.task_required', `${what} answered with a task of MCP`, called, error);
    if (resultType !== 'input_required') return undefined;
    return unmet('mcp.input_required', `${what} asked for input before it goes on`, called, error);
  }
  if (!(error instanceof ProtocolError)) return undefined;
  if (error.code === ProtocolErrorCode.UrlElicitationRequired) {
    return unmet('mcp.input_required', `${what} wants a person to open a page first`, false, error);
  }
  if (error.code !== ProtocolErrorCode.MissingRequiredClientCapability) return undefined;
  const data = error.data as { requiredCapabilities?: unknown } | undefined;
  const required = isJsonObject(data?.requiredCapabilities) ? data.requiredCapabilities : {};
  const isTask = isJsonObject(required.extensions) && Object.hasOwn(required.extensions, TASKS);
  const names = Object.keys(required).join(', ') || 'not named';
  return isTask
    ? unmet('mcp.task_required', `${what} answers with tasks of MCP only`, false, error)
    : unmet('mcp.input_required', `${what} needs a client that answers questions (${names})`, false, error);
}

function unmet(code: Code, message: string, unclear: boolean, cause?: unknown): CallFailure {
  return new CallFailure({ code, message, suggestion: SUGGESTIONS[code] }, { unclear, cause });
}

/** The current tool. @throws CallFailure `mcp.tool_missing`, `mcp.tool_invalid`, or the listing's failure. */
export async function findTool(
  { tool: name, server }: McpImplementation['mcp'],
  connection: McpConnection,
  user: McpUser,
): Promise<Tool> {
  const tools = await connection.askTools(user).catch((error: unknown) => {
    throw failureOf(error, { what: `The MCP server ${server.name}`, connection, user, called: false });
  });
  const found = tools.find(name);
  if (found && 'tool' in found) return found.tool;
  if (found) {
    throw new CallFailure({
      code: 'mcp.tool_invalid',
      message: `The MCP server ${server.name} describes ${name} in a way that cannot be relied on; it was not called: ${found.fault}`,
      suggestion:
        'The maintainer of the server must correct the definition of the tool; its other tools can be called.',
    });
  }
  const names = tools.names();
  throw new CallFailure({
    code: 'mcp.tool_missing',
    message: `The MCP server ${server.name} has no tool ${name}`,
    suggestion: didYouMean(name, names) ?? `Its tools: ${names.slice(0, 20).join(', ')}.`,
  });
}
