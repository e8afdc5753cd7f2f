import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, type Tool } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../contracts/json.js';
import { CallFailure } from '../call-failure.js';

const TASKS = 'io.modelcontextprotocol/tasks';

const SUGGESTIONS = {
  'mcp.task_required':
    'Choose a tool, or a setting of the server, that answers a call itself; tasks of MCP servers are not supported.',
  'mcp.input_required':
    'Give the tool all it needs in its input; put an approval step before it where a person has to agree.',
};
type Code = keyof typeof SUGGESTIONS;

/** @throws CallFailure `mcp.task_required` for a tool that its server runs as a task only; nothing was called. */
export function refuseTaskOnly({ execution }: Tool, what: string): void {
  if (execution?.taskSupport !== 'required') return;
  throw unmet('mcp.task_required', `${what} must be called as a task of MCP, and was not called`, false);
}

/**
 * The failure for a server that wants more of its client than a durable call has: input on the way, or to answer with a task.
 *
 * @returns undefined for every other error.
 */
export function unmetRequirementOf(error: unknown, what: string, called: boolean): CallFailure | undefined {
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) {
    // It was called, and may go on.
    if (error.data === undefined || !isKind(error.data)) return undefined;
    const { resultType } = error.data;
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
  const names = Object.keys(required).join(', ') || 'what it does not name';
  return isTask
    ? unmet('mcp.task_required', `${what} answers with tasks of MCP only`, false, error)
    : unmet('mcp.input_required', `${what} needs a client that answers questions (${names})`, false, error);
}

function isKind(data: unknown): data is { resultType: unknown } {
  return data !== null && typeof data === 'object' && 'resultType' in data;
}

function unmet(code: Code, message: string, unclear: boolean, cause?: unknown): CallFailure {
  return new CallFailure({ code, message, suggestion: SUGGESTIONS[code] }, { unclear, cause });
}
